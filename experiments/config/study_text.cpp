#include <fmt/format.h>

#include "experiments/config/study_config.hpp"
#include "experiments/config/study_fields.hpp"

namespace optinc {
namespace {

std::string print(const StudyConfig& config, bool comments, std::string_view without) {
  std::string text;
  std::string_view section;
  for (const FieldEntry& entry : config_entries(config)) {
    if (entry.name() == without) continue;
    if (entry.section != section) text += fmt::format("\n[{}]\n", section = entry.section);
    text += fmt::format("{} = {}", entry.info.key, toml_text(entry.value));
    if (comments)
      text += fmt::format("  # {}{}", entry.info.meaning,
                          entry.info.unit == "1" ? "" : fmt::format(" [{}]", entry.info.unit));
    text += '\n';
  }
  return text;
}

}  // namespace

std::vector<FieldEntry> config_entries(const StudyConfig& config) {
  std::vector<FieldEntry> entries;
  visit_config(config, [&](std::string_view section, const FieldInfo& info, const auto& member) {
    entries.push_back({section, info, to_field_value(member)});
  });
  return entries;
}

bool operator==(const StudyConfig& a, const StudyConfig& b) {
  const auto left = config_entries(a), right = config_entries(b);
  for (std::size_t i = 0; i < left.size(); ++i)
    if (left[i].value != right[i].value) return false;
  return true;
}

std::string to_toml(const StudyConfig& config, bool comments) { return print(config, comments, ""); }

std::string identity_toml(const StudyConfig& config) { return print(config, false, "run.threads"); }

std::string run_id(const StudyConfig& config) {
  std::uint64_t hash = 14695981039346656037u;  // FNV-1a 64
  for (const char c : identity_toml(config)) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 1099511628211u;
  }
  return fmt::format("{:016x}", hash);
}

}  // namespace optinc
