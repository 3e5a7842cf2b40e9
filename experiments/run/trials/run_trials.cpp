#include "experiments/run/trials/run_trials.hpp"

#include <charconv>
#include <chrono>
#include <cmath>
#include <limits>
#include <map>
#include <mutex>

#include <fmt/format.h>

#include "experiments/base/interrupt.hpp"
#include "experiments/base/progress.hpp"
#include "experiments/run/trials/statistics.hpp"
#include "experiments/study/points.hpp"
#include "physics/core/check.hpp"
#include "physics/core/parallel.hpp"

namespace optinc {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t round_trials = 50;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Whether a trial is this shard's. A stop rule decides on trials that one shard may not have: with one, shards
/// share out points.
bool mine(const StudyConfig& config, const Shard& shard, std::size_t points, const TrialTask& task) {
  const std::size_t turn = config.runner.precision > 0 ? task.point : task.trial * points + task.point;
  return turn % static_cast<std::size_t>(shard.count) == static_cast<std::size_t>(shard.index - 1);
}

/// Whether the trials before `end` of a point say the mean precisely enough in every cell of the metric.
bool precise(const StudyConfig& config, const TrialModel& model, const Records& records, std::size_t point,
             std::size_t end) {
  const Quantity* q = model.find(config.runner.precision_metric);
  for (std::size_t cell = 0; cell < q->size(); ++cell) {
    std::vector<double> values;
    for (std::size_t t = 0; t < end; ++t)
      if (const double x = records.at(point, t)[q->offset + cell]; x == x) values.push_back(x);
    const Interval interval = student_interval(values);
    const double wanted = config.runner.precision * std::abs(mean_of(values));
    if (!(interval.high - interval.low <= wanted)) return false;  // too few values are not precise either
  }
  return true;
}

bool all_there(const Records& records, std::size_t point, std::size_t end) {
  for (std::size_t t = 0; t < end; ++t)
    if (!records.has(point, t)) return false;
  return true;
}

/// The running mean of a metric at each point and its 95 % interval, shown while the trials run.
class Watch {
 public:
  Watch(const StudyConfig& config, const TrialModel& model)
      : config_(config), quantity_(watched(config, model)) {}

  void see(const TrialResult& result) {
    if (quantity_ == nullptr) return;
    Sums& s = sums_[result.task.point];
    const double x = result.record[quantity_->offset];
    if (x != x) return;
    s.n += 1;  // Welford's update
    const double step = x - s.mean;
    s.mean += step / s.n;
    s.squares += step * (x - s.mean);
  }

  std::string note(std::size_t point) {
    if (quantity_ == nullptr) return {};
    const Sums& s = sums_[point];
    const std::string label = point_label(config_, point);
    std::string text =
        fmt::format("{}{} {:.5g}", label.empty() ? "" : label + ": ", quantity_->metric->name, s.mean);
    if (s.n < 2) return text;
    const double error = std::sqrt(s.squares / (s.n - 1) / s.n);
    const Interval interval = is_share(quantity_->metric->name) ? share_interval(s.mean, error, s.n)
                                                                : student_interval(s.mean, error, s.n);
    return text + fmt::format(" [{:.5g}, {:.5g}]", interval.low, interval.high);
  }

 private:
  struct Sums {
    double n = 0, mean = 0, squares = 0;
  };
  static const Quantity* watched(const StudyConfig& config, const TrialModel& model) {
    if (config.runner.precision_metric != "none") return model.find(config.runner.precision_metric);
    return model.quantities.empty() ? nullptr : &model.quantities.front();
  }

  const StudyConfig& config_;
  const Quantity* quantity_;
  std::map<std::size_t, Sums> sums_;
};

}  // namespace

std::string Shard::text() const { return fmt::format("{}/{}", index, count); }

Shard parse_shard(std::string_view text) {
  Shard shard;
  const char* const end = text.data() + text.size();
  const auto index = std::from_chars(text.data(), end, shard.index);
  const bool slash = index.ec == std::errc{} && index.ptr != end && *index.ptr == '/';
  const auto count = slash ? std::from_chars(index.ptr + 1, end, shard.count) : index;
  const bool read = slash && count.ec == std::errc{} && count.ptr == end;
  validate(read && shard.count >= 1 && shard.index >= 1 && shard.index <= shard.count,
           "--shard {}: not a shard (expected I/N, 1 <= I <= N < 2^31). Write --shard 1/4, for example.", text);
  return shard;
}

TrialResult run_trial(const TrialModel& model, const StudyConfig& at_point, const TrialTask& task) {
  const auto start = Clock::now();
  TrialResult result{task, 0.0,
                     std::vector<double>(model.record_size, std::numeric_limits<double>::quiet_NaN())};
  model.run(at_point, static_cast<std::uint32_t>(task.trial), result.record);
  result.seconds = seconds_since(start);
  return result;
}

Executor on_threads(const TrialModel& model, std::vector<StudyConfig> points, int threads) {
  return [&model, points = std::move(points), threads](std::span<const TrialTask> tasks,
                                                       const std::function<bool()>& stop,
                                                       const std::function<void(const TrialResult&)>& keep) {
    std::mutex one_at_a_time;
    parallel_for(tasks.size(), threads, [&](std::size_t i) {
      if (stop()) return;
      try {
        const TrialResult result = run_trial(model, points[tasks[i].point], tasks[i]);
        const std::lock_guard lock(one_at_a_time);
        keep(result);
      } catch (const Interrupted&) {  // a long trial looks for itself; stop() ends the others
      }
    });
  };
}

std::size_t trials_wanted(const StudyConfig& config, const Shard& shard) {
  const std::size_t points = point_count(config), trials = static_cast<std::size_t>(config.runner.trials);
  if (shard.whole()) return points * trials;
  std::size_t wanted = 0;
  for (std::size_t t = 0; t < trials; ++t)
    for (std::size_t p = 0; p < points; ++p) wanted += mine(config, shard, points, {p, t}) ? 1 : 0;
  return wanted;
}

TrialsReport run_trials(const StudyConfig& config, const TrialModel& model, const Shard& shard,
                        const Executor& execute, const std::function<void(const TrialResult&)>& keep,
                        bool quiet, Records& records) {
  const auto start = Clock::now();
  const double limit = config.run.time_limit_s;
  const auto out_of_time = [&] { return limit > 0 && seconds_since(start) > limit; };
  const auto stop = [&] { return interrupt_signal() != 0 || out_of_time(); };
  const bool by_precision = config.runner.precision > 0;
  const std::size_t round = by_precision ? std::min(round_trials, records.trials) : records.trials;
  TrialsReport report;
  std::vector<bool> active(records.points, true);
  Watch watch(config, model);  // outlives the progress, whose last line asks it for a note
  Progress progress("trials", static_cast<long>(trials_wanted(config, shard) - records.count()), quiet);
  bool left_over = false;

  for (std::size_t first = 0; first < records.trials; first += round) {
    const std::size_t end = std::min(first + round, records.trials);
    std::vector<TrialTask>
        tasks;  // trials of all points in turn: a run that is cut short knows something of each
    for (std::size_t t = first; t < end; ++t)
      for (std::size_t p = 0; p < records.points; ++p)
        if (active[p] && !records.has(p, t) && mine(config, shard, records.points, {p, t}))
          tasks.push_back({p, t});
    const std::size_t before = report.run;
    execute(tasks, stop, [&](const TrialResult& result) {
      records.put(result.task.point, result.task.trial, result.record);
      keep(result);
      ++report.run;
      report.trial_seconds += result.seconds;
      watch.see(result);
      progress.step([&watch, point = result.task.point] { return watch.note(point); });
    });
    left_over = report.run - before < tasks.size();
    if (left_over) break;
    for (std::size_t p = 0; by_precision && p < records.points; ++p)
      if (active[p] && all_there(records, p, end) && precise(config, model, records, p, end)) active[p] = false;
  }
  work_has_ended();
  report.wall_seconds = seconds_since(start);
  if (left_over) report.ending = interrupt_signal() != 0 ? Ending::interrupted : Ending::time_limit;
  return report;
}

bool is_complete(const StudyConfig& config, const TrialModel& model, const Records& records) {
  for (std::size_t p = 0; p < records.points; ++p) {
    bool done = all_there(records, p, records.trials);
    if (config.runner.precision > 0)
      for (std::size_t end = std::min(round_trials, records.trials); !done && end < records.trials;
           end += round_trials)
        done = all_there(records, p, end) && precise(config, model, records, p, end);
    if (!done) return false;
  }
  return true;
}

}  // namespace optinc
