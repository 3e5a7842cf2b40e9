#include "experiments/models/trial_model.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

#include <fmt/format.h>

#include "experiments/study/limits.hpp"
#include "experiments/study/study_names.hpp"
#include "physics/core/check.hpp"

namespace optinc {
namespace {

/// Whether a study that lists `chosen` has `name`; listing nothing means all.
bool chosen_or_all(const std::vector<std::string>& chosen, std::string_view name) {
  return chosen.empty() || std::find(chosen.begin(), chosen.end(), name) != chosen.end();
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
  for (const VariantName& variant : model_of(config).variants)
    if (!(variant.if_named && config.measure.variants.empty()) &&
        chosen_or_all(config.measure.variants, variant.name))
      names.emplace_back(variant.name);
  return names;
}

TrialModel model_layout(const StudyConfig& config, std::size_t layers) {
  require_records(config);
  const StudyModel& of = model_of(config);
  TrialModel model;
  const std::vector<std::string> variants = measured_variants(config);
  std::string meanings;
  for (const std::string& variant : variants)
    if (const auto meaning = variant_meaning(variant); !meaning.empty())
      meanings += fmt::format("{}{}: {}", meanings.empty() ? "" : "\n", variant, meaning);
  model.axes = {
      {"variant", "1", "how the device is programmed and what acts on the light", variants, meanings}};
  if (of.axes != nullptr)
    for (ModelAxis& axis : of.axes(config, layers)) model.axes.push_back(std::move(axis));
  model.error_metric = of.error_metric;
  for (const Metric& metric : of.metrics) {
    // what a stop rule, a yield or an ablation looks at is measured whether listed or not
    const bool needed = metric.name == config.runner.precision_metric || metric.name == config.yield.metric ||
                        metric.name == model.error_metric;
    if (!needed && !chosen_or_all(config.measure.metrics, metric.name)) continue;
    Quantity quantity{&metric, {}, model.record_size};
    for (const auto axis : metric.axes) quantity.shape.push_back(model.axis(axis).size());
    model.record_size += quantity.size();
    model.quantities.push_back(std::move(quantity));
  }
  return model;
}

}  // namespace optinc
