#include "experiments/study/points.hpp"

#include <fmt/format.h>

#include "experiments/study/limits.hpp"
#include "experiments/study/study_model.hpp"
#include "physics/core/check.hpp"

namespace optinc {
namespace {

/// The value that switches a source off.
FieldValue off(const FieldValue& value) {
  if (std::holds_alternative<bool>(value)) return false;
  if (std::holds_alternative<std::int64_t>(value)) return std::int64_t{0};
  return 0.0;
}

bool switched_off(const SweepAxis& axis, const std::vector<bool>& active, std::string_view source) {
  for (std::size_t i = 0; i < active.size(); ++i)
    if (axis.sources[i] == source) return !active[i];
  return false;
}

}  // namespace

std::size_t point_count(const StudyConfig& config) {
  constexpr std::size_t most = 1'000'000;
  std::size_t points = 1;
  for (const SweepAxis& axis : config.sweeps) {
    points *= axis.points();
    validate(points <= most,
             "the sweeps have more than {} points together (axes are nested). Pair keys in one [[sweep]], or "
             "use fewer values.",
             most);
  }
  return points;
}

void require_records(const StudyConfig& config) {
  if (const auto require = model_of(config).require_records) require(config);
}

std::vector<std::size_t> point_index(const StudyConfig& config, std::size_t point) {
  std::vector<std::size_t> index(config.sweeps.size());
  for (std::size_t a = index.size(); a-- > 0; point /= config.sweeps[a].points())
    index[a] = point % config.sweeps[a].points();
  return index;
}

StudyConfig config_at(const StudyConfig& config, std::size_t point) { return StudyPoints(config)[point]; }

StudyPoints::StudyPoints(const StudyConfig& config) : config_(config), unswept_(config) {
  unswept_.sweeps.clear();
}

StudyConfig StudyPoints::operator[](std::size_t point) const {
  const auto index = point_index(config_, point);
  Assignments values;
  for (std::size_t a = 0; a < index.size(); ++a)
    for (const SweptKey& key : config_.sweeps[a].keys) values.emplace_back(key.key, key.values[index[a]]);
  StudyConfig there = with_values(unswept_, values);
  for (std::size_t a = 0; a < index.size(); ++a) {
    const SweepAxis& axis = config_.sweeps[a];
    if (!axis.ablation()) continue;
    const auto active = ablation_active(axis, index[a]);
    Assignments zeros;
    for (const FieldEntry& entry : config_entries(there))
      if (!entry.info.ablation.empty() && switched_off(axis, active, entry.info.ablation))
        zeros.emplace_back(entry.name(), off(entry.value));
    there = with_values(std::move(there), zeros);
  }
  return there;
}

std::vector<StudyConfig> checked_points(const StudyConfig& config, const std::function<void()>& at_each) {
  std::vector<StudyConfig> points;
  const StudyPoints at(config);
  for (std::size_t p = 0; p < at.size(); ++p) {
    if (at_each) at_each();
    points.push_back(at[p]);
    try {
      validate_config(points.back());
      require_records(points.back());
    } catch (const Error& error) {
      throw Error(config.sweeps.empty() ? error.what()
                                        : fmt::format("at {}: {}", point_label(config, p), error.what()));
    }
  }
  return points;
}

std::string point_label(const StudyConfig& config, std::size_t point) {
  const auto index = point_index(config, point);
  std::string text;
  for (std::size_t a = 0; a < index.size(); ++a) {
    const SweepAxis& axis = config.sweeps[a];
    if (axis.ablation()) text += fmt::format(", {}", ablation_labels(axis)[index[a]]);
    for (const SweptKey& key : axis.keys)
      text += fmt::format(", {} = {}", key_name(key.key), toml_text(key.values[index[a]]));
  }
  return text.empty() ? text : text.substr(2);
}

std::string key_name(std::string_view key) {
  if (key == "network.source") return "network";  // an ablation has an axis "source"
  return std::string(key.substr(key.rfind('.') + 1));
}

FieldEntry entry_of(const StudyConfig& config, std::string_view key) {
  for (FieldEntry& entry : config_entries(config))
    if (entry.name() == key) return entry;
  throw Error(fmt::format("unknown key \"{}\" (a sweep or a program names it). See optinc explain.", key));
}

bool is_off(const FieldValue& value) { return value == off(value); }

}  // namespace optinc
