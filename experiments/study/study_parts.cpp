#include "experiments/study/study_parts.hpp"

#include <algorithm>

#include "physics/core/check.hpp"

namespace optinc {

std::vector<std::string> keys_of_part(const UnitPart& part) {
  std::vector<std::string> keys;
  for (const Figure& figure : part.part->figures)
    if (!figure.key.empty()) keys.push_back(part.key.substr(0, part.key.find('.') + 1) + figure.key);
  return keys;
}

StudyConfig start_of_parts(const StudyConfig& config) {
  return config.parts.set == "custom" ? StudyConfig{} : with_values({}, {{"parts.set", config.parts.set}});
}

std::vector<FieldEntry> entries_of_parts(const StudyConfig& config) {
  Assignments named;
  for (const UnitPart& part : unit_parts(config.hardware)) named.emplace_back(part.key, part.part->name);
  const StudyConfig start = start_of_parts(config);
  const std::vector<FieldEntry> defaults = config_entries(start);
  std::vector<FieldEntry> entries = config_entries(with_values(start, named));
  for (std::size_t i = 0; i < entries.size(); ++i)
    if (!entries[i].info.part.empty()) entries[i].value = defaults[i].value;
  return entries;
}

void refuse_parts_swept_beside_own_values(const StudyConfig& config, std::string_view name) {
  const auto is_swept = [&](const std::string& key) {
    return std::ranges::any_of(config.sweeps, [&](const SweepAxis& axis) {
      return std::ranges::find(axis.keys, key, &SweptKey::key) != axis.keys.end();
    });
  };
  for (const UnitPart& part : unit_parts(config.hardware)) {
    if (!is_swept(part.key)) continue;
    const std::string section = part.key.substr(0, part.key.find('.') + 1);
    for (const std::string& own : part.overridden)
      validate(is_swept(section + own),
               "{}: a sweep of {} beside a value of {}{} (every part brings its own, which would undo it). "
               "Leave {}{} "
               "out, or sweep it, too.",
               name, part.key, section, own, section, own);
  }
}

}  // namespace optinc
