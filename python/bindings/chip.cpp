#include <cmath>
#include <tuple>
#include <utility>
#include <vector>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include "onn/chip/calibration_settings_rows.hpp"
#include "onn/chip/crosstalk.hpp"
#include "onn/chip/crosstalk_settings_rows.hpp"
#include "onn/chip/drift.hpp"
#include "onn/chip/drift_settings_rows.hpp"
#include "onn/chip/heater_power.hpp"
#include "onn/hardware/unit_parts.hpp"
#include "onn/link/oscillators.hpp"
#include "onn/training/diagonal_calibration.hpp"
#include "physics/core/check_values.hpp"

#include "python/bindings/arrays.hpp"
#include "python/bindings/settings.hpp"
#include "python/bindings/units.hpp"

namespace optinc::bindings {

Chip fabricate_unit(const Unit& unit, const ModelOrPreset& given, std::uint64_t seed, std::uint32_t number) {
  const ErrorModel model = model_of(given);
  const Working working;
  return {unit, model, seed, number, fabricate(unit.parts->design, model, seed, number), {}};
}

Chip calibrate_unit(const Unit& unit, const ModelOrPreset& given, const CalibrationSettings& settings,
                    std::uint64_t seed, std::uint32_t number, std::uint32_t calibration, const Wafer* wafer) {
  const ErrorModel model = model_of(given);
  const std::optional<Wafer> from = wafer != nullptr ? std::optional(*wafer) : std::nullopt;
  const Working working;
  const SharedVariation variation = from ? from->variation(meshes_of(unit.parts->design)) : SharedVariation{};
  CalibratedChip chip = calibrate(unit.parts->design, model, settings, {seed, number, calibration}, variation);
  return {unit,
          model,
          seed,
          number,
          std::move(chip.errors),
          std::move(chip.known),
          settings,
          std::move(chip.static_phases),
          std::move(chip.heater_power)};
}

namespace {

void validate_chip_losses(const ChipErrors& errors) {
  for (const auto& blocks : errors.layers)
    for (const BlockErrors& block : blocks) {
      validate_losses(block.mesh);
      validate_losses(block.attenuators);
    }
}

/// The chip as light meets it at an instant: phase noise is drawn unless fabrication drew it.
ChipState settled(const ProgrammedChip& p, const ChipErrors& errors, const LightSince& light,
                  std::uint32_t instant) {
  const Chip& chip = p.fabricated;
  return settle_operated(
      p.design(), p.operated,
      chip.known ? with_phase_noise(errors, chip.model, chip.seed, chip.number, instant) : errors, light,
      chip.model, p.hardware);
}

ProgrammedChip programmed(const Chip& chip, bool correct, const UnitHardware& hardware,
                          const CrosstalkSettings& crosstalk, const TrainingSettings& training) {
  validate_hardware(hardware);
  validate_crosstalk_settings(crosstalk);
  ProgrammedChip p{chip, hardware, {}, {}};  // as it is now: another thread may change its errors
  validate_chip_losses(p.fabricated.errors);
  if (p.fabricated.known) validate_chip_losses(*p.fabricated.known);
  const CalibrationPolicy policy = chip.calibration.policy;
  const bool fitted = policy == CalibrationPolicy::in_situ || policy == CalibrationPolicy::twin ||
                      chip.calibration.diagonal_epochs > 0;
  return working(fitted, [correct, crosstalk, training, p = std::move(p)]() mutable {
    const Chip& now = p.fabricated;
    const CalibratedChip calibrated = {
        now.errors, now.known ? *now.known : now.errors, now.static_phases, now.heater_power, {}};
    const SensitivitySettings at_calibration;  // where nothing has changed
    const Operation operation = {now.model,  now.calibration, crosstalk, at_calibration,
                                 p.hardware, now.seed,        {}};
    const Programming how = correct ? Programming::corrected : Programming::uncorrected;
    auto design = retrained_design(now.design(), operation, calibrated, now.number, how,
                                   {training, NoiseSwitches::all(), threads()});
    p.operated = operate_chip(*design, operation, calibrated, now.number, how);
    p.operated.design = std::move(design);
    p.state = settled(p, p.operated.errors, {}, 0);
    return std::move(p);
  });
}

/// The same chip after a change, its light so much changed.
ProgrammedChip changed(const ProgrammedChip& p, const Environment& change, const LightSince& light,
                       std::uint32_t instant, const SensitivitySettings& sensitivity) {
  validate_sensitivity(sensitivity);
  ProgrammedChip later = p;
  const Chip& chip = later.fabricated;
  const ChipErrors errors = errors_in(change, later.operated.errors, later.operated.heaters,
                                      draw_imbalance(later.design(), sensitivity, chip.seed, chip.number),
                                      sensitivity, later.hardware);
  later.state = settled(later, errors, light, instant);
  return later;
}

ProgrammedChip in_environment(const ProgrammedChip& p, double temperature_k, double wavelength_m,
                              std::uint32_t instant, const SensitivitySettings& sensitivity) {
  for (const auto& [name, value] :
       {std::pair("temperature_k", temperature_k), std::pair("wavelength_m", wavelength_m)})
    validate_field(std::isfinite(value), name, "{} (a finite change). Give a number.", value);
  const Environment change = {temperature_k, wavelength_m};
  const Working working;
  return changed(p, change, {settled_lag_rad_per_m(change, p.hardware), 0.0}, instant, sensitivity);
}

ProgrammedChip in_service(const ProgrammedChip& p, const DriftHistory& history, std::uint32_t instant,
                          const std::vector<std::size_t>& given, const SensitivitySettings& sensitivity) {
  const std::size_t instants = history.time_s.size();
  const std::vector<std::size_t> calibrated = given.empty() ? std::vector<std::size_t>(instants) : given;
  validate(instant < instants, "instant {} of {} (0..{}). Choose one of them.", instant, instants,
           instants - 1);
  validate(calibrated.size() == instants,
           "calibrated has {} instants and history {} (as many). Give DriftSettings.calibrated().",
           calibrated.size(), instants);
  for (std::size_t k = 0; k < instants; ++k)
    validate(calibrated[k] <= k,
             "calibrated[{}] = {} (calibrated before it is used). Give DriftSettings.calibrated().", k,
             calibrated[k]);
  const std::size_t since = calibrated[instant];
  const Working working;
  return changed(
      p, history.between(since, instant),
      {oscillator_lag_rad_per_m(history, calibrated, p.hardware)[instant], history.brighter_db(since, instant)},
      instant, sensitivity);
}

DriftHistory drift_of(const ProgrammedChip& p, const DriftSettings& settings) {
  validate_drift(settings);
  return working([&] {
    return drift_history(settings, p.hardware.die,
                         heater_power_w(p.operated.heaters, p.hardware.heater.p_pi_w, p.operated.heater_power),
                         p.fabricated.seed, p.fabricated.number);
  });
}

/// The errors of every block, [layer][block], as objects that write into the chip's own.
nb::list layers_of(nb::handle_t<ChipErrors> self) {
  nb::list layers;
  for (auto& blocks : nb::cast<ChipErrors&>(self).layers) {
    nb::list of_layer;
    for (BlockErrors& block : blocks)
      of_layer.append(nb::cast(&block, nb::rv_policy::reference_internal, self));
    layers.append(of_layer);
  }
  return layers;
}

/// What pickle keeps of a chip's errors: mesh and attenuators of every block.
using ErrorsOfChip = std::vector<std::vector<std::tuple<MeshErrors, MeshErrors>>>;

ErrorsOfChip state_of(const ChipErrors& errors) {
  ErrorsOfChip state;
  for (const auto& blocks : errors.layers) {
    state.emplace_back();
    for (const BlockErrors& block : blocks) state.back().emplace_back(block.mesh, block.attenuators);
  }
  return state;
}

ChipErrors errors_of(const ErrorsOfChip& state) {
  ChipErrors errors;
  for (const auto& blocks : state) {
    errors.layers.emplace_back();
    for (const auto& [mesh, attenuators] : blocks) errors.layers.back().push_back({mesh, attenuators});
  }
  return errors;
}

/// Numbers of every phase of a chip: theta, phi and output screen of each mesh and its attenuators.
using NumbersOfChip = std::vector<std::vector<std::vector<Array<double>>>>;

NumbersOfChip state_of(const ChipProgram& program) {
  NumbersOfChip state;
  for (const auto& blocks : program.layers) {
    state.emplace_back();
    for (const BlockProgram& block : blocks) {
      auto& arrays = state.back().emplace_back();
      for (const MeshProgram* mesh : {&block.mesh, &block.attenuators})
        for (const Vector* values : {&mesh->theta, &mesh->phi, &mesh->output_phase})
          arrays.push_back(array_of_vector(*values));
    }
  }
  return state;
}

ChipProgram numbers_of(const NumbersOfChip& state) {
  ChipProgram program;
  for (const auto& blocks : state) {
    program.layers.emplace_back();
    for (const auto& arrays : blocks) {
      BlockProgram block;
      std::size_t next = 0;
      for (MeshProgram* mesh : {&block.mesh, &block.attenuators})
        for (Vector* values : {&mesh->theta, &mesh->phi, &mesh->output_phase}) {
          const auto& array = arrays.at(next++);
          values->resize(static_cast<Eigen::Index>(array.size()));
          assign(*values, nb::cast(array), "phases");
        }
      program.layers.back().push_back(block);
    }
  }
  return program;
}

using StateOfChip = std::tuple<Unit, ErrorModel, std::uint64_t, std::uint32_t, ErrorsOfChip,
                               std::optional<ErrorsOfChip>, CalibrationSettings, NumbersOfChip, NumbersOfChip>;

void bind_errors_of_chip(nb::module_& m) {
  nb::class_<BlockErrors>(m, "BlockErrors", "Errors of one block: its mesh, and the attenuators behind it.")
      .def_prop_ro(
          "mesh", [](BlockErrors& b) -> MeshErrors& { return b.mesh; }, nb::rv_policy::reference_internal,
          "Errors of the mesh, writable.")
      .def_prop_ro(
          "attenuators", [](BlockErrors& b) -> MeshErrors& { return b.attenuators; },
          nb::rv_policy::reference_internal, "Errors of the attenuators, writable.");
  nb::class_<ChipErrors>(m, "ChipErrors", "Errors of a whole chip.")
      .def_prop_ro("layers", &layers_of,
                   "BlockErrors of every block, [layer][block]; they write into the chip.",
                   nb::for_getter(nb::sig("def layers(self) -> list[list[BlockErrors]]")));
}

void bind_calibration_settings(nb::module_& m) {
  auto c = settings<CalibrationSettings>(
      m, "CalibrationSettings",
      "What calibration finds out about a chip before it is programmed: Unit.calibrate().");
  c.def(nb::init<>());
  properties(c);
  auto heat = settings<CrosstalkSettings>(m, "CrosstalkSettings",
                                          "Heat that the heaters of a mesh give the arms around them, and how "
                                          "much of it is corrected: Chip.program().");
  heat.def(nb::init<>());
  properties(heat);
}

}  // namespace

void bind_sensitivity(nb::module_& m) {
  auto c = settings<SensitivitySettings>(
      m, "SensitivitySettings", "How a chip's phases and splitters respond to temperature and wavelength.");
  c.def(nb::init<>());
  properties(c);
}

namespace {

void bind_drift_settings(nb::module_& m) {
  auto c = settings<DriftSettings>(m, "DriftSettings", "How the environment of a chip changes in operation.");
  c.def(nb::init<>());
  properties(c);
  c.def(
      "calibrated",
      [](const DriftSettings& s) {
        validate_drift(s);
        return calibration_instants(s);
      },
      "Instant of the last calibration at or before each instant, where one is due every recalibrate_s: a list "
      "of "
      "`instants` numbers.\n\n"
      "Raises ValueError for impossible settings.");
  nb::class_<DriftHistory>(m, "DriftHistory", "Environment of a chip over time, float64 (instants,) each.")
      .def_prop_ro(
          "time_s",
          [](const DriftHistory& h) {
            return array_of_vector<double>(
                Eigen::Map<const Vector>(h.time_s.data(), static_cast<Eigen::Index>(h.time_s.size())));
          },
          nb::rv_policy::reference, "Time since calibration [s].")
      .def_prop_ro(
          "ambient_k", [](const DriftHistory& h) { return array_of_vector(h.ambient_k); },
          nb::rv_policy::reference, "Ambient temperature relative to its mean [K].")
      .def_prop_ro(
          "die_k", [](const DriftHistory& h) { return array_of_vector(h.die_k); }, nb::rv_policy::reference,
          "Die temperature relative to the mean ambient [K].")
      .def_prop_ro(
          "wavelength_m", [](const DriftHistory& h) { return array_of_vector(h.wavelength_m); },
          nb::rv_policy::reference, "Laser wavelength relative to its mean [m].")
      .def_prop_ro(
          "light_db", [](const DriftHistory& h) { return array_of_vector(h.light_db); },
          nb::rv_policy::reference, "Power of the servers' light relative to its mean [dB].");
}

}  // namespace

void bind_chip(nb::module_& m) {
  bind_errors_of_chip(m);
  bind_calibration_settings(m);
  bind_drift_settings(m);
  nb::class_<Chip>(m, "Chip",
                   "A fabricated unit that is not programmed yet. Made by Unit.fabricate() and "
                   "Unit.calibrate().")
      .def_prop_ro(
          "errors", [](Chip& c) -> ChipErrors& { return c.errors; }, nb::rv_policy::reference_internal,
          "Its errors, writable: those of fabrication and, after calibration, the phases that this left.")
      .def_prop_ro(
          "known", [](Chip& c) { return c.known ? &*c.known : nullptr; }, nb::rv_policy::reference_internal,
          "Its errors as calibration found them, which program() corrects for; writable. None: all of them, "
          "exactly.",
          nb::for_getter(nb::sig("def known(self) -> ChipErrors | None")))
      .def_ro("seed", &Chip::seed, "Seed of all its random numbers.")
      .def_ro("number", &Chip::number, "Number of the chip.")
      .def(
          "program", &programmed, nb::arg("correct") = true, nb::arg("hardware") = unit_of_parts(),
          nb::arg("crosstalk") = CrosstalkSettings(), nb::arg("training") = TrainingSettings(),
          "The chip in operation, with the errors and the hardware as they are now.\n\n"
          "correct: whether phases are corrected for the splitters of its errors. crosstalk: heat from heater "
          "to heater, added\n"
          "to the phases of each mesh. Where calibration asks for it (CalibrationSettings.diagonal_epochs), "
          "the "
          "chip's\n"
          "attenuators and biases are trained again on its own meshes, with the batch, dead zone and noise of "
          "`training`. Raises\n"
          "ValueError, naming the MZI, where an error is NaN or infinite or a loss is negative, for impossible "
          "settings, and for\n"
          "networks whose diagonals cannot be trained.")
      .def(
          "__getstate__",
          [](const Chip& c) {
            return StateOfChip(c.unit, c.model, c.seed, c.number, state_of(c.errors),
                               c.known ? std::optional(state_of(*c.known)) : std::nullopt, c.calibration,
                               state_of(c.static_phases), state_of(c.heater_power));
          },
          nb::sig("def __getstate__(self) -> tuple[object, ...]"))
      .def(
          "__setstate__",
          [](Chip& self, const StateOfChip& state) {
            const auto& [unit, model, seed, number, errors, known, calibration, phases, power] = state;
            new (&self) Chip{unit,
                             model,
                             seed,
                             number,
                             errors_of(errors),
                             known ? std::optional(errors_of(*known)) : std::nullopt,
                             calibration,
                             numbers_of(phases),
                             numbers_of(power)};
          },
          nb::sig("def __setstate__(self, state: tuple[object, ...]) -> None"))
      .def("__repr__", [](const Chip& c) { return described("Chip", c.unit); });
}

void bind_environment(nb::class_<ProgrammedChip>& c) {
  c.def("at", &in_environment, nb::arg("temperature_k") = 0.0, nb::arg("wavelength_m") = 0.0,
        nb::arg("instant") = 0, nb::arg("sensitivity") = SensitivitySettings(),
        "The chip with the phases it was programmed with, where the die is warmer than at calibration by "
        "temperature_k [K] and\n"
        "the laser's wavelength longer by wavelength_m [m].\n\n"
        "Paths of unequal length, heaters and splitters answer as `sensitivity` says. A chip of "
        "Unit.calibrate() has the phase\n"
        "noise of `instant`; one of Unit.fabricate() keeps what fabrication drew. Direct oscillators "
        "(hardware.link.oscillators)\n"
        "turn with it; those with a phase lock have followed. Raises ValueError for changes that are not "
        "finite.");
  c.def(
      "in_service", &in_service, nb::arg("history"), nb::arg("instant"),
      nb::arg("calibrated") = std::vector<std::size_t>(), nb::arg("sensitivity") = SensitivitySettings(),
      "The chip at an instant of what drift() gave, where it was programmed at instant calibrated[instant].\n\n"
      "As at(), but phase locks follow no faster than their loops, and the servers' light drifts. calibrated: "
      "one instant for\n"
      "each (DriftSettings.calibrated()); none: the first calibration is the last. A chip that is calibrated "
      "again is that of\n"
      "Unit.calibrate(number=..), programmed; optinc.Service does this on schedule. Raises ValueError for "
      "instants that are\n"
      "not there.");
  c.def("drift", &drift_of, nb::arg("settings") = DriftSettings(),
        "What the chip sees in operation: DriftHistory of ambient, die and wavelength, drawn for its seed and "
        "number.\n\n"
        "The die warms up by its heaters and follows the ambient. at() takes differences of two instants. "
        "Raises ValueError for\n"
        "impossible settings.");
}

}  // namespace optinc::bindings
