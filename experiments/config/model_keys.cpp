#include "experiments/config/model_keys.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "experiments/config/study_names.hpp"
#include "physics/core/check.hpp"

namespace optinc {
namespace {

/// A row without a key is its whole section; the row of a key goes before that of its section.
struct Readers {
  std::string_view section, key;
  bool chip, drift, mesh;
};

constexpr std::array<Readers, 26> readers = {{
    {"", "", true, true, true},
    {"run", "", true, true, true},
    {"runner", "", true, true, true},
    {"measure", "words", true, true, false},
    {"measure", "once", true, false, false},
    {"measure", "", true, true, true},
    {"yield", "", true, true, true},
    {"task", "", true, true, false},
    {"network", "", true, true, false},
    {"training", "", true, true, false},
    {"chip", "", true, true, true},
    {"calibration", "sigma_estimate_rad", true, true, true},
    {"calibration", "diagonal_epochs", true, false, false},
    {"calibration", "diagonal_rate", true, false, false},
    {"calibration", "", true, true, false},
    {"crosstalk", "", true, true, false},
    {"operation", "", true, true, false},
    {"link", "", true, true, false},
    {"noise", "", true, true, false},
    {"mesh", "", false, false, true},
    {"drift", "imbalance_m", true, true, false},  // how phases answer to [operation], too
    {"drift", "heater_per_k", true, true, false},
    {"drift", "splitter_rad_per_m", true, true, false},
    {"drift", "", false, true, false},
    {"budget", "", false, false, false},
    {"gradient", "", true, false, false},
}};

const Readers& readers_of(std::string_view section, std::string_view key) {
  const auto found = std::find_if(readers.begin(), readers.end(), [&](const Readers& r) {
    return r.section == section && (r.key == key || r.key.empty());
  });
  validate(found != readers.end(),
           "section [{}] has no readers (a row of model_keys.cpp says them). Add its row.", section);
  return *found;
}

bool reads(const Readers& r, std::string_view model) {
  return model == "chip" ? r.chip : model == "drift" ? r.drift : r.mesh;
}

}  // namespace

bool model_reads(std::string_view model, std::string_view section, std::string_view key) {
  return reads(readers_of(section, key), model);
}

std::string readers_text(std::string_view section, std::string_view key) {
  if (section == "budget") return "no model (optinc budget does)";
  std::string text;
  for (const auto model : model_names())
    if (model_reads(model, section, key)) text += fmt::format("{}{}", text.empty() ? "" : ", ", model);
  return text;
}

std::vector<std::string> unread_keys(const StudyConfig& config) {
  const auto entries = config_entries(config), defaults = config_entries({});
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const FieldEntry& e = entries[i];
    if (e.value != defaults[i].value && !model_reads(config.model, e.section, e.info.key))
      lines.push_back(fmt::format("{}: model {} does not read it (read by: {}): {} changes nothing", e.name(),
                                  config.model, readers_text(e.section, e.info.key), toml_text(e.value)));
  }
  return lines;
}

}  // namespace optinc
