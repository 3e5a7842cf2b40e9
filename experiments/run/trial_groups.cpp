#include "experiments/run/trial_groups.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "experiments/run/axes.hpp"
#include "experiments/run/trials/statistics.hpp"
#include "experiments/study/points.hpp"
#include "physics/core/check.hpp"
#include "physics/core/parallel.hpp"

namespace optinc {
namespace {

constexpr std::string_view trial_axis = "trial", quantile_axis = "quantile", source_axis = "source";
const std::vector<double> quantiles = {0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99};

std::vector<double> zeros(std::size_t size) { return std::vector<double>(size); }

/// What a metric is to a reader who knows no metric by its name.
void describe(const Group& group, const Metric& metric) {
  const Attributes a = group.attributes(metric.name);
  a.set("label", metric.label);
  a.set("better", name_of(metric.better));
  a.set("kind", name_of(metric.kind));
  if (!metric.complement.empty()) a.set("complement", metric.complement);
}

std::vector<std::string_view> views(const std::vector<std::string>& names) {
  return {names.begin(), names.end()};
}

/// Statistics of one quantity, [point][cell] and [point][cell][quantile].
struct Summary {
  std::vector<double> mean, low, high, deviation, quantile, quantile_low, quantile_high;

  explicit Summary(std::size_t cells)
      : mean(zeros(cells)),
        low(mean),
        high(mean),
        deviation(mean),
        quantile(zeros(cells * quantiles.size())),
        quantile_low(quantile),
        quantile_high(quantile) {}
};

Summary summarise(const Quantity& q, const StudyConfig& config, const Records& records) {
  const std::size_t each = q.size();
  Summary s(records.points * each);
  parallel_for(records.points * each, config.run.threads, [&](std::size_t i) {
    const std::size_t point = i / each, offset = q.offset + i % each;
    std::vector<double> values = records.cell(point, offset);
    const Interval mean = metric_interval(q.metric->name, values, config.run.seed,
                                          static_cast<std::uint32_t>(point * records.record_size + offset));
    s.mean[i] = mean_of(values);
    s.low[i] = mean.low;
    s.high[i] = mean.high;
    s.deviation[i] = deviation_of(values);
    std::sort(values.begin(), values.end());
    for (std::size_t k = 0; k < quantiles.size(); ++k) {
      const Interval bracket = quantile_interval(values, quantiles[k]);
      s.quantile[i * quantiles.size() + k] = quantile_of(values, quantiles[k]);
      s.quantile_low[i * quantiles.size() + k] = bracket.low;
      s.quantile_high[i * quantiles.size() + k] = bracket.high;
    }
  });
  return s;
}

void write_sums(const Group& group, const std::vector<std::string>& sweeps, const Quantity& q,
                const Records& records) {
  std::vector<double> total(records.points * q.size(), 0.0);
  for (std::size_t p = 0; p < records.points; ++p)
    for (std::size_t t = 0; t < records.trials; ++t)
      for (std::size_t c = 0; records.has(p, t) && c < q.size(); ++c)
        total[p * q.size() + c] += records.at(p, t)[q.offset + c];
  group.dataset<double>(fmt::format("{}_sum", q.metric->name), axes_of(sweeps, q), total, q.metric->unit,
                        fmt::format("{}, sum over trials", q.metric->long_name));
}

void write_statistics(const Group& group, const std::vector<std::string>& sweeps, const Quantity& q,
                      const Summary& s) {
  const auto axes = axes_of(sweeps, q), with_quantile = axes_of(sweeps, q, {}, quantile_axis);
  const auto write = [&](std::string_view suffix, const auto& over, const std::vector<double>& values,
                         std::string_view what) {
    group.dataset<double>(fmt::format("{}_{}", q.metric->name, suffix), over, values, q.metric->unit,
                          fmt::format("{}, {}", q.metric->long_name, what));
  };
  write("mean", axes, s.mean, "mean over trials");
  write("mean_low", axes, s.low, "lower end of the 95 % interval of the mean");
  write("mean_high", axes, s.high, "upper end of the 95 % interval of the mean");
  write("std", axes, s.deviation, "standard deviation over trials");
  write("quantile", with_quantile, s.quantile, "quantiles over trials");
  write("quantile_low", with_quantile, s.quantile_low, "lower end of the 95 % interval of the quantile");
  write("quantile_high", with_quantile, s.quantile_high, "upper end of the 95 % interval of the quantile");
}

void write_yield(const Group& group, const std::vector<std::string>& sweeps, const StudyConfig& config,
                 const Quantity& q, const Records& records) {
  const auto meets = [&](double x) {
    return config.yield.sense == "at-most" ? x <= config.yield.limit : x >= config.yield.limit;
  };
  std::vector<double> share, low, high;
  for (std::size_t p = 0; p < records.points; ++p)
    for (std::size_t c = 0; c < q.size(); ++c) {
      const auto values = records.cell(p, q.offset + c);
      const auto n = static_cast<std::int64_t>(values.size()),
                 hits = std::count_if(values.begin(), values.end(), meets);
      const Interval interval = n > 0 ? clopper_pearson(hits, n) : Interval{std::nan(""), std::nan("")};
      share.push_back(static_cast<double>(hits) / static_cast<double>(n));
      low.push_back(interval.low);
      high.push_back(interval.high);
    }
  const auto axes = axes_of(sweeps, q);
  group.dataset<double>(
      "yield", axes, share, "1",
      fmt::format("share of trials with {} {} {}", q.metric->name,
                  config.yield.sense == "at-most" ? "at most" : "at least", config.yield.limit));
  group.dataset<double>("yield_low", axes, low, "1", "lower end of its 95 % interval (Clopper-Pearson)");
  group.dataset<double>("yield_high", axes, high, "1", "upper end of its 95 % interval (Clopper-Pearson)");
  const Attributes a = group.attributes("yield");
  a.set("metric", q.metric->name);
  a.set("better", name_of(Better::higher));
  a.set("kind", name_of(MetricKind::share));
  a.set("complement", std::string_view("yield loss"));
}

/// Mean squares of a quantity, [ablation label][point of the other axes * cells].
std::vector<std::vector<double>> mean_squares(const StudyConfig& config, const Records& records,
                                              const Quantity& q, std::size_t axis) {
  const std::size_t labels = config.sweeps[axis].points(), cells = records.points / labels * q.size();
  std::vector<std::vector<double>> squares(labels, zeros(cells));
  std::vector<std::size_t> seen(labels, 0);  // points of equal label come in the order of the other axes
  for (std::size_t p = 0; p < records.points; ++p) {
    const std::size_t label = point_index(config, p)[axis], other = seen[label]++;
    for (std::size_t c = 0; c < q.size(); ++c) {
      auto values = records.cell(p, q.offset + c);
      for (double& x : values) x *= x;
      squares[label][other * q.size() + c] = mean_of(values);
    }
  }
  return squares;
}

}  // namespace

void write_trials_group(const Group& group, const StudyConfig& config, const TrialModel& model,
                        const Records& records) {
  const auto sweeps = sweep_axis_names(config);
  group.attributes().set("trial", model_of(config).trial);
  group.attributes().set("simulates", model_of(config).simulates);
  write_sweep_axes(group, config);
  group.counting_dimension(trial_axis, records.trials, "number of the trial: chip or mesh");
  write_model_axes(group, model);
  auto axes = views(sweeps);
  axes.push_back(trial_axis);
  group.dataset<std::uint8_t>("completed", axes, records.completed, "1", "1 where the trial was run");
  for (const Quantity& q : model.quantities) {
    std::vector<double> values;
    values.reserve(records.completed.size() * q.size());
    for (std::size_t p = 0; p < records.points; ++p)
      for (std::size_t t = 0; t < records.trials; ++t) {
        const auto cells = records.at(p, t).subspan(q.offset, q.size());
        values.insert(values.end(), cells.begin(), cells.end());
      }
    group.dataset<double>(q.metric->name, axes_of(sweeps, q, trial_axis), values, q.metric->unit,
                          q.metric->long_name);
    describe(group, *q.metric);
  }
}

void write_summary_group(const Group& group, const StudyConfig& config, const TrialModel& model,
                         const Records& records) {
  const auto sweeps = sweep_axis_names(config);
  write_sweep_axes(group, config);
  write_model_axes(group, model);
  group.dimension(quantile_axis, quantiles, "1", "share of the trials below");
  group.attributes().set(
      "intervals",
      std::string_view("95 %. _mean: Student's t, and bootstrap from 100 to 500 trials; for shares "
                       "the score interval, below 100 and above 500. _quantile: order statistics. "
                       "yield and diverged: Clopper-Pearson"));
  std::vector<std::int64_t> completed;
  for (std::size_t p = 0; p < records.points; ++p)
    completed.push_back(static_cast<std::int64_t>(records.count(p)));
  group.dataset<std::int64_t>("completed", views(sweeps), completed, "1", "trials run");
  for (const Quantity& q : model.quantities) {
    if (q.metric->counts())
      write_sums(group, sweeps, q, records);
    else
      write_statistics(group, sweeps, q, summarise(q, config, records));
  }
  if (const Quantity* q = model.find(config.yield.metric)) write_yield(group, sweeps, config, *q, records);
}

bool has_ablation(const StudyConfig& config) {
  return std::any_of(config.sweeps.begin(), config.sweeps.end(),
                     [](const SweepAxis& axis) { return axis.ablation(); });
}

void write_ablation_group(const Group& group, const StudyConfig& config, const TrialModel& model,
                          const Records& records) {
  const auto sweeps = sweep_axis_names(config, false);
  const auto axis = static_cast<std::size_t>(std::find_if(config.sweeps.begin(), config.sweeps.end(),
                                                          [](const SweepAxis& a) { return a.ablation(); }) -
                                             config.sweeps.begin());
  const std::vector<std::string>& sources = config.sweeps[axis].sources;
  const Quantity& q = *model.find(model.error_metric);
  const auto v = mean_squares(config, records, q, axis);  // labels: none, only.., all, all but..
  const std::size_t n = sources.size();
  std::vector<double> alone, without, share_alone, share_without;
  for (std::size_t i = 0; i < v[0].size(); ++i)
    for (std::size_t s = 0; s < n; ++s) {
      const double none = v[0][i], all = v[n + 1][i];
      alone.push_back(v[1 + s][i]);
      without.push_back(v[n + 2 + s][i]);
      share_alone.push_back((alone.back() - none) / (all - none));
      share_without.push_back((all - without.back()) / (all - none));
    }

  write_sweep_axes(group, config, false);
  write_model_axes(group, model);
  group.dimension(source_axis, sources, "1", "source of error");
  group.attributes().set("metric", model.error_metric);
  const auto axes = axes_of(sweeps, q), by_source = axes_of(sweeps, q, {}, source_axis);
  const std::string unit = q.metric->unit == "1" ? "1" : fmt::format("{}^2", q.metric->unit);
  const std::string square = fmt::format("mean square of {}", q.metric->name);
  group.dataset<double>("variance_all", axes, v[n + 1], unit, square + ", every source on");
  group.dataset<double>("variance_none", axes, v[0], unit, square + ", every source off");
  group.dataset<double>("variance_alone", by_source, alone, unit, square + ", this source alone");
  group.dataset<double>("variance_without", by_source, without, unit, square + ", all but this source");
  group.dataset<double>("share_alone", by_source, share_alone, "1", "share of the variance, source alone");
  group.dataset<double>("share_without", by_source, share_without, "1",
                        "share of the variance that disappears without the source");
}

Records read_trials_group(const Group& group, const StudyConfig& config, const TrialModel& model) {
  std::vector<std::size_t> shape;
  for (const SweepAxis& axis : config.sweeps) shape.push_back(axis.points());
  shape.push_back(static_cast<std::size_t>(config.runner.trials));
  const auto require_shape = [&](std::string_view name, const std::vector<std::size_t>& own) {
    const std::vector<std::size_t> found = group.shape(name);
    std::vector<std::size_t> wanted = shape;
    wanted.insert(wanted.end(), own.begin(), own.end());
    validate(found == wanted, "{}: shape ({}) (its study has ({})). Give a file that OptINC wrote.",
             group.where(name), fmt::join(found, ", "), fmt::join(wanted, ", "));
  };
  // every header first: no room is made for records that the file does not hold
  require_shape("completed", {});
  for (const Quantity& q : model.quantities) require_shape(q.metric->name, q.shape);
  std::vector<std::uint8_t> completed = group.read<std::uint8_t>("completed").values;
  const auto odd = std::find_if(completed.begin(), completed.end(), [](std::uint8_t c) { return c > 1; });
  validate(odd == completed.end(),
           "{}: value {} is neither 0 nor 1 (whether the trial was run). Use another copy.",
           group.where("completed"), odd - completed.begin());
  Records records(point_count(config), shape.back(), model.record_size);
  records.completed = std::move(completed);
  for (const Quantity& q : model.quantities) {
    const auto values = group.read<double>(q.metric->name).values;
    for (std::size_t i = 0; i < records.completed.size(); ++i)
      std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(i * q.size()), q.size(),
                  records.values.begin() + static_cast<std::ptrdiff_t>(i * records.record_size + q.offset));
  }
  return records;
}

}  // namespace optinc
