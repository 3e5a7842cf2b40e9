#include "experiments/cli/dry_run.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <omp.h>

#include "experiments/analysis/cost/compare_designs.hpp"
#include "experiments/engine/config/points.hpp"
#include "experiments/engine/config/study_model.hpp"
#include "experiments/engine/config/study_warnings.hpp"
#include "experiments/engine/process/interrupt.hpp"
#include "experiments/engine/runner/memory.hpp"
#include "experiments/engine/study/study_inputs.hpp"

namespace optinc {
namespace {

/// The networks of all points, what would have to be trained with random weights; their matrices.
Prelude untrained_prelude(const std::vector<StudyConfig>& points) {
  Prelude prelude = read_files(points);
  std::set<std::string> seen;
  for (const StudyConfig& point : points)
    for (StudyConfig& asked : asked_networks(point)) {
      const std::string identity = network_identity(asked);
      if (!seen.insert(identity).second) continue;
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

/// Mean time of a trial over a few points; one at the first point goes before, to warm up.
double trial_seconds(const std::vector<StudyConfig>& points, const TrialModel& model) {
  const std::size_t step = std::max<std::size_t>(points.size() / 5, 1);
  double seconds = 0.0;
  int sampled = 0;
  for (std::size_t p = 0; p < points.size(); p += step, ++sampled) {
    if (const auto estimate = model_of(points[p]).trial_seconds) {
      seconds += estimate(points[p], model);
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
  const double peak = peak_memory_bytes(config, model.record_size), chips = trial_memory_bytes(config, threads);
  const std::string of_chips =
      chips > 0 ? fmt::format("{} of it for chips{}; ", size_text(chips),
                              any_crosstalk ? ", their words and crosstalk" : " and their words")
                : "";
  text += fmt::format("memory   {} at the peak ({}{} are not counted)\n", size_text(peak), of_chips,
                      model_of(config).not_counted);
  text +=
      fmt::format("file     at most {} before compression; {:.0f} bytes a trial\n",
                  size_text(record * static_cast<double>(point_count(config)) * config.runner.trials), record);
  return text;
}

}  // namespace optinc
