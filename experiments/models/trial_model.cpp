#include "experiments/models/trial_model.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>

#include <fmt/format.h>

#include "experiments/engine/config/limits.hpp"
#include "physics/core/check.hpp"

namespace optinc {
namespace {

/// Whether a study that lists `chosen` has `name`; listing nothing means all.
bool chosen_or_all(const std::vector<std::string>& chosen, std::string_view name) {
  return chosen.empty() || std::find(chosen.begin(), chosen.end(), name) != chosen.end();
}

/// from, from + 1 .. to - 1.
std::vector<std::int64_t> counted(std::int64_t from, std::int64_t to) {
  std::vector<std::int64_t> numbers(static_cast<std::size_t>(to - from));
  std::iota(numbers.begin(), numbers.end(), from);
  return numbers;
}

}  // namespace

std::size_t ModelAxis::size() const {
  return std::visit([](const auto& v) { return v.size(); }, values);
}

std::size_t Quantity::size() const {
  return std::accumulate(shape.begin(), shape.end(), std::size_t{1}, std::multiplies<>());
}

const ModelAxis& TrialModel::axis(std::string_view name) const {
  for (const ModelAxis& axis : axes)
    if (axis.name == name) return axis;
  throw Error(fmt::format("the model has no axis \"{}\" (a metric names it). This is a bug: report it.", name));
}

const Quantity* TrialModel::find(std::string_view metric) const {
  for (const Quantity& quantity : quantities)
    if (quantity.metric->name == metric) return &quantity;
  return nullptr;
}

std::vector<std::string> measured_variants(const StudyConfig& config) {
  std::vector<std::string> names;
  for (const VariantName& variant : variants())
    if (variant.model == config.model && !(variant.if_named && config.measure.variants.empty()) &&
        chosen_or_all(config.measure.variants, variant.name))
      names.emplace_back(variant.name);
  return names;
}

TrialModel model_layout(const StudyConfig& config, std::size_t layers) {
  require_records(config);
  TrialModel model;
  const bool chip = config.model == "chip";
  model.axes = {
      {"variant", "1", "how the device is programmed and what acts on the light", measured_variants(config)}};
  if (chip) {
    const std::int64_t codes = config.task.codes();
    model.axes.push_back({"layer", "1", "layer of the network", counted(0, static_cast<std::int64_t>(layers))});
    model.axes.push_back({"code_error", "LSB", "decoded code minus exact Q(mean)", counted(1 - codes, codes)});
  }
  if (config.model == "drift") {
    std::vector<double> times;
    for (int k = 0; k < config.drift.instants; ++k) times.push_back(k * config.drift.interval_s);
    model.axes.push_back({"time", "s", "time since the first calibration", std::move(times)});
    model.axes.push_back({"end", "1", "instant", std::vector<std::string>{"first", "last"}});
  }
  if (config.model == "learning") {
    std::vector<std::int64_t> steps;
    for (int k = 1; k <= config.learner.evaluations; ++k)
      steps.push_back(static_cast<std::int64_t>(k) * config.learner.steps / config.learner.evaluations);
    model.axes.push_back({"step", "step", "steps of training taken", std::move(steps)});
  }
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 6> errors = {
      {{"chip", "output_error"},
       {"tolerance", "tolerance"},
       {"cascade", "cascade_error_rms"},
       {"drift", "instant_error_rms"},
       {"mesh", "mesh_error"},
       {"learning", "final_loss"}}};
  model.error_metric = std::find_if(errors.begin(), errors.end(), [&](const auto& e) {
                         return e.first == config.model;
                       })->second;
  for (const Metric& metric : metrics()) {
    // what a stop rule, a yield or an ablation looks at is measured whether listed or not
    const bool needed = metric.name == config.runner.precision_metric || metric.name == config.yield.metric ||
                        metric.name == model.error_metric;
    if (metric.model != config.model || !(needed || chosen_or_all(config.measure.metrics, metric.name)))
      continue;
    Quantity quantity{&metric, {}, model.record_size};
    for (const auto axis : metric.axes) quantity.shape.push_back(model.axis(axis).size());
    model.record_size += quantity.size();
    model.quantities.push_back(std::move(quantity));
  }
  return model;
}

}  // namespace optinc
