#include <memory>
#include <optional>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "physics/core/check.hpp"
#include "physics/mesh/twin/fit_twin.hpp"
#include "physics/mesh/twin/plan_twin.hpp"
#include "physics/mesh/twin/twin_settings_rows.hpp"

#include "python/bindings/bindings.hpp"
#include "python/bindings/mesh.hpp"
#include "python/bindings/settings.hpp"

namespace optinc::bindings {
namespace {

/// A twin and the mesh that it is one of.
struct TwinOfMesh : MeshTwin {
  std::shared_ptr<const MeshWiring> wiring;
};

/// A twin as a pickle has it: mesh, errors, and scales and gains as they stand in MeshTwin.
using TwinState = std::tuple<Mesh, MeshErrors, std::vector<double>, std::vector<double>, std::vector<double>,
                             std::vector<double>>;

/// A fit whose twins know their mesh.
struct FitOfMesh : TwinFit {
  std::shared_ptr<const MeshWiring> wiring;
};

/// Words as columns, (ports, words), from an array (words, ports); the unit vectors where none is given.
Matrix words_of(const std::optional<ArrayLike>& given, int ports) {
  if (!given) return Matrix::Identity(ports, ports);
  const Matrix words = matrix_of(*given, "inputs").transpose();
  validate(words.rows() == ports, "inputs of {} ports for a mesh of {} (words x ports). Give a column a port.",
           words.rows(), ports);
  return words;
}

/// Row s of an array (settings, n), or zeros where none is given.
std::vector<Vector> rows_of(const std::optional<ArrayLike>& given, const char* name, std::size_t settings,
                            std::size_t n) {
  if (!given) return std::vector<Vector>(settings, Vector::Zero(static_cast<Eigen::Index>(n)));
  const auto array = array_of<double>(*given, name, 2);
  validate(array.shape(0) == settings && array.shape(1) == n,
           "{} of shape {} (settings x {}: {} x {}). Give {}.", name, shape_text(shape_of(array)), name,
           settings, n, "this shape");
  std::vector<Vector> rows;
  for (std::size_t s = 0; s < settings; ++s)
    rows.push_back(Eigen::Map<const Vector>(array.data() + s * n, static_cast<Eigen::Index>(n)));
  return rows;
}

/// Readings (settings, words, ports) as (ports, words) a setting.
template <class T>
auto readings_of(const ArrayLike& given, const char* name, std::size_t settings, std::size_t words,
                 std::size_t ports) {
  using Values = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>;
  const auto array = array_of<T>(given, name, 3);
  validate(array.shape(0) == settings && array.shape(1) == words && array.shape(2) == ports,
           "{} of shape {} (settings x words x ports: {} x {} x {}). Give this shape.", name,
           shape_text(shape_of(array)), settings, words, ports);
  std::vector<Values> all;
  for (std::size_t s = 0; s < settings; ++s)
    all.emplace_back(Eigen::Map<const Values>(
        array.data() + s * words * ports, static_cast<Eigen::Index>(ports), static_cast<Eigen::Index>(words)));
  return all;
}

FitOfMesh fit(const Mesh& mesh, const ArrayLike& theta, const ArrayLike& phi,
              const std::optional<ArrayLike>& powers, const std::optional<ArrayLike>& fields,
              const std::optional<ArrayLike>& inputs, const std::optional<ArrayLike>& output_phase,
              const TwinSettings& settings, const TwinOfMesh* start) {
  const auto wiring = mesh.wiring;
  const MeshTopology& t = wiring->topology;
  const auto mzis = t.mzis.size(), ports = static_cast<std::size_t>(t.ports);
  const std::size_t count = array_of<double>(theta, "theta", 2).shape(0);
  TwinData data{t, {}, words_of(inputs, t.ports), {}, {}};
  const auto words = static_cast<std::size_t>(data.inputs.cols());
  const auto thetas = rows_of(theta, "theta", count, mzis), phis = rows_of(phi, "phi", count, mzis),
             screens = rows_of(output_phase, "output_phase", count, ports);
  for (std::size_t s = 0; s < count; ++s) data.settings.push_back({thetas[s], phis[s], screens[s]});
  if (powers) data.powers_w = readings_of<double>(*powers, "powers", count, words, ports);
  if (fields) data.fields = readings_of<Complex>(*fields, "fields", count, words, ports);
  validate(start == nullptr || start->wiring->topology == t,
           "a start of another mesh (a twin has one wiring). Make it with MeshTwin(mesh).");
  const MeshTwin from = start != nullptr ? MeshTwin(*start) : nominal_twin(t);
  return {working(true, [data = std::move(data), settings, from] { return fit_twin(data, settings, from); }),
          wiring};
}

/// Phases of all settings, (settings, n).
Array<double> stacked(const std::vector<MeshProgram>& settings, Vector MeshProgram::*member) {
  const auto n = settings.empty() ? 0 : static_cast<std::size_t>((settings.front().*member).size());
  auto array = new_array<double>({settings.size(), n});
  for (std::size_t s = 0; s < settings.size(); ++s)
    std::copy_n((settings[s].*member).data(), n, array.data() + s * n);
  return array;
}

TwinPlan plan(const Mesh& mesh, const TwinSettings& settings, double splitter_error_rad,
              const std::optional<ArrayLike>& inputs, bool fields, std::uint64_t seed) {
  const MeshTopology topology = mesh.wiring->topology;
  const Matrix words = words_of(inputs, topology.ports);
  TwinPlanSettings wanted;
  wanted.splitter_error_rad = splitter_error_rad;
  wanted.fields = fields;
  wanted.seed = seed;
  return working(true, [=] { return plan_twin(topology, words, settings, wanted, nominal_twin(topology)); });
}

/// A writable array of a twin.
void numbers(nb::class_<TwinOfMesh>& c, const char* name, Vector MeshTwin::*member, const char* meaning) {
  c.def_prop_rw(
      name,
      [member](nb::handle_t<TwinOfMesh> self) { return view_of(nb::cast<TwinOfMesh&>(self).*member, self); },
      [member, name](TwinOfMesh& twin, const ArrayLike& given) { assign(twin.*member, given, name); }, meaning);
}

Array<Complex> fields_of_twin(const TwinOfMesh& twin, const Mesh& mesh,
                              const std::optional<ArrayLike>& inputs) {
  validate(mesh.wiring->topology == twin.wiring->topology,
           "a mesh of another wiring than the twin's (phases belong to MZIs). Give phases of this mesh.");
  const MeshTopology& t = mesh.wiring->topology;
  const Matrix out = twin_fields(t, twin, mesh.program, words_of(inputs, t.ports));
  return array_of_matrix(out.transpose());
}

void bind_reports(nb::module_& m) {
  nb::class_<TwinKindReport>(m, "TwinKindReport", "What measurements say of one kind of a twin's parameters.")
      .def_prop_ro(
          "kind", [](const TwinKindReport& r) { return std::string(name_of(r.kind)); }, "Name of the kind.")
      .def_ro("fitted", &TwinKindReport::fitted, "Number of parameters of this kind.")
      .def_ro("told", &TwinKindReport::told, "Number of them that the readings determine one by one.")
      .def_ro("unseen", &TwinKindReport::unseen,
              "Share of this kind in the directions that change no reading, in directions.")
      .def_ro("standard_error", &TwinKindReport::standard_error,
              "RMS standard error of those that are determined [rad, 1 or dB]; NaN without any.")
      .def("__repr__", [](const TwinKindReport& r) {
        return fmt::format("<{}: {} of {} told, {:.1f} unseen directions, standard error {:.3g}>",
                           name_of(r.kind), r.told, r.fitted, r.unseen, r.standard_error);
      });
  nb::class_<TwinError>(m, "TwinError", "How well a twin predicts readings.")
      .def_ro("readings", &TwinError::readings, "Number of readings.")
      .def_ro("rms", &TwinError::rms, "RMS difference [W], or of each quadrature of a field [sqrt(W)].")
      .def_ro("sigma", &TwinError::sigma, "RMS difference in units of the noise; NaN where none is known.");
}

}  // namespace

void bind_twin(nb::module_& m) {
  auto c = settings<TwinSettings>(m, "TwinSettings",
                                  "What a digital twin is fitted for, and how. All values can be set.");
  c.def(nb::init<>(), "The default: splitters, phase offsets, imbalances of arms and gains of ports.");
  properties(c);
  bind_reports(m);

  nb::class_<TwinOfMesh> twin(
      m, "MeshTwin",
      "The digital twin of a mesh on a bench: its errors, the response of its heaters, and "
      "the gains of its ports.");
  twin.def(
      "__init__",
      [](TwinOfMesh* self, const Mesh& mesh, double arm_loss_db) {
        new (self) TwinOfMesh{nominal_twin(mesh.wiring->topology, arm_loss_db), mesh.wiring};
      },
      nb::arg("mesh"), nb::arg("arm_loss_db") = 0.0,
      "The twin of a mesh without errors, whose arms all lose `arm_loss_db` [dB].");
  twin.def_prop_ro(
      "errors", [](TwinOfMesh& t) -> MeshErrors& { return t.errors; }, nb::rv_policy::reference_internal,
      "Errors of splitters, phases and losses; Mesh.corrected() takes them.");
  numbers(twin, "theta_scale", &MeshTwin::theta_scale,
          "Phase of every internal heater over the phase that was asked for, (MZIs,).");
  numbers(twin, "phi_scale", &MeshTwin::phi_scale, "The same of the external heaters, (MZIs,).");
  numbers(twin, "input_gain_db", &MeshTwin::input_gain_db,
          "Power that the inputs pass, couplers included [dB], (ports,).");
  numbers(twin, "output_gain_db", &MeshTwin::output_gain_db,
          "Power that the outputs pass, detectors included [dB], (ports,).");
  twin.def(
      "__getstate__",
      [](const TwinOfMesh& t) {
        const auto list = [](const Vector& v) { return std::vector<double>(v.begin(), v.end()); };
        const Vector none = Vector::Zero(t.theta_scale.size());
        const MeshProgram dark = {none, none, Vector::Zero(t.input_gain_db.size())};
        return TwinState(Mesh{t.wiring, dark}, t.errors, list(t.theta_scale), list(t.phi_scale),
                         list(t.input_gain_db), list(t.output_gain_db));
      },
      nb::sig("def __getstate__(self) -> tuple[object, ...]"));
  twin.def(
      "__setstate__",
      [](TwinOfMesh& self, const TwinState& state) {
        const auto vector = [](const std::vector<double>& v) {
          return Vector(Eigen::Map<const Vector>(v.data(), static_cast<Eigen::Index>(v.size())));
        };
        const auto& [mesh, errors, theta, phi, input, output] = state;
        new (&self)
            TwinOfMesh{{errors, vector(theta), vector(phi), vector(input), vector(output)}, mesh.wiring};
      },
      nb::sig("def __setstate__(self, state: tuple[object, ...]) -> None"));
  twin.def("fields", &fields_of_twin, nb::arg("mesh"), nb::arg("inputs") = nb::none(),
           "Fields that detectors read with the phases of `mesh`, complex128 (words, ports) [sqrt(W)].\n\n"
           "inputs: fields that are sent, (words, ports); none: 1 W into one port after the other. Powers are "
           "abs(fields)**2.\n"
           "Raises ValueError for a mesh of another wiring.");

  nb::class_<FitOfMesh> found(m, "TwinFit",
                              "A digital twin that was fitted to measurements. Made by fit_twin().");
  const auto of_mesh = [&](const char* name, MeshTwin TwinFit::*member, const char* meaning) {
    found.def_prop_ro(
        name,
        [member](const FitOfMesh& f) {
          return TwinOfMesh{f.*member, f.wiring};
        },
        meaning);
  };
  of_mesh("twin", &TwinFit::twin, "The twin, a copy.");
  of_mesh(
      "standard_error", &TwinFit::standard_error,
      "Standard error of each of its numbers; infinite where readings do not determine it, 0 where it was not "
      "fitted.");
  found.def_ro("kinds", &TwinFit::kinds, "What the readings say of every kind of parameters.")
      .def_ro("parameters", &TwinFit::parameters, "Number of fitted parameters.")
      .def_ro("unseen", &TwinFit::unseen, "Number of directions of the parameters that change no reading.")
      .def_ro("fitted", &TwinFit::fitted, "Error of the readings that were fitted.")
      .def_ro("held_out", &TwinFit::held_out, "Error of the readings that the fit did not see.")
      .def_ro("outliers", &TwinFit::outliers, "Share of fitted readings beyond settings.outlier.")
      .def_ro("converged", &TwinFit::converged, "Whether the fit came to a minimum.")
      .def("__repr__", [](const FitOfMesh& f) {
        return fmt::format("<TwinFit: {} parameters, {} unseen directions, held-out error {:.3g}>",
                           f.parameters, f.unseen, f.held_out.rms);
      });

  nb::class_<TwinPlan>(m, "TwinPlan", "Settings to be measured for a digital twin. Made by plan_twin().")
      .def_prop_ro(
          "theta", [](const TwinPlan& p) { return stacked(p.settings, &MeshProgram::theta); },
          nb::rv_policy::reference, "Internal phases [rad], (settings, MZIs).")
      .def_prop_ro(
          "phi", [](const TwinPlan& p) { return stacked(p.settings, &MeshProgram::phi); },
          nb::rv_policy::reference, "External phases [rad], (settings, MZIs).")
      .def_ro("kinds", &TwinPlan::kinds, "What the readings will say of every kind of parameters.")
      .def_ro("parameters", &TwinPlan::parameters, "Number of parameters.")
      .def_ro("unseen", &TwinPlan::unseen, "Number of directions of the parameters that change no reading.")
      .def("__repr__", [](const TwinPlan& p) {
        return fmt::format("<TwinPlan: {} settings, {} parameters, {} unseen directions>", p.settings.size(),
                           p.parameters, p.unseen);
      });

  m.def("fit_twin", &fit, nb::arg("mesh"), nb::arg("theta"), nb::arg("phi"), nb::arg("powers") = nb::none(),
        nb::arg("fields") = nb::none(), nb::arg("inputs") = nb::none(), nb::arg("output_phase") = nb::none(),
        nb::arg("settings") = TwinSettings(), nb::arg("start").none() = nb::none(),
        "Fits a digital twin to what was read behind a mesh at known phases.\n\n"
        "mesh: says the wiring. theta, phi: phases that were asked for [rad], (settings, MZIs); output_phase: "
        "(settings, "
        "ports),\n"
        "or 0. powers [W] or fields [sqrt(W)]: (settings, words, ports); a power may be NaN, where nothing was "
        "read. "
        "inputs:\n"
        "fields that were sent at every setting, (words, ports); none: 1 W into one port after the other. "
        "start: where "
        "the\n"
        "search begins, and the losses that are not fitted; none: a mesh without errors. Raises ValueError for "
        "other "
        "shapes.");
  m.def("plan_twin", &plan, nb::arg("mesh"), nb::arg("settings"), nb::arg("splitter_error_rad") = 1e-3,
        nb::arg("inputs") = nb::none(), nb::arg("fields") = false, nb::arg("seed") = 1,
        "The least number of random settings with which splitters are known to `splitter_error_rad` [rad] "
        "rms.\n\n"
        "settings.noise: the error of a reading. inputs: as fit_twin() has them. fields: whether fields are "
        "read. Raises "
        "ValueError\n"
        "without noise, and for more than 100,000 settings.");
}

}  // namespace optinc::bindings
