#include "python/bindings/wafers.hpp"

#include <algorithm>
#include <mutex>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "physics/core/check_values.hpp"

#include "python/bindings/arrays.hpp"
#include "python/bindings/settings.hpp"

namespace optinc::bindings {

/// The die that was asked for last.
struct Wafer::Prepared {
  std::mutex one_at_a_time;
  std::vector<MeshTopology> meshes;
  std::shared_ptr<const DieProcess> die;
};

SharedVariation Wafer::variation(const std::vector<MeshTopology>& meshes) const {
  SharedVariation shared{nullptr, made.shared};
  if (!varies(made.shared)) return shared;
  shared.shared.wavelength_m = wavelength_m;
  const std::lock_guard lock(prepared->one_at_a_time);
  if (prepared->die == nullptr || prepared->meshes != meshes) {
    const DiePlan plan = placed_on_die(meshes, layout, made.wafer);
    prepared->die =
        std::make_shared<const DieProcess>(prepare_die(meshes, plan.meshes, shared.shared, made.wafer));
    prepared->meshes = meshes;
  }
  shared.die = prepared->die;
  return shared;
}

namespace {

Wafer new_wafer(const ProcessModel& process, double radius_m, double edge_exclusion_m, double die_length_m,
                double die_width_m, const FloorPlanSettings& layout, double wavelength_m) {
  validate_process(process);
  validate_floor_plan(layout);
  validate_positive("wavelength_m", wavelength_m);
  validate_within("radius_m", radius_m, 5e-3, 0.3);  // the ranges of [fabrication]
  validate_within("edge_exclusion_m", edge_exclusion_m, 0, 0.1);
  validate_within("die_length_m", die_length_m, 1e-3, 0.3);
  validate_within("die_width_m", die_width_m, 1e-3, 0.3);
  const WaferMap map{radius_m, edge_exclusion_m, die_length_m, die_width_m};
  dies_on_wafer(map);  // throws where there is none
  return {{FabricationProcess::wafer, "custom", process, map},
          layout,
          wavelength_m,
          std::make_shared<Wafer::Prepared>()};
}

/// Corners (dies, 2) of the dies.
Array<double> dies_of(const Wafer& wafer) {
  const std::vector<DiePosition> dies = dies_on_wafer(wafer.made.wafer);
  auto array = new_array<double>({dies.size(), 2});
  double* to = array.data();
  for (const DiePosition& die : dies) {
    *to++ = die.x_m;
    *to++ = die.y_m;
  }
  return array;
}

std::pair<std::uint32_t, std::uint32_t> origin_of(const Wafer& wafer, std::uint32_t chip) {
  const ChipOrigin origin = chip_origin(dies_on_wafer(wafer.made.wafer), chip);
  return {origin.wafer, origin.die};
}

/// A field of a process and its name, as the keys of [fabrication] call it.
struct ProcessField {
  const char* name;
  double& (*of)(ProcessModel&);
  const char* meaning;
};

constexpr ProcessField process_fields[] = {
    {"width_wafer_bow_m", [](ProcessModel& p) -> double& { return p.width.wafer_bow_m; },
     "rms bow of waveguide width from centre to edge of a wafer [m]."},
    {"width_wafer_tilt_m", [](ProcessModel& p) -> double& { return p.width.wafer_tilt_m; },
     "rms tilt of waveguide width along x and y, over the radius of a wafer [m]."},
    {"width_die_m", [](ProcessModel& p) -> double& { return p.width.die_m; },
     "rms offset of waveguide width from die to die [m]."},
    {"width_field_m", [](ProcessModel& p) -> double& { return p.width.field_m; },
     "rms variation of waveguide width over a die, correlated by `kernel` [m]."},
    {"width_roughness_m", [](ProcessModel& p) -> double& { return p.width.roughness_m; },
     "rms width error of a 100 um arm that no other arm shares [m]."},
    {"height_wafer_bow_m", [](ProcessModel& p) -> double& { return p.height.wafer_bow_m; },
     "rms bow of waveguide height from centre to edge of a wafer [m]."},
    {"height_wafer_tilt_m", [](ProcessModel& p) -> double& { return p.height.wafer_tilt_m; },
     "rms tilt of waveguide height along x and y, over the radius of a wafer [m]."},
    {"height_die_m", [](ProcessModel& p) -> double& { return p.height.die_m; },
     "rms offset of waveguide height from die to die [m]."},
    {"height_field_m", [](ProcessModel& p) -> double& { return p.height.field_m; },
     "rms variation of waveguide height over a die, correlated by `kernel` [m]."},
    {"height_roughness_m", [](ProcessModel& p) -> double& { return p.height.roughness_m; },
     "rms height error of a 100 um arm that no other arm shares [m]."},
    {"correlation_length_m", [](ProcessModel& p) -> double& { return p.correlation_length_m; },
     "Correlation length of width and height over a die [m]."},
    {"index_per_width_per_m", [](ProcessModel& p) -> double& { return p.index_per_width_per_m; },
     "Change of effective index with waveguide width [1/m]."},
    {"index_per_height_per_m", [](ProcessModel& p) -> double& { return p.index_per_height_per_m; },
     "Change of effective index with waveguide height [1/m]."},
    {"eta_per_width_rad_per_m", [](ProcessModel& p) -> double& { return p.eta_per_width_rad_per_m; },
     "Change of a splitter's angle with width at constant gap [rad/m]."},
    {"eta_per_gap_rad_per_m", [](ProcessModel& p) -> double& { return p.eta_per_gap_rad_per_m; },
     "Change of a splitter's angle with its gap [rad/m]."},
    {"eta_per_height_rad_per_m", [](ProcessModel& p) -> double& { return p.eta_per_height_rad_per_m; },
     "Change of a splitter's angle with height [rad/m]."},
    {"gap_per_width", [](ProcessModel& p) -> double& { return p.gap_per_width; },
     "Change of a splitter's gap with width; -1: constant pitch."},
    {"heater_power_spread", [](ProcessModel& p) -> double& { return p.heater_power_spread; },
     "Relative rms spread of the heaters' power for a phase of pi."},
};

/// What processes and wafers are made of, for copies and files.
using ProcessState = std::pair<std::string, std::vector<double>>;

ProcessState state_of(ProcessModel process) {
  ProcessState state{std::string(name_of(process.kernel)), {}};
  for (const ProcessField& field : process_fields) state.second.push_back(field.of(process));
  return state;
}

ProcessModel process_of(const ProcessState& state) {
  ProcessModel process = shared_process();
  process.kernel = value_of_name<Kernel>(state.first);
  for (std::size_t i = 0; i < std::size(process_fields); ++i)
    process_fields[i].of(process) = state.second.at(i);
  return process;
}

using WaferState = std::tuple<ProcessState, double, double, double, double, std::vector<double>, double>;

WaferState state_of(const Wafer& w) {
  const FloorPlanSettings& l = w.layout;
  return {state_of(w.made.shared),
          w.made.wafer.radius_m,
          w.made.wafer.edge_exclusion_m,
          w.made.wafer.die_length_m,
          w.made.wafer.die_width_m,
          {l.mzi_length_m, l.mzi_width_m, l.coupler_length_m, l.heater_length_m},
          w.wavelength_m};
}

Wafer wafer_of(const WaferState& state) {
  const auto& [process, radius, exclusion, length, width, l, wavelength] = state;
  return new_wafer(process_of(process), radius, exclusion, length, width, {l.at(0), l.at(1), l.at(2), l.at(3)},
                   wavelength);
}

}  // namespace

void bind_wafers(nb::module_& m) {
  nb::class_<ProcessModel> process(
      m, "ProcessModel",
      "What neighbouring devices of a chip share: how width and height of "
      "waveguides vary over wafer and die, and "
      "what this does\n"
      "to phases, splitters and heaters.\n\n"
      "Starts as the keys of [fabrication] in studies do, and has their names; preset: \"default\" or "
      "\"openebl-2024\". "
      "White splitter errors and losses "
      "are those of the\n"
      "ErrorModel.");
  process.def(
      "__init__",
      [](ProcessModel* self, const std::string& preset) { new (self) ProcessModel(shared_process(preset)); },
      nb::arg("preset") = "default");
  for (const ProcessField& field : process_fields)
    process.def_prop_rw(
        field.name, [of = field.of](ProcessModel& p) { return of(p); },
        [of = field.of](ProcessModel& p, double value) {
          ProcessModel changed = p;
          of(changed) = value;
          validate_process(changed);
          p = changed;
        },
        field.meaning);
  named(process, "kernel", &ProcessModel::kernel,
        "Correlation at distance d: \"gaussian\" exp(-(d/l)^2) or \"exponential\" exp(-d/l).");
  process.def("__getstate__", [](const ProcessModel& p) { return state_of(p); });
  process.def("__setstate__", [](ProcessModel& self, const ProcessState& state) {
    new (&self) ProcessModel(process_of(state));
  });

  nb::class_<Wafer> wafer(m, "Wafer",
                          "Wafers of one process, cut into dies, for Mesh.fabricate() and Unit.calibrate(): "
                          "chips are their dies, wafer "
                          "after wafer,\n"
                          "and meshes lie at their places of the floor plan.");
  wafer.def(
      "__init__",
      [](Wafer* self, const ProcessModel& of, double radius_m, double edge_exclusion_m, double die_length_m,
         double die_width_m, const FloorPlanSettings& layout, double wavelength_m) {
        new (self)
            Wafer(new_wafer(of, radius_m, edge_exclusion_m, die_length_m, die_width_m, layout, wavelength_m));
      },
      nb::arg("process") = shared_process(), nb::kw_only(), nb::arg("radius_m") = WaferMap{}.radius_m,
      nb::arg("edge_exclusion_m") = WaferMap{}.edge_exclusion_m,
      nb::arg("die_length_m") = WaferMap{}.die_length_m, nb::arg("die_width_m") = WaferMap{}.die_width_m,
      nb::arg("layout") = FloorPlanSettings(), nb::arg("wavelength_m") = 1550e-9,
      "wavelength_m: of the light, for phases. Raises ValueError for an impossible process, lengths that are "
      "not "
      "positive, and a\n"
      "die that fits nowhere.");
  wafer.def_prop_ro("dies", &dies_of, nb::rv_policy::reference,
                    "Corner of every die from the centre of the wafer [m], float64 (dies, 2).");
  wafer.def("origin", &origin_of, nb::arg("chip"), "(wafer, die) of chip number `chip`.");
  wafer.def_prop_ro(
      "process", [](const Wafer& w) { return w.made.shared; }, "Its process, a copy.");
  wafer.def(
      "__getstate__", [](const Wafer& w) { return state_of(w); },
      nb::sig("def __getstate__(self) -> tuple[object, ...]"));
  wafer.def(
      "__setstate__", [](Wafer& self, const WaferState& state) { new (&self) Wafer(wafer_of(state)); },
      nb::sig("def __setstate__(self, state: tuple[object, ...]) -> None"));
  wafer.def("__repr__", [](const Wafer& w) {
    return fmt::format("<Wafer: {:g} mm, {} dies of {:g} x {:g} mm>", 2e3 * w.made.wafer.radius_m,
                       dies_on_wafer(w.made.wafer).size(), 1e3 * w.made.wafer.die_length_m,
                       1e3 * w.made.wafer.die_width_m);
  });
}

}  // namespace optinc::bindings
