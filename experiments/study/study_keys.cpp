#include "experiments/study/study_keys.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "experiments/base/text_table.hpp"
#include "experiments/study/model_keys.hpp"
#include "experiments/study/study_config.hpp"
#include "experiments/study/study_model.hpp"
#include "experiments/study/study_names.hpp"
#include "physics/core/check.hpp"
#include "physics/core/names.hpp"
#include "physics/devices/catalogue.hpp"

namespace optinc {
namespace {

std::vector<std::string_view> section_names() {
  std::vector<std::string_view> names;
  for (const FieldEntry& entry : config_entries({}))
    if (!entry.section.empty() && (names.empty() || names.back() != entry.section))
      names.push_back(entry.section);
  return names;
}

std::vector<std::string_view> keys_of(std::string_view section) {
  std::vector<std::string_view> keys;
  for (const FieldEntry& entry : config_entries({}))
    if (entry.section == section) keys.push_back(entry.info.key);
  return keys;
}

/// A line for each key of a section; empty where there is no such section.
std::string explain_section(std::string_view section) {
  std::string text;
  for (const FieldEntry& entry : config_entries({}))
    if (!section.empty() && entry.section == section)
      text += hanging_text(
          fmt::format("  {}", entry.info.key),
          fmt::format("{} [{}]; default {}", entry.info.meaning, entry.info.unit, toml_text(entry.value)), 31);
  if (text.empty()) return text;
  std::vector<std::string> others;  // by name, then by meaning
  const std::string own = fmt::format("{}.", section);
  for (const std::string& key : all_keys())
    if (key.find(section) != key.npos && !key.starts_with(own)) others.push_back(key);
  for (const FieldEntry& entry : config_entries({}))
    if (entry.section != section && entry.info.meaning.find(section) != std::string_view::npos &&
        std::ranges::find(others, entry.name()) == others.end())
      others.push_back(entry.name());
  constexpr std::size_t most = 12;
  if (others.size() > most) {
    others.resize(most);
    others.push_back(fmt::format(".. (optinc help {})", section));
  }
  if (!others.empty()) text += hanging_text("  see also", fmt::format("{}", fmt::join(others, ", ")), 11);
  return fmt::format("[{}]\n{}  optinc explain {}.KEY shows the details of a key\n", section, text, section);
}

/// What a part sets in its section, and where parts are described.
std::string keys_set_text(const FieldEntry& entry) {
  std::vector<std::string> keys;
  const std::string& name = std::get<std::string>(entry.value);
  for (const Figure& figure : part_of_kind(entry.info.part, name).figures)
    if (!figure.key.empty()) keys.push_back(fmt::format("{}.{}", entry.section, figure.key));
  return fmt::format("{}, unless they are set too (optinc devices NAME shows a part)", fmt::join(keys, ", "));
}

/// What a metric is; empty where there is none of that name.
std::string explain_metric(std::string_view name) {
  for (const StudyModel& model : study_models())
    if (const Metric* metric = model.find(name))
      return fmt::format("{}, a metric\n", name) +
             hanging_text(fmt::format("  model {}:", model.name),
                          fmt::format("{} [{}]", metric->long_name, metric->unit), 10 + model.name.size()) +
             "  formulas: experiments/files/hdf5/FORMAT.md, group trials\n";
  return {};
}

/// What a variant is; empty where there is none of that name.
std::string explain_variant(std::string_view name) {
  const std::string_view meaning = variant_meaning(name);
  return meaning.empty() ? "" : fmt::format("{}, a variant\n", name) + hanging_text("  meaning:", meaning, 11);
}

}  // namespace

std::string likely_keys(std::string_view wrong) {
  // keys that had another name until the devices of a unit got sections of their own
  static constexpr std::pair<std::string_view, std::string_view> moved[] = {
      {"link.bandwidth_hz", "receiver.bandwidth_hz"},
      {"link.modulator_leak", "modulator.leak"},
      {"link.adc_bits", "converter.bits"},
      {"budget.heater", "heater.device"},
      {"budget.laser_power_w", "laser.power_w"},
      {"budget.modulator_loss_db", "modulator.loss_db"},
      {"budget.modulator_bandwidth_hz", "modulator.bandwidth_hz"},
      {"budget.driver_j_per_symbol", "modulator.drive_capacitance_f"},
      {"budget.splitter_loss_db", "splitter.loss_db"},
      {"budget.coupler_loss_db", "coupler.loss_db"},
      {"budget.fibre_m", "fibre.length_m"},
      {"budget.fibre_connectors", "fibre.connectors"},
      {"budget.waveguide_loss_db_per_cm", "waveguide.loss_db_per_cm"},
      {"budget.routing_m", "waveguide.length_m"},
      {"budget.receiver_w", "receiver.supply_power_w"},
      {"budget.adc_bits", "converter.bits"},
      {"budget.adc_effective_bits", "converter.effective_bits"},
      {"budget.adc_step_j", "converter.step_j"},
      {"budget.adc_delay_s", "converter.delay_s"},
      {"budget.symbol_rate_bd", "time.symbol_rate_bd"},
      {"drift.die_resistance_k_per_w", "die.resistance_k_per_w"},
      {"drift.die_capacity_j_per_k", "die.capacity_j_per_k"}};
  for (const auto& [old, now] : moved)
    if (wrong == old) return std::string(now);
  const auto entries = config_entries({});
  const auto dot = wrong.find('.');
  const std::string_view section = dot == wrong.npos ? "" : wrong.substr(0, dot);
  const std::string_view key = dot == wrong.npos ? wrong : wrong.substr(dot + 1);
  for (const FieldEntry& entry : entries)
    if (entry.info.key == key) return entry.name();
  const std::vector<std::string> full = all_keys();
  std::vector<std::string_view> names;  // of its section, or all
  for (const std::string_view name : full)
    if (!section.empty() && name.starts_with(fmt::format("{}.", section))) names.push_back(name);
  if (names.empty()) names.assign(full.begin(), full.end());
  const auto likely = likely_names(wrong, names);
  if (likely.front().find(wrong) != wrong.npos) return choice_text(likely);
  // "bandwith_hz" is compared with keys, not with the sections before them
  std::vector<std::string_view> keys;
  for (const std::string_view name : names) keys.push_back(name.substr(name.find('.') + 1));
  const auto nearest = std::ranges::find(keys, nearest_name(key, keys)) - keys.begin();
  return std::string(names[static_cast<std::size_t>(nearest)]);
}

std::string_view nearest_section(std::string_view wrong) {
  return wrong == "operation" ? "environment" : nearest_name(wrong, section_names());
}

std::string known_sections_text() { return "sections: " + join_names(section_names()); }

std::string known_keys_text(std::string_view section) {
  return (section.empty() ? "above the sections: " : fmt::format("[{}] has: ", section)) +
         join_names(keys_of(section));
}

std::vector<std::string> all_keys() {
  std::vector<std::string> keys;
  for (const FieldEntry& entry : config_entries({})) keys.push_back(entry.name());
  for (const FieldEntry& entry : sweep_entries()) keys.push_back(entry.name());
  return keys;
}

std::string explain(std::string_view key) {
  auto entries = config_entries({});
  const auto sweeps = sweep_entries();
  entries.insert(entries.end(), sweeps.begin(), sweeps.end());
  for (const FieldEntry& entry : entries) {
    if (entry.name() != key) continue;
    const Row& info = entry.info;
    const bool table =
        entry.section == "sweep" && (info.key == "values" || info.key == "range" || info.key == "shapes");
    const std::string shown = table ? std::get<std::string>(entry.value) : toml_text(entry.value);
    std::string text = fmt::format("{}\n", key);
    const auto line = [&](std::string_view label, std::string_view said) {
      text += hanging_text(fmt::format("  {}:", label), said, 11);
    };
    line("meaning", info.meaning);
    line("unit", info.unit);
    line(table ? "example" : "default", shown);
    line("allowed", table ? "a table of section.key" : expected_text(info, entry.value));
    line("source", info.source.empty() ? "a choice of this project" : info.source);
    if (entry.section != "sweep") line("models", readers_text(entry.section, entry.info.key));
    if (!info.part.empty()) line("sets", keys_set_text(entry));
    if (entry.section == "noise") line("acts", "in variant noisy, and in all variants with drift");
    if (info.file)
      line("files",
           "a relative path starts at the study's folder; after --set or --sweep, at the working directory");
    if (!info.ablation.empty()) line("ablate", fmt::format("source \"{}\"", info.ablation));
    return text;
  }
  if (std::string text = explain_section(key) + explain_metric(key) + explain_variant(key); !text.empty())
    return text;
  throw Error(fmt::format("unknown key \"{}\" (not one of {} keys, nor a section or metric). Did you mean {}?",
                          key, all_keys().size(), likely_keys(key)));
}

}  // namespace optinc
