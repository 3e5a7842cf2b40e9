#pragma once

#include "experiments/study/study_fields/chip_fields.hpp"
#include "experiments/study/study_fields/hardware_fields.hpp"
#include "experiments/study/study_fields/learner_fields.hpp"
#include "experiments/study/study_fields/network_fields.hpp"
#include "experiments/study/study_fields/run_fields.hpp"
#include "experiments/study/study_names.hpp"

// The field tables: one overload of visit_fields per section calls visitor(FieldInfo, member&) for each key.
// Parsing, defaults, printing, explain and HDF5 attributes all come from here; a new setting is one line in
// the part of its section.

namespace optinc {

/// Calls visitor(section name, FieldInfo, member&) for every field of a study, in the order of the file.
template <Like<StudyConfig> S, class Visitor>
void visit_config(S& s, Visitor&& visit) {
  const auto section = [&](std::string_view name, auto& settings) {
    visit_fields(settings, [&](const FieldInfo& info, auto& member) { visit(name, info, member); });
  };
  const auto above = [&](const FieldInfo& info, auto& member) { visit(std::string_view{}, info, member); };
  above(FieldInfo{"study", "1", "Name of the study"}, s.study);
  above(name_field("model", what_trials_simulate(), model_names()), s.model);
  above(name_field("figures", "Figures to draw; empty list: every figure for which the result has data",
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
  section("laser", s.hardware.laser);
  section("modulator", s.hardware.modulator);
  section("receiver", s.hardware.receiver);
  section("converter", s.hardware.converter);
  section("heater", s.hardware.heater);
  section("splitter", s.hardware.splitter);
  section("coupler", s.hardware.coupler);
  section("fibre", s.hardware.fibre);
  section("waveguide", s.hardware.routing);
  section("layout", s.hardware.layout);
  section("die", s.hardware.die);
  section("link", s.hardware.link);
  section("time", s.hardware.timing);
  section("noise", s.noise);
  section("stand_in", s.stand_in);
  section("tolerance", s.tolerance);
  section("mesh", s.mesh);
  section("comb", s.comb);
  section("drift", s.drift);
  section("budget", s.budget);
  section("gradient", s.gradient);
  section("learner", s.learner);
}

}  // namespace optinc
