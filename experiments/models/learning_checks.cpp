#include "experiments/models/learning_checks.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include <fmt/format.h>

#include "experiments/study/points.hpp"
#include "experiments/study/study_parts.hpp"
#include "onn/link/response_table.hpp"
#include "onn/task/words.hpp"
#include "physics/core/check.hpp"

namespace optinc {
namespace {

/// Sections that only chips read.
constexpr std::array<std::string_view, 21> of_chips = {
    "chip",    "fabrication", "calibration", "crosstalk", "environment", "noise",  "drift",
    "parts",   "laser",       "modulator",   "receiver",  "converter",   "heater", "splitter",
    "coupler", "fibre",       "waveguide",   "layout",    "die",         "link",   "time"};

}  // namespace

bool sends_codes(const LearnerSettings& settings) {
  return settings.aggregator == "quantised" || settings.aggregator == "network" ||
         settings.aggregator == "chip";
}

int training_servers(const LearnerSettings& settings, int servers_of_unit) {
  return settings.levels == 2 ? servers_of_unit * servers_of_unit : servers_of_unit;
}

void validate_learner(const StudyConfig& config) {
  const LearnerSettings& l = config.learner;
  const Task& task = config.task;
  validate_field(l.data != "default" || l.data_set == "fashion-mnist", "data",
                 "\"default\" with data_set = \"{}\" (no Debian package brings it). Name the folder of its "
                 "binary files.",
                 l.data_set);
  validate_field(l.kind != "cnn" || l.width == 0 || (l.width % 4 == 0 && l.width <= 256), "width",
                 "{} of kind = \"cnn\" (channels of its first stage, normalised by fours: a multiple of 4, at "
                 "most 256). Set 0 for 16.",
                 l.width);
  validate_field(l.evaluations <= l.steps, "evaluations", "{} in {} steps (one a step at most). Choose fewer.",
                 l.evaluations, l.steps);
  validate(config.runner.trials <= 2048,
           "{} trainings a point (a seed numbers 2048 of them). Set runner.trials to less, and run.seed.",
           config.runner.trials);
  constexpr std::uint64_t trial_bits = std::uint64_t{1} << 53;  // learning_trial puts the trial's number there
  validate_field(
      config.run.seed < trial_bits, "seed",
      "{} of a training (below 2^53: its bits above number the trials). Set run.seed to a smaller one.",
      config.run.seed);
  const int servers = training_servers(l, task.servers);
  validate_field(l.aggregator != "halving-doubling" || std::has_single_bit(static_cast<unsigned>(servers)),
                 "aggregator", "\"halving-doubling\" for {} servers (it pairs them: 2, 4, 8 ..). Choose ring.",
                 servers);
  validate_field(l.batch % servers == 0 && l.batch >= servers, "batch",
                 "{} for {} servers (each takes an equal share). Choose {}.", l.batch, servers,
                 std::max(1, (l.batch + servers / 2) / servers) * servers);
  validate_field(!l.own_copies || l.levels == 1, "own_copies",
                 "true in two levels (the lower units have one receiver). Set false, or levels = 1.");
  if (!sends_codes(l)) return;
  validate_field(task.level == CascadeLevel::flat, "aggregator",
                 "\"{}\" in a task of level \"{}\" (levels = 2 makes both "
                 "levels of a cascade). Set task.level = \"flat\".",
                 l.aggregator, name_of(task.level));
  validate_field(
      task.reduction == Reduction::mean, "aggregator",
      "\"{}\" in a task of reduction \"{}\" (gradients are averaged). Set task.reduction = \"mean\".",
      l.aggregator, name_of(task.reduction));
  validate(task.bits() <= 16, "codes of {} bits (gradients are quantised to 16 at most). Set task.bits.",
           task.bits());
  validate_field(
      l.levels == 1 || !l.carry_digit || l.aggregator == "quantised" || task.sends_sums() || task.servers <= 4,
      "levels", "2 with units of {} servers (the sum of at most 4 codes has one digit more). Set task.servers.",
      task.servers);
  if (l.aggregator == "quantised" || (l.aggregator == "chip" && l.engine != "map")) return;
  Task largest = task;
  if (l.levels == 2 && l.carry_digit) largest.level = CascadeLevel::second;
  if (l.aggregator == "network") return validate_enumerable(largest);
  validate(
      largest.words() <= most_table_words,
      "a chip of {} input words has no map (at most {} are tabulated). Set learner.engine = \"light\", which "
      "sends every word through the meshes.",
      largest.words(), most_table_words);
  try {
    validate_tabulation(largest, config.hardware, config.noise);
  } catch (const Error& error) {
    throw Error(fmt::format("{} learner.engine = \"light\" does that.", error.what()));
  }
}

std::vector<StudyWarning> codeless_warnings(const StudyConfig& config) {
  const LearnerSettings& l = config.learner;
  std::vector<StudyWarning> all;
  if (sends_codes(l)) return all;
  const auto idle = [&](bool set, std::string_view key) {
    if (set)
      all.push_back({fmt::format("learner.{}", key),
                     fmt::format("{} acts on codes, and aggregator = \"{}\" sends none: it changes nothing",
                                 key, l.aggregator),
                     std::string(key)});
  };
  idle(l.error_rate != 0.0, "error_rate");
  idle(l.offset_lsb != 0.0, "offset_lsb");
  idle(l.error_feedback, "error_feedback");
  idle(l.range_guard, "range_guard");
  idle(l.own_copies, "own_copies");
  return all;
}

std::vector<StudyWarning> chipless_warnings(const StudyConfig& config) {
  const StudyPoints points(config);
  for (std::size_t p = 0; p < points.size(); ++p)
    if (points[p].learner.aggregator == "chip") return {};
  const auto entries = config_entries(config), defaults = config_entries(start_of_parts(config));
  std::vector<StudyWarning> all;
  for (const std::string_view section : of_chips) {
    bool set = false;
    for (std::size_t i = 0; i < entries.size(); ++i)
      set |= entries[i].section == section && entries[i].value != defaults[i].value;
    for (const SweepAxis& axis : config.sweeps)
      for (const SweptKey& key : axis.keys) set |= key.key.starts_with(fmt::format("{}.", section));
    if (set)
      all.push_back({fmt::format("[{}]", section),
                     fmt::format("acts on chips, and aggregator = \"{}\" has none: it changes nothing. Set "
                                 "learner.aggregator = \"chip\" to train through them",
                                 config.learner.aggregator),
                     "aggregator"});
  }
  return all;
}

}  // namespace optinc
