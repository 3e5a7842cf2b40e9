#include "experiments/study/study_model.hpp"

#include <array>
#include <set>

#include "experiments/study/study_config.hpp"
#include "experiments/study/study_names.hpp"
#include "physics/core/check.hpp"
#include "physics/core/names.hpp"

namespace optinc {
namespace {

/// Models that a program adds to the built-in ones, until all are asked for.
struct Added {
  std::vector<StudyModel> models;
  bool asked = false;
};
Added& added() {
  static Added list;
  return list;
}

std::vector<StudyModel> all_models() {
  std::vector<StudyModel> all = built_in_models();
  added().asked = true;
  for (StudyModel& model : added().models) all.push_back(std::move(model));
  std::set<std::string_view> names, metrics;
  for (const StudyModel& model : all) {
    validate(names.insert(model.name).second, "model {} is there twice. Give it a name of its own.",
             model.name);
    validate(model.make != nullptr && model.find(model.error_metric) != nullptr && !model.variants.empty(),
             "model {} makes no trials, has no variant or does not measure its error metric. This is a bug: "
             "report it.",
             model.name);
    for (const Metric& metric : model.metrics)
      validate(metrics.insert(metric.name).second,
               "metric {} of model {} is there twice. Give it a name of its own.", metric.name, model.name);
  }
  return all;
}

}  // namespace

const Metric* StudyModel::find(std::string_view metric) const {
  for (const Metric& m : metrics)
    if (m.name == metric) return &m;
  return nullptr;
}

bool StudyModel::reads_key(std::string_view section, std::string_view key) const {
  bool read = false;
  for (std::string_view entry : reads) {
    const bool ignored = entry.starts_with('!');
    if (ignored) entry.remove_prefix(1);
    const auto dot = entry.find('.');
    if (entry.substr(0, dot) == section && (dot == entry.npos || entry.substr(dot + 1) == key)) read = !ignored;
  }
  return read;
}

bool add_model(StudyModel model) {
  validate(!added().asked, "model {} comes too late (the models were asked for). Add it before main().",
           model.name);
  added().models.push_back(std::move(model));
  return true;
}

std::span<const StudyModel> study_models() {
  static const std::vector<StudyModel> all = all_models();
  return all;
}

const StudyModel& study_model(std::string_view name) {
  for (const StudyModel& model : study_models())
    if (model.name == name) return model;
  refuse_name("model", name, model_names());
}

const StudyModel& model_of(const StudyConfig& config) { return study_model(config.model); }

const Metric* find_metric(std::string_view name) {
  for (const StudyModel& model : study_models())
    if (const Metric* metric = model.find(name)) return metric;
  return nullptr;
}

bool has_network(std::string_view model) { return study_model(model).networks != nullptr; }

double trial_memory_bytes(const StudyConfig& config, int threads) {
  const StudyModel& model = model_of(config);
  return model.memory_bytes == nullptr ? 0.0 : model.memory_bytes(config, threads);
}

std::string_view name_of(Better better) {
  static constexpr std::array<std::string_view, 3> names = {"none", "higher", "lower"};
  return names[static_cast<std::size_t>(better)];
}

std::string_view name_of(MetricKind kind) {
  static constexpr std::array<std::string_view, 4> names = {"number", "share", "event", "counts"};
  return names[static_cast<std::size_t>(kind)];
}

}  // namespace optinc
