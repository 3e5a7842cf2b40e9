#pragma once

#include "experiments/study/learner_settings_rows.hpp"
#include "experiments/study/ruled_networks.hpp"
#include "experiments/study/study_config_rows.hpp"
#include "onn/budget/settings_rows.hpp"
#include "onn/chip/calibration_settings_rows.hpp"
#include "onn/chip/crosstalk_settings_rows.hpp"
#include "onn/chip/drift_settings_rows.hpp"
#include "onn/hardware/unit_hardware_rows.hpp"
#include "onn/task/task_rows.hpp"
#include "onn/training/settings_rows.hpp"
#include "physics/variation/error_model_rows.hpp"
#include "physics/variation/fabrication_settings_rows.hpp"

// All rows of a study, section by section. A new key is one row beside its struct: its check, explain, its
// place in TOML files and HDF5 attributes, its Python property and docstring come from there.

namespace optinc {

/// Calls visitor(section name, Row, member&) for every field of a study, in the order of the file.
template <Like<StudyConfig> S, class Visitor>
void visit_config(S& s, Visitor&& visit) {
  const auto section = [&](std::string_view name, auto& settings) {
    visit_rows(settings, [&](const Row& info, auto& member) { visit(name, info, member); });
  };
  const auto above = [&](const Row& info, auto& member) { visit(std::string_view{}, info, member); };
  above(Row{"study", "1", "Name of the study"}, s.study);
  above(name_row("model", what_trials_simulate(), model_names()), s.model);
  above(name_row("figures", "Figures to draw; empty list: every figure for which the result has data",
                 figure_names()),
        s.figures);
  section("run", s.run);
  section("runner", s.runner);
  section("measure", s.measure);
  section("yield", s.yield);
  section("task", s.task);
  section("network", s.network);
  section("training", s.training);
  section("chip", s.chip);
  section("chip", s.measured_chip);
  section("fabrication", s.fabrication);
  section("calibration", s.calibration);
  section("crosstalk", s.crosstalk);
  section("environment", s.environment);
  section("parts", s.parts);
  visit_hardware(s.hardware, section);
  section("noise", s.noise);
  section("stand_in", s.stand_in);
  section("tolerance", s.tolerance);
  section("mesh", s.mesh);
  section("comb", s.comb);
  section("drift", s.drift);
  section("drift", s.drift.sensitivity);
  section("budget", s.budget);
  section("gradient", s.gradient);
  section("learner", s.learner);
  if constexpr (!std::is_const_v<S>) {
    const RuledNetwork* rule = ruled_network(s.network.source);
    s.task.outputs = rule != nullptr ? rule->outputs : Outputs::answer;
    s.task.adder = rule != nullptr ? rule->adder : Adder::light;
  }
}

}  // namespace optinc
