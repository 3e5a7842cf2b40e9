#include <optional>
#include <span>

#include <fmt/format.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include "onn/hardware/unit_parts.hpp"
#include "onn/training/on_chip.hpp"
#include "onn/training/settings_rows.hpp"
#include "onn/training/trainer.hpp"
#include "physics/core/check.hpp"

#include "python/bindings/arrays.hpp"
#include "python/bindings/bindings.hpp"
#include "python/bindings/settings.hpp"

namespace optinc::bindings {
namespace {

using Progress = std::optional<nb::callable>;

TrainingResult trained(const Task& task, const std::vector<int>& hidden, const TrainingSettings& settings,
                       std::uint64_t seed, const ModelOrPreset& model, const UnitHardware& hardware,
                       NoiseSwitches noise, const std::optional<Network>& start, const Progress& progress) {
  validate(!settings.on_chips || start.has_value(),
           "training through chips without a network to begin with (settings.on_chips goes on from one). Give "
           "start.");
  validate_hardware(hardware);
  const TrainingUnit unit{model_of(model), hardware, noise};
  const auto report = [&](const EpochReport& epoch) {
    const nb::gil_scoped_acquire locked;
    if (progress) (*progress)(epoch);
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
  };
  const int with = threads();
  return working([&] {
    return settings.on_chips
               ? train_on_chips(*start, settings, unit, {seed, with, report})
               : train(task, hidden, settings, {seed, with, report}, start ? &*start : nullptr, unit);
  });
}

void bind_settings(nb::module_& m) {
  auto c = settings<TrainingSettings>(m, "TrainingSettings",
                                      "How train() trains. Impossible values raise ValueError there.");
  c.def(nb::init<>());
  properties(c);
}

void bind_result(nb::module_& m) {
  nb::class_<EpochReport>(m, "EpochReport", "One epoch of a training.")
      .def_ro("epoch", &EpochReport::epoch, "Number of the epoch, from 1.")
      .def_ro("loss", &EpochReport::loss, "Mean loss of the batches of the epoch.")
      .def_ro("word_accuracy", &EpochReport::word_accuracy,
              "Share of all words that are right after the epoch.")
      .def_ro("margin", &EpochReport::margin,
              "Distance of the worst output from its nearest threshold [digits]; above 0 when every word is "
              "right.")
      .def_ro("learning_rate", &EpochReport::learning_rate, "Step of Adam.")
      .def_ro("seconds", &EpochReport::seconds, "Time since the start [s].")
      .def("__repr__", [](const EpochReport& e) {
        return fmt::format("<EpochReport {}: loss {:.3g}, {:.4f} of words right>", e.epoch, e.loss,
                           e.word_accuracy);
      });
  nb::class_<TrainingResult>(m, "TrainingResult", "Result of train().")
      .def_ro("network", &TrainingResult::network, nb::rv_policy::copy,
              "The network; Unit() makes a unit of it.")
      .def_ro("curve", &TrainingResult::curve, nb::rv_policy::copy, "EpochReport of every epoch.")
      .def_ro("seconds", &TrainingResult::seconds, "Time taken [s].");
}

}  // namespace

void bind_training(nb::module_& m) {
  bind_settings(m);
  bind_result(m);
  m.def(
      "train", &trained, nb::arg("task"), nb::arg("hidden"), nb::arg("settings") = TrainingSettings(),
      nb::kw_only(), nb::arg("seed") = 1, nb::arg("model") = "ideal", nb::arg("hardware") = unit_of_parts(),
      nb::arg("noise") = NoiseSwitches::all(), nb::arg("start") = nb::none(), nb::arg("progress") = nb::none(),
      "Trains a network of the hidden widths for the task: TrainingResult.\n\n"
      "The same seed gives the same network, whatever the threads. `model`, `hardware` and `noise` describe "
      "the unit whose\n"
      "chips and noise settings.on_chips and settings.noise bring into training. `start`: a Network to go on "
      "from. `progress`\n"
      "is called with the EpochReport of every epoch; Ctrl-C ends training there. Raises ValueError for "
      "impossible settings\n"
      "and widths, and where the loss is no longer finite.",
      nb::sig("def train(task: Task, hidden: collections.abc.Sequence[int], settings: TrainingSettings = ..., "
              "*, seed: int = 1, model: ErrorModel | str = 'ideal', hardware: UnitHardware = ..., noise: "
              "NoiseSwitches = ..., start: Network | None = None, progress: "
              "collections.abc.Callable[[EpochReport], object] | None = None) -> TrainingResult"));
}

}  // namespace optinc::bindings
