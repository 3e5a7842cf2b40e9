#include "experiments/cli/dry_run.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <omp.h>

#include "experiments/config/points.hpp"
#include "experiments/runner/memory.hpp"
#include "experiments/study/prelude.hpp"
#include "physics/random/haar.hpp"

namespace optinc {
namespace {

/// A network of the study's shape with random weights: chips of it cost what chips of a trained one do.
Network untrained(const StudyConfig& config) {
  Network network = make_network(config.task, config.network.hidden);
  Stream stream(config.run.seed, Purpose::test);
  for (SigmaULayer& layer : network.layers)
    for (std::size_t b = 0; b < layer.unitary.size(); ++b) {
      layer.unitary[b] = haar_orthogonal(layer.block_size(), stream);
      layer.sigma[b].setConstant(0.5);
    }
  return network;
}

double training_seconds(const StudyConfig& config) {
  if (!has_network(config.model) || config.network.source != "train") return 0.0;
  TrainingSettings few = config.training;
  few.epochs = std::min(2, few.epochs);
  few.warmup_epochs = 0;
  const double start = omp_get_wtime();
  train(config.task, config.network.hidden, few, config.run.seed, config.run.threads);
  return (omp_get_wtime() - start) * config.training.epochs / few.epochs;
}

/// Mean time of a trial over a few points; one at the first point goes before, to warm up.
double trial_seconds(const StudyConfig& config, const TrialModel& model) {
  const std::size_t points = point_count(config), step = std::max<std::size_t>(points / 5, 1);
  double seconds = 0.0;
  int sampled = 0;
  for (std::size_t p = 0; p < points; p += step, ++sampled) {
    const StudyConfig there = config_at(config, p);
    if (p == 0) run_trial(model, there, {p, 1});
    seconds += run_trial(model, there, {p, 1}).seconds;
  }
  return seconds / sampled;
}

std::string time_text(double seconds) {
  if (seconds < 120) return fmt::format("{:.0f} s", seconds);
  return seconds < 7200 ? fmt::format("{:.0f} min", seconds / 60) : fmt::format("{:.1f} h", seconds / 3600);
}

}  // namespace

std::string dry_run(const StudyConfig& config, const Shard& shard) {
  Prelude prelude;
  if (has_network(config.model))
    prelude.network =
        config.network.source == "train" ? untrained(config) : *make_prelude(config, true).network;
  const TrialModel model = make_model(config, prelude);
  const double training = training_seconds(config), trial = trial_seconds(config, model);
  const int threads = config.run.threads > 0 ? config.run.threads : omp_get_max_threads();
  const std::size_t wanted = trials_wanted(config, shard);
  const double record = sizeof(double) * static_cast<double>(model.record_size);
  const double trials = trial * static_cast<double>(wanted) / threads;
  std::string text;
  text += fmt::format("study    {} (model {}), {} points, at most {} trials each\n", config.study, config.model,
                      point_count(config), config.runner.trials);
  text += fmt::format("trials   {}{} {}\n", config.runner.precision > 0 ? "at most " : "", wanted,
                      shard.whole() ? "in all" : "in shard " + shard.text());
  text += fmt::format("time     {}{} on {} threads: training {}, trials {} at {:.3g} ms each\n",
                      config.runner.precision > 0 ? "at most " : "", time_text(training + trials), threads,
                      time_text(training), time_text(trials), 1e3 * trial);
  text += fmt::format("memory   {} at the peak\n", size_text(peak_memory_bytes(config, model.record_size)));
  text +=
      fmt::format("file     at most {} before compression; {:.0f} bytes a trial\n",
                  size_text(record * static_cast<double>(point_count(config)) * config.runner.trials), record);
  return text;
}

}  // namespace optinc
