#include "experiments/study/study_sets.hpp"

#include <algorithm>
#include <array>
#include <map>

#include "experiments/study/study_parts.hpp"
#include "experiments/study/study_rows.hpp"
#include "physics/core/check.hpp"
#include "physics/core/units.hpp"

namespace optinc {
namespace {

std::vector<std::string> names_of(const std::vector<FieldEntry>& entries) {
  std::vector<std::string> names;
  for (const FieldEntry& entry : entries) names.push_back(entry.name());
  return names;
}

bool equal_values(const std::vector<FieldEntry>& a, const std::vector<FieldEntry>& b) {
  return std::ranges::equal(a, b, {}, &FieldEntry::value, &FieldEntry::value);
}

// -- [chip] preset

std::vector<FieldEntry> chip_entries(const ErrorModel& chip) {
  std::vector<FieldEntry> entries;
  visit_rows(chip, [&](const Row& info, const auto& member) {
    entries.push_back({"chip", info, to_field_value(member)});
  });
  return entries;
}

std::vector<std::string> chip_keys() { return names_of(chip_entries({})); }

void start_chip(StudyConfig& config, const std::string& name) { config.chip = error_preset(name); }

/// A chip with values of its own must not go under the name of a preset.
void name_chip(StudyConfig& config) {
  ErrorModel& chip = config.chip;
  if (chip.preset != "custom" && !equal_values(chip_entries(chip), chip_entries(error_preset(chip.preset))))
    chip.preset = "custom";
}

// -- [fabrication] preset

/// Keys of [fabrication] that are no process.
constexpr std::array<std::string_view, 6> no_process = {"process",          "preset",       "wafer_radius_m",
                                                        "edge_exclusion_m", "die_length_m", "die_width_m"};

std::vector<FieldEntry> process_entries(const FabricationSettings& fabrication) {
  std::vector<FieldEntry> entries;
  visit_rows(fabrication, [&](const Row& info, const auto& member) {
    if (std::ranges::find(no_process, info.key) == no_process.end())
      entries.push_back({"fabrication", info, to_field_value(member)});
  });
  return entries;
}

std::vector<std::string> process_keys() { return names_of(process_entries({})); }

/// The process of that name; "custom" has no values of its own.
void start_process(StudyConfig& config, const std::string& name) {
  config.fabrication.preset = name;
  if (name != "custom") config.fabrication.shared = shared_process(name);
}

/// A process with values of its own must not go under the name of a preset.
void name_process(StudyConfig& config) {
  FabricationSettings preset;
  std::string& name = config.fabrication.preset;
  if (name == "custom") return;
  preset.shared = shared_process(name);
  if (!equal_values(process_entries(config.fabrication), process_entries(preset))) name = "custom";
}

// -- [noise] set

/// What a set of noise says. "receivers" is what fields begin with.
Assignments noise_set(std::string_view name) {
  const bool full = name == "full";
  const StudyConfig begins;
  Assignments values;
  for (const char* source : {"shot", "tia", "rin", "lock", "converter", "jitter"})
    values.emplace_back(fmt::format("noise.{}", source), true);
  values.emplace_back("noise.last_only", false);
  values.emplace_back("link.sigma_lock_rad", begins.hardware.link.sigma_lock_rad);
  values.emplace_back("link.sigma_oscillator_rad", full ? 0.05 : begins.hardware.link.sigma_oscillator_rad);
  values.emplace_back("modulator.leak", full ? field_ratio_of_loss_db(28.0) : begins.hardware.modulator.leak);
  values.emplace_back("link.level_mismatch", full ? 0.03 : begins.hardware.link.level_mismatch);
  values.emplace_back("link.sigma_combiner", full ? 0.01 : begins.hardware.link.sigma_combiner);
  return values;
}

std::vector<std::string> noise_keys() {
  std::vector<std::string> keys;
  for (const auto& [key, value] : noise_set("receivers")) keys.push_back(key);
  return keys;
}

void start_noise(StudyConfig& config, const std::string& name) {
  if (name != "custom") config = with_values(std::move(config), noise_set(name));
}

/// Names the noise by the set that says just these values.
void name_noise(StudyConfig& config) {
  std::map<std::string, FieldValue> has;
  for (const FieldEntry& entry : config_entries(config)) has.emplace(entry.name(), entry.value);
  const auto names = noise_set_names();
  config.noise.set = *std::ranges::find_if(names, [&](std::string_view name) {
    return name == "custom" || std::ranges::all_of(noise_set(name), [&](const auto& assigned) {
             return has.at(assigned.first) == assigned.second;
           });
  });
}

// -- [parts] set

/// What a set of parts says: parts and values that sets differ in.
Assignments parts_set(std::string_view name) {
  const UnitHardware unit = unit_of_parts(name);
  Assignments values;
  for (const UnitPart& part : unit_parts(unit)) values.emplace_back(part.key, part.part->name);
  StudyConfig of_set;
  of_set.hardware = unit;
  for (const FieldEntry& entry : config_entries(of_set))
    if (std::ranges::count(keys_of_parts_set(), entry.name()) > 0)
      values.emplace_back(entry.name(), entry.value);
  return values;
}

std::vector<std::string> parts_keys() {
  std::vector<std::string> keys(keys_of_parts_set().begin(), keys_of_parts_set().end());
  for (const UnitPart& part : unit_parts({})) {
    keys.push_back(part.key);
    for (std::string& key : keys_of_part(part)) keys.push_back(std::move(key));
  }
  return keys;
}

void start_parts(StudyConfig& config, const std::string& name) {
  if (name != "custom") config = with_values(std::move(config), parts_set(name));
}

/// Names the unit by the set that has just these parts, whatever their values and what surrounds them.
void name_parts(StudyConfig& config) {
  const std::vector<UnitPart> has = unit_parts(config.hardware);
  config.parts.set = "custom";
  for (const std::string_view name : parts_set_names())
    if (std::ranges::equal(has, unit_parts(unit_of_parts(name)), {}, &UnitPart::part, &UnitPart::part))
      config.parts.set = name;
}

constexpr std::array<NamedSet, 4> sets = {{{"parts.set", parts_keys, start_parts, name_parts},
                                           {"noise.set", noise_keys, start_noise, name_noise},
                                           {"chip.preset", chip_keys, start_chip, name_chip},
                                           {"fabrication.preset", process_keys, start_process, name_process}}};

}  // namespace

std::span<const NamedSet> named_sets() { return sets; }

void name_sets(StudyConfig& config) {
  for (const NamedSet& set : sets) set.name(config);
}

std::span<const std::string_view> noise_set_names() {
  static constexpr std::array<std::string_view, 3> names = {"receivers", "full", "custom"};
  return names;
}

StudyConfig with_values(StudyConfig config, const Assignments& values) {
  for (const NamedSet& set : sets)
    for (const auto& [key, value] : values)
      if (key == set.key) set.start(config, std::get<std::string>(value));
  visit_config(config, [&](std::string_view section, const Row& info, auto& member) {
    const FieldEntry entry{section, info, false};
    for (const auto& [key, value] : values)
      if (key == entry.name()) {
        check_row(key, info, value);
        from_field_value(member, value);
      }
  });
  name_sets(config);
  return config;
}

}  // namespace optinc
