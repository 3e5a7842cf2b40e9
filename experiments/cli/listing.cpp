#include "experiments/cli/listing.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "experiments/base/shipped_files.hpp"
#include "experiments/base/terminal.hpp"
#include "experiments/base/text_table.hpp"
#include "experiments/files/hdf5/table_column.hpp"
#include "experiments/study/shipped_networks.hpp"
#include "experiments/study/study_config.hpp"
#include "experiments/study/study_model.hpp"
#include "experiments/study/study_names.hpp"
#include "physics/core/check.hpp"
#include "physics/core/names.hpp"

namespace optinc {
namespace {

namespace fs = std::filesystem;

/// What there is of a name.
struct Entry {
  std::string name, description;
};

/// Entries below a heading, their descriptions from column `indent` on.
struct Section {
  std::string heading;
  std::vector<Entry> entries;
  std::size_t indent = 27;
};

using Sections = std::vector<Section>;

std::string text_of(const Section& section) {
  std::string text = section.heading + "\n";
  for (const Entry& entry : section.entries)
    text += hanging_text("  " + entry.name, entry.description, section.indent);
  return text;
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
Sections shipped(std::string_view kind, std::string_view use) {
  const fs::path folder = shipped_folder(kind);
  std::error_code none;
  Section section{fmt::format("{}{} ({})", kind, use, folder.string()), {}};
  if (!fs::is_directory(folder, none))
    section.heading += fmt::format("\n  not found: this build's {} are not installed on this machine", kind);
  else
    for (const std::string& name : shipped_names(kind))
      section.entries.push_back({name, first_sentence(folder / (name + ".toml"))});
  return {section};
}

Sections studies() { return shipped("studies", " of optinc run"); }
Sections lists() { return shipped("lists", " of interconnect, cluster, compare-costs, operating-point"); }
Sections mappings() { return shipped("mappings", " of optinc circuit"); }

/// Of a damaged or newer file, why it cannot be read: the others are listed all the same.
std::string described_network(const std::string& name) {
  try {
    return network_description(name);
  } catch (const Error& error) {
    return error.what();
  }
}

Sections networks() {
  Section section{
      "trained networks for network.source: widths of layers; MZIs; what their last training met; keys of\n"
      "task, link and devices that are not the defaults",
      {},
      43};
  for (const std::string& name : shipped_networks()) section.entries.push_back({name, described_network(name)});
  return {section};
}

Sections presets() {
  Section section{"chip presets (optinc explain chip.preset)", {}};
  for (const auto name : error_preset_names()) {
    StudyConfig config;
    config.chip = error_preset(name);
    std::string values;
    for (const FieldEntry& entry : config_entries(config))
      if (entry.section == "chip" && entry.info.key != "preset")
        values += fmt::format("{}{} {}", values.empty() ? "" : ", ", entry.info.key, toml_text(entry.value));
    section.entries.push_back({std::string(name), values});
  }
  return {section};
}

Sections models() {
  Sections sections;
  for (const StudyModel& model : study_models()) {
    Section section{fmt::format("model {}: a trial simulates {}; metrics", model.name, model.simulates), {}};
    for (const Metric& metric : model.metrics)
      section.entries.push_back(
          {std::string(metric.name), fmt::format("{} [{}]", metric.long_name, metric.unit)});
    std::vector<std::string_view> ways;
    for (const VariantName& variant : model.variants) ways.push_back(variant.name);
    section.entries.push_back({"variants", join_names(ways)});
    sections.push_back(section);
  }
  return sections;
}

Sections devices() {
  return {
      {"devices of the light path, and the section of a study that configures each\n"
       "(published devices: optinc devices)",
       {{"PAM4 modulator, fibre lock", "[link] launch power, phase-lock error"},
        {"power divider (unit P)", "[task] number of servers"},
        {"coupler, phase shifter, DAC", "[chip] splitter error, calibration, loss, DAC bits, phase noise"},
        {"mesh of MZIs, attenuators", "[chip] errors drawn per chip; [mesh] for a single mesh"},
        {"homodyne receiver, amplifier",
         "[receiver] local oscillator, responsivity, noise, bandwidth; [noise] switches for the noise sources"},
        {"environment of a chip", "[drift] ambient, die and laser; recalibration (model drift)"}},
       32}};
}

Sections sources() {
  Section section{"error sources that an ablation switches off, and the keys that it sets to zero or false",
                  {}};
  for (const FieldEntry& entry : config_entries({}))
    if (!entry.info.ablation.empty())
      section.entries.push_back({std::string(entry.info.ablation), entry.name()});
  return {section};
}

Sections figures() {
  Section section{"figures of optinc report, by figures = [..] of a study", {}};
  for (const std::string_view name : figure_names()) section.entries.push_back({std::string(name), {}});
  return {section};
}

/// Whether a text holds a word, in any case.
bool holds(std::string_view text, std::string_view word) {
  const auto same = [](unsigned char a, unsigned char b) { return std::tolower(a) == std::tolower(b); };
  return !std::ranges::search(text, word, same).empty();
}

/// Sections with those entries alone whose name or description holds the word, without sections that have none.
Sections with_word(Sections sections, std::string_view word) {
  if (word.empty()) return sections;
  for (Section& section : sections)
    std::erase_if(section.entries,
                  [&](const Entry& e) { return !holds(e.name, word) && !holds(e.description, word); });
  std::erase_if(sections, [](const Section& section) { return section.entries.empty(); });
  return sections;
}

constexpr std::array<std::pair<std::string_view, Sections (*)()>, 9> parts = {{{"studies", studies},
                                                                               {"lists", lists},
                                                                               {"mappings", mappings},
                                                                               {"networks", networks},
                                                                               {"devices", devices},
                                                                               {"presets", presets},
                                                                               {"models", models},
                                                                               {"sources", sources},
                                                                               {"figures", figures}}};

/// The kinds asked for, or all, by name.
std::vector<std::pair<std::string_view, Sections>> chosen(std::string_view kind, std::string_view word) {
  const std::vector<std::string_view> kinds = listing_kinds();
  if (!kind.empty() && std::ranges::find(kinds, kind) == kinds.end()) refuse_name("kind", kind, kinds);
  std::vector<std::pair<std::string_view, Sections>> found;
  for (const auto& [name, sections] : parts)
    if (kind.empty() || kind == name) found.emplace_back(name, with_word(sections(), word));
  return found;
}

/// Parts that are not empty, an empty line between them.
std::string joined(std::span<const std::string> texts) {
  std::string all;
  for (const std::string& text : texts)
    if (!text.empty()) all += (all.empty() ? "" : "\n") + text;
  return all;
}

}  // namespace

std::vector<std::string_view> listing_kinds() {
  std::vector<std::string_view> kinds;
  for (const auto& part : parts) kinds.push_back(part.first);
  return kinds;
}

std::string listing(std::string_view kind, std::string_view word) {
  std::vector<std::string> texts;
  for (const auto& [name, sections] : chosen(kind, word)) {
    texts.emplace_back();
    for (const Section& section : sections) texts.back() += text_of(section);
  }
  return joined(texts);
}

std::string listing_json(std::string_view kind, std::string_view word) {
  auto json = nlohmann::ordered_json::object();
  for (const auto& [name, sections] : chosen(kind, word)) {
    json[std::string(name)] = nlohmann::ordered_json::array();
    for (const Section& section : sections)
      for (const Entry& entry : section.entries)
        json[std::string(name)].push_back(
            {{"name", entry.name}, {"description", entry.description}, {"heading", section.heading}});
  }
  return json_text(json);
}

std::string keys_json(std::string_view key) {
  auto json = nlohmann::ordered_json::array();
  std::vector<FieldEntry> entries = config_entries({});
  std::ranges::move(sweep_entries(), std::back_inserter(entries));
  for (const FieldEntry& entry : entries) {
    const Row& row = entry.info;
    if (!key.empty() && key != entry.name() && key != entry.section) continue;
    nlohmann::ordered_json one = {{"key", entry.name()},
                                  {"meaning", row.meaning},
                                  {"unit", row.unit},
                                  {"default", json_of(entry.value)},
                                  {"allowed", expected_text(row, entry.value)},
                                  {"source", row.source}};
    if (std::isfinite(row.min)) one["min"] = row.min;
    if (std::isfinite(row.max)) one["max"] = row.max;
    if (!row.names.empty()) one["names"] = row.names;
    json.push_back(one);
  }
  if (!json.empty()) return json_text(json);
  explain(key);  // refuses what is nothing
  throw Error(
      fmt::format("\"{0}\" is no key or section, of which alone --json tells. Run optinc explain {0}.", key));
}

std::string help_text(std::string_view word, std::span<const std::pair<std::string, std::string>> commands) {
  Section described{"commands (optinc COMMAND --help)", {}},
      keys{"keys of a study (optinc explain KEY)", {}, 38};
  for (const auto& [name, description] : commands) described.entries.push_back({name, description});
  for (const FieldEntry& entry : config_entries({}))
    keys.entries.push_back({entry.name(), fmt::format("{} [{}]", entry.info.meaning, entry.info.unit)});
  std::vector<std::string> texts;
  for (const Section& section : with_word({described, keys}, word)) texts.push_back(text_of(section));
  texts.push_back(listing({}, word));
  return joined(texts);
}

}  // namespace optinc
