#include "experiments/study/model_keys.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "experiments/study/study_model.hpp"
#include "experiments/study/study_parts.hpp"

namespace optinc {
namespace {

/// Keys that the engine reads for every model.
constexpr std::array<std::string_view, 6> of_engine = {
    "", "run", "runner", "yield", "measure.metrics", "measure.variants"};

}  // namespace

bool model_reads(std::string_view model, std::string_view section, std::string_view key) {
  const auto is = [&](std::string_view name) {
    return name == section || name == fmt::format("{}.{}", section, key);
  };
  return std::any_of(of_engine.begin(), of_engine.end(), is) || study_model(model).reads_key(section, key);
}

std::string readers_text(std::string_view section, std::string_view key) {
  std::string text;
  for (const StudyModel& model : study_models())
    if (model_reads(model.name, section, key))
      text += fmt::format("{}{}", text.empty() ? "" : ", ", model.name);
  return text.empty() ? "none (read by optinc budget and optinc compare-costs)" : text;
}

std::vector<StudyWarning> unread_keys(const StudyConfig& config) {
  const auto entries = config_entries(config), defaults = entries_of_parts(config);
  std::vector<StudyWarning> unread;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const FieldEntry& e = entries[i];
    if (e.value != defaults[i].value && !model_reads(config.model, e.section, e.info.key))
      unread.push_back({e.name(),
                        fmt::format("model {} does not read it (read by: {}): {} changes nothing", config.model,
                                    readers_text(e.section, e.info.key), toml_text(e.value)),
                        "model"});
  }
  return unread;
}

}  // namespace optinc
