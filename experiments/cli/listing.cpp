#include "experiments/cli/listing.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "experiments/base/shipped_files.hpp"
#include "experiments/base/text_table.hpp"
#include "experiments/study/shipped_networks.hpp"
#include "experiments/study/study_config.hpp"
#include "experiments/study/study_model.hpp"
#include "experiments/study/study_names.hpp"
#include "physics/core/check.hpp"
#include "physics/core/names.hpp"

namespace optinc {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t indent = 27;

/// `  NAME  description` under a hanging indent.
std::string described(std::string_view name, std::string_view description) {
  return hanging_text(fmt::format("  {}", name), description, indent);
}

/// The first sentence of the comment that a study or list begins with: what it is for.
std::string first_sentence(const fs::path& study) {
  std::ifstream file(study);
  std::string text;
  for (std::string line; std::getline(file, line) && line.starts_with("# ") && !text.ends_with('.');) {
    text += (text.empty() ? "" : " ") + line.substr(2);
    if (const std::size_t end = text.find(". "); end != text.npos) text.resize(end + 1);
  }
  return text;
}

/// Studies or lists, by name.
std::string shipped_text(std::string_view kind, std::string_view use) {
  const fs::path folder = shipped_folder(kind);
  std::error_code none;
  std::string text = fmt::format("{}{} ({})\n", kind, use, folder.string());
  if (!fs::is_directory(folder, none))
    return text + fmt::format("  not found: this build's {} are not installed on this machine\n", kind);
  for (const std::string& name : shipped_names(kind))
    text += described(name, first_sentence(folder / (name + ".toml")));
  return text;
}

std::string studies_text() { return shipped_text("studies", " of optinc run"); }
std::string lists_text() {
  return shipped_text("lists", " of interconnect, cluster, compare-costs, operating-point");
}

std::string mappings_text() { return shipped_text("mappings", " of optinc circuit"); }

/// Of a damaged or newer file, why it cannot be read: the others are listed all the same.
std::string described_network(const std::string& name) {
  try {
    return network_description(name);
  } catch (const Error& error) {
    return error.what();
  }
}

std::string networks_text() {
  constexpr std::size_t behind_names = 43;
  std::string text =
      "trained networks for network.source: widths of layers; MZIs; what their last training met; keys of\n"
      "task, link and devices that are not the defaults\n";
  for (const std::string& name : shipped_networks())
    text += hanging_text("  " + name, described_network(name), behind_names);
  return text;
}

std::string presets_text() {
  std::string text = "chip presets (optinc explain chip.preset)\n";
  for (const auto name : error_preset_names()) {
    StudyConfig config;
    config.chip = error_preset(name);
    std::string values;
    for (const FieldEntry& entry : config_entries(config))
      if (entry.section == "chip" && entry.info.key != "preset")
        values += fmt::format("{}{} {}", values.empty() ? "" : ", ", entry.info.key, toml_text(entry.value));
    text += described(name, values);
  }
  return text;
}

std::string models_text() {
  std::string text;
  for (const StudyModel& model : study_models()) {
    text += fmt::format("model {}: a trial simulates {}; metrics\n", model.name, model.simulates);
    for (const Metric& metric : model.metrics)
      text += described(metric.name, fmt::format("{} [{}]", metric.long_name, metric.unit));
    std::vector<std::string_view> ways;
    for (const VariantName& variant : model.variants) ways.push_back(variant.name);
    text += hanging_text("  variants:", join_names(ways), 12);
  }
  return text;
}

std::string devices_text() {
  return "devices of the light path, and the section of a study that configures each\n"
         "(published devices: optinc devices)\n"
         "  PAM4 modulator, fibre lock    [link]      launch power, phase-lock error\n"
         "  power divider (unit P)        [task]      number of servers\n"
         "  coupler, phase shifter, DAC   [chip]      splitter error, calibration, loss, DAC bits, phase "
         "noise\n"
         "  mesh of MZIs, attenuators     [chip]      errors drawn per chip; [mesh] for a single mesh\n"
         "  homodyne receiver, amplifier  [receiver]  local oscillator, responsivity, noise, bandwidth;\n"
         "                                [noise]     switches for the noise sources\n"
         "  environment of a chip         [drift]     ambient, die and laser; recalibration (model drift)\n";
}

std::string sources_text() {
  std::string text =
      "error sources that an ablation switches off, and the keys that it sets to zero or false\n";
  for (const FieldEntry& entry : config_entries({}))
    if (!entry.info.ablation.empty()) text += described(entry.info.ablation, entry.name());
  return text;
}

std::string figures_text() { return hanging_text("figures:", join_names(figure_names()), 9); }

/// Whether a text holds a word, in any case.
bool holds(std::string_view text, std::string_view word) {
  const auto same = [](unsigned char a, unsigned char b) { return std::tolower(a) == std::tolower(b); };
  return !std::ranges::search(text, word, same).empty();
}

/// The entries of a part that hold the word, each a line behind two blanks and what follows further in, below
/// their headings. Lines of an entry are joined by a blank before they are searched.
std::string with_word(const std::string& part, std::string_view word) {
  std::string kept, heading, entry, joined;
  const auto end_entry = [&] {
    if (!entry.empty() && holds(joined, word)) {
      kept += heading + entry;
      heading.clear();
    }
    entry.clear(), joined.clear();
  };
  bool in_heading = false;
  std::istringstream lines(part);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t at = line.find_first_not_of(' ');
    if (at == std::string::npos || at <= 2) end_entry();
    if (at == 0) heading = (in_heading ? heading : "") + line + "\n";
    in_heading = at == 0;
    if (at == std::string::npos || at == 0) continue;
    entry += line + "\n";
    joined += (joined.empty() ? "" : " ") + line.substr(at);
  }
  end_entry();
  return kept;
}

using Text = std::string (*)();
constexpr std::array<std::pair<std::string_view, Text>, 9> parts = {{{"studies", studies_text},
                                                                     {"lists", lists_text},
                                                                     {"mappings", mappings_text},
                                                                     {"networks", networks_text},
                                                                     {"devices", devices_text},
                                                                     {"presets", presets_text},
                                                                     {"models", models_text},
                                                                     {"sources", sources_text},
                                                                     {"figures", figures_text}}};

}  // namespace

std::vector<std::string_view> listing_kinds() {
  std::vector<std::string_view> kinds;
  for (const auto& part : parts) kinds.push_back(part.first);
  return kinds;
}

std::string listing(std::string_view kind, std::string_view word) {
  const std::vector<std::string_view> kinds = listing_kinds();
  if (!kind.empty() && std::find(kinds.begin(), kinds.end(), kind) == kinds.end())
    refuse_name("kind", kind, kinds);
  std::string all;
  for (const auto& [name, text] : parts) {
    if (!kind.empty() && kind != name) continue;
    const std::string part = word.empty() ? text() : with_word(text(), word);
    if (!part.empty()) all += (all.empty() ? "" : "\n") + part;
  }
  return all;
}

std::string help_text(std::string_view word, std::span<const std::pair<std::string, std::string>> commands) {
  std::string text = "commands (optinc COMMAND --help)\n";
  for (const auto& [name, description] : commands) text += described(name, description);
  std::string keys = "keys of a study (optinc explain KEY)\n";
  for (const FieldEntry& entry : config_entries({}))
    keys += hanging_text(fmt::format("  {}", entry.name()),
                         fmt::format("{} [{}]", entry.info.meaning, entry.info.unit), 38);
  std::string all;
  for (const std::string& part : {with_word(text, word), with_word(keys, word), listing({}, word)})
    if (!part.empty()) all += (all.empty() ? "" : "\n") + part;
  return all;
}

}  // namespace optinc
