#include "experiments/run/axes.hpp"

#include <algorithm>
#include <set>

#include "experiments/study/points.hpp"
#include "physics/core/check.hpp"

namespace optinc {
namespace {

/// Values of one key as a dataset's: numbers as they are, truth as 0 and 1, lists as text.
template <class Write>
void with_stored_values(const std::vector<FieldValue>& values, Write write) {
  const auto all = [&](auto convert) {
    std::vector<decltype(convert(values.front()))> stored;
    for (const FieldValue& value : values) stored.push_back(convert(value));
    write(stored);
  };
  const FieldValue& first = values.front();
  if (std::holds_alternative<double>(first))
    all([](const FieldValue& v) { return std::get<double>(v); });
  else if (std::holds_alternative<std::int64_t>(first))
    all([](const FieldValue& v) { return std::get<std::int64_t>(v); });
  else if (std::holds_alternative<bool>(first))
    all([](const FieldValue& v) { return std::int64_t{std::get<bool>(v)}; });
  else if (std::holds_alternative<std::string>(first))
    all([](const FieldValue& v) { return std::get<std::string>(v); });
  else
    all([](const FieldValue& v) { return toml_text(v); });
}

/// A name for a key's values among an axis' keys: its last word where that is nobody else's.
std::string dataset_name(const SweepAxis& axis, const std::string& key) {
  const auto alike = std::count_if(axis.keys.begin(), axis.keys.end(),
                                   [&](const SweptKey& other) { return key_name(other.key) == key_name(key); });
  std::string name = alike > 1 || key_name(key) == axis.name ? key : key_name(key);
  std::replace(name.begin(), name.end(), '.', '_');
  return name;
}

void write_axis(const Group& group, const StudyConfig& config, const SweepAxis& axis) {
  if (axis.ablation()) {
    group.dimension(axis.name, ablation_labels(axis), "1", "sources of error that act");
    return;
  }
  if (axis.keys.size() == 1) {
    const Row info = entry_of(config, axis.keys[0].key).info;
    with_stored_values(axis.keys[0].values, [&](const auto& values) {
      group.dimension(axis.name, values, info.unit, info.meaning);
    });
    group.attributes(axis.name).set("key", std::string_view(axis.keys[0].key));
    return;
  }
  group.counting_dimension(axis.name, axis.points(), "point of keys taken together");
  for (const SweptKey& key : axis.keys) {
    const Row info = entry_of(config, key.key).info;
    const std::string name = dataset_name(axis, key.key);
    with_stored_values(key.values, [&](const auto& values) {
      group.dataset(name, {std::string_view(axis.name)}, values, info.unit, info.meaning);
    });
    group.attributes(name).set("key", std::string_view(key.key));
  }
}

}  // namespace

std::vector<std::string> sweep_axis_names(const StudyConfig& config, bool with_ablation) {
  std::vector<std::string> names;
  for (const SweepAxis& axis : config.sweeps)
    if (with_ablation || !axis.ablation()) names.push_back(axis.name);
  return names;
}

void write_sweep_axes(const Group& group, const StudyConfig& config, bool with_ablation) {
  for (const SweepAxis& axis : config.sweeps)
    if (with_ablation || !axis.ablation()) write_axis(group, config, axis);
}

void write_model_axes(const Group& group, const TrialModel& model) {
  std::set<std::string_view> used;
  for (const Quantity& quantity : model.quantities)
    used.insert(quantity.metric->axes.begin(), quantity.metric->axes.end());
  for (const ModelAxis& axis : model.axes)
    if (used.contains(axis.name)) {
      std::visit([&](const auto& values) { group.dimension(axis.name, values, axis.unit, axis.long_name); },
                 axis.values);
      if (!axis.meanings.empty()) group.attributes(axis.name).set("meanings", std::string_view(axis.meanings));
    }
}

std::vector<std::string_view> axes_of(const std::vector<std::string>& sweeps, const Quantity& quantity,
                                      std::string_view between, std::string_view behind) {
  std::vector<std::string_view> axes(sweeps.begin(), sweeps.end());
  if (!between.empty()) axes.push_back(between);
  axes.insert(axes.end(), quantity.metric->axes.begin(), quantity.metric->axes.end());
  if (!behind.empty()) axes.push_back(behind);
  return axes;
}

}  // namespace optinc
