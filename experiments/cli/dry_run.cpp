#include "experiments/cli/dry_run.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <omp.h>

#include "experiments/analysis/cost/compare_designs.hpp"
#include "experiments/engine/config/points.hpp"
#include "experiments/engine/config/study_warnings.hpp"
#include "experiments/engine/process/interrupt.hpp"
#include "experiments/engine/runner/memory.hpp"
#include "experiments/engine/study/study_inputs.hpp"
#include "experiments/models/chip_memory.hpp"

namespace optinc {
namespace {

/// The networks of all points, what would have to be trained with random weights; their matrices.
Prelude untrained_prelude(const std::vector<StudyConfig>& points) {
  Prelude prelude{{}, read_mesh_targets(points)};
  std::set<std::string> seen;
  for (const StudyConfig& point : points)
    for (StudyConfig& asked : asked_networks(point)) {
      const std::string identity = network_identity(asked);
      if (!seen.insert(identity).second) continue;
      asked.model = "chip";
      prelude.networks.push_back(asked.network.source == "train"
                                     ? PreparedNetwork{identity, untrained_network(asked), {}}
                                     : make_network_of(asked, true));
    }
  return prelude;
}

/// Of every network that is trained: two of its epochs, times as many as there are.
double training_seconds(const std::vector<StudyConfig>& points) {
  double seconds = 0.0;
  std::set<std::string> seen;
  for (const StudyConfig& point : points)
    for (const StudyConfig& asked : asked_networks(point)) {
      if (asked.network.source != "train" || !seen.insert(network_identity(asked)).second) continue;
      TrainingSettings few = asked.training;
      few.epochs = std::min(2, few.epochs);
      few.warmup_epochs = 0;
      const double start = omp_get_wtime();
      train(asked.task, asked.network.hidden, few, asked.run.seed, asked.run.threads);
      seconds += (omp_get_wtime() - start) * asked.training.epochs / few.epochs;
    }
  return seconds;
}

/// Of a trial of model "learning", which may take an hour: from trainings of a few steps, tests and instants of
/// drift.
double learning_seconds(const StudyConfig& point, const TrialModel& model) {
  const LearnerSettings& l = point.learner;
  const auto took = [&](int steps, int evaluations, int instants) {
    StudyConfig few = point;
    few.learner.steps = std::min(steps, l.steps);
    few.learner.evaluations = std::min(evaluations, few.learner.steps);
    few.drift.instants = std::min(instants, point.drift.instants);
    return run_trial(model, few, {0, 1}).seconds;
  };
  constexpr int start = 6;
  const auto more = [&](double longer, double than) { return std::max(0.0, longer - than); };
  took(start, 1, 2);  // warms up
  const double once = took(start, 1, 2);
  // quick steps vanish in what goes before them: as many as tell
  int steps = 2 * start;
  double longer = took(steps, 1, 2);
  while (longer < std::min(1.0, 1.5 * once) && steps < l.steps) {
    steps *= 2;
    longer = took(steps, 1, 2);
  }
  const double step = more(longer, once) / std::max(1, std::min(steps, l.steps) - start);
  double seconds =
      once + step * std::max(0, l.steps - start) + more(took(start, 2, 2), once) * (l.evaluations - 1);
  const std::vector<std::string> variants = measured_variants(point);
  const bool drifts = std::any_of(variants.begin(), variants.end(),
                                  [](const std::string& v) { return v == "drifting" || v == "recalibrated"; });
  if (drifts)  // a chip and its map for each
    seconds += more(took(start, 1, 4), once) / 2 * (std::min(l.steps, point.drift.instants) - 2);
  return seconds;
}

/// Mean time of a trial over a few points; one at the first point goes before, to warm up.
double trial_seconds(const std::vector<StudyConfig>& points, const TrialModel& model) {
  const std::size_t step = std::max<std::size_t>(points.size() / 5, 1);
  double seconds = 0.0;
  int sampled = 0;
  for (std::size_t p = 0; p < points.size(); p += step, ++sampled) {
    if (points[p].model == "learning") {
      seconds += learning_seconds(points[p], model);
      continue;
    }
    if (p == 0) run_trial(model, points[p], {p, 1});
    seconds += run_trial(model, points[p], {p, 1}).seconds;
  }
  return seconds / sampled;
}

std::string time_text(double seconds) {
  if (seconds > 0 && seconds < 1) return fmt::format("{:.3g} ms", 1e3 * seconds);
  if (seconds < 120) return fmt::format("{:.0f} s", seconds);
  return seconds < 7200 ? fmt::format("{:.0f} min", seconds / 60) : fmt::format("{:.1f} h", seconds / 3600);
}

}  // namespace

std::string dry_run(const StudyConfig& config, const Shard& shard) {
  const std::vector<StudyConfig> points =
      checked_points(config, check_interrupt);  // as a run does, first of all
  print_warnings(study_warnings(config));
  const Prelude prelude = untrained_prelude(points);
  const TrialModel model = make_model(config, prelude);
  const double training = training_seconds(points), trial = trial_seconds(points, model);
  const int threads = config.run.threads > 0 ? config.run.threads : omp_get_max_threads();
  const std::size_t wanted = trials_wanted(config, shard);
  const double record = sizeof(double) * static_cast<double>(model.record_size);
  const double trials = trial * static_cast<double>(wanted) / threads;
  const bool any_crosstalk =
      std::any_of(points.begin(), points.end(), [](const StudyConfig& c) { return c.crosstalk.x0 > 0; });
  std::string text;
  text += fmt::format("study    {} (model {}), {} points, at most {} trials each\n", config.study, config.model,
                      points.size(), config.runner.trials);
  text += fmt::format("trials   {}{} {}\n", config.runner.precision > 0 ? "at most " : "", wanted,
                      shard.whole() ? "in all" : "in shard " + shard.text());
  text += fmt::format("time     {}{} on {} threads: training {}, trials {} at {} each\n",
                      config.runner.precision > 0 ? "at most " : "", time_text(training + trials), threads,
                      time_text(training), time_text(trials), time_text(trial));
  const double peak = peak_memory_bytes(config, model.record_size), chips = chip_memory_bytes(config, threads);
  const std::string_view uncounted = config.model == "learning"
                                         ? "data sets, models in training and lookup tables of chips"
                                         : "training and one-off measurements";
  const std::string of_chips =
      chips > 0 ? fmt::format("{} of it for chips{}; ", size_text(chips),
                              any_crosstalk ? ", their words and crosstalk" : " and their words")
                : "";
  text += fmt::format("memory   {} at the peak ({}{} are not counted)\n", size_text(peak), of_chips, uncounted);
  text +=
      fmt::format("file     at most {} before compression; {:.0f} bytes a trial\n",
                  size_text(record * static_cast<double>(point_count(config)) * config.runner.trials), record);
  return text;
}

}  // namespace optinc
