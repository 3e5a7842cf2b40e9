#include "experiments/study/study_config.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <optional>
#include <set>

#include "experiments/study/model_keys.hpp"
#include "experiments/study/points.hpp"
#include "experiments/study/study_keys.hpp"
#include "experiments/study/study_model.hpp"
#include "experiments/study/study_parts.hpp"
#include "experiments/study/study_rows.hpp"
#include "experiments/study/sweep_parse.hpp"
#include "experiments/study/toml_values.hpp"
#include "onn/chip/chip_design.hpp"
#include "onn/network/full_svd.hpp"
#include "onn/task/words.hpp"
#include "physics/core/check.hpp"
#include "physics/core/names.hpp"
#include "physics/core/units.hpp"

namespace optinc {
namespace {

/// A value that a file or an override gives, with the place to name when it is wrong.
struct Given {
  FieldValue value;
  std::string where;
  bool file = false;  ///< may name one
};
using GivenValues = std::map<std::string, Given>;  // by "section.key"

/// The entry with the names of this model alone where the node holds one that is no model's.
FieldEntry of_model(FieldEntry entry, const toml::node& node, std::string_view model) {
  const bool metrics = entry.name() == "measure.metrics";
  if (!metrics && entry.name() != "measure.variants") return entry;
  const auto known = [&](const toml::node& one) {
    const auto name = one.value<std::string_view>();
    return !name || std::ranges::find(entry.info.names, *name) != entry.info.names.end();
  };
  const toml::array* list = node.as_array();
  if (list != nullptr ? std::all_of(list->begin(), list->end(), known) : known(node)) return entry;
  const auto models = model_names();
  if (std::ranges::find(models, model) == models.end()) return entry;
  entry.info.names = metrics ? metric_names(model) : variant_names(model);
  return entry;
}

void read_value(const FieldEntry& any, const toml::node& node, const TomlSource& source, std::string_view model,
                GivenValues& given) {
  const FieldEntry entry = of_model(any, node, model);
  const std::string where = source.at(node) + entry.name();
  given.insert_or_assign(entry.name(), Given{checked_value(entry, node, where), where, entry.info.file});
}

/// Every value of the table, checked; `model`: the study's, whatever says so.
void read_table(const toml::table& table, const TomlSource& source, std::string_view model,
                GivenValues& given) {
  const auto entries = config_entries(StudyConfig{});
  const auto find = [&](std::string_view section, const toml::key& key) -> const FieldEntry& {
    for (const FieldEntry& entry : entries)
      if (entry.section == section && entry.info.key == key.str()) return entry;
    const std::string full =
        section.empty() ? std::string(key.str()) : fmt::format("{}.{}", section, key.str());
    throw Error(fmt::format("{}unknown key {} ({}). Did you mean {}?", source.at(key.source()), one_line(full),
                            known_keys_text(section), likely_keys(full)));
  };
  for (const auto& [key, node] : table) {
    if (key.str() == "sweep") {  // read once the values below them are known
      validate(!source.is_option,
               "{}: --set takes one value (a sweep takes several). Write --sweep section.key=[values].",
               source.name);
      continue;
    }
    const bool section = std::any_of(entries.begin(), entries.end(),
                                     [name = key.str()](const auto& e) { return e.section == name; });
    if (section) {
      validate(node.is_table(), "{}{} = {} is a value ({} is a section). Write [{}] and its keys below it.",
               source.at(node), key.str(), shown(node), key.str(), key.str());
      for (const auto& [inner, value] : *node.as_table())
        read_value(find(key.str(), inner), value, source, model, given);
    } else if (node.is_table()) {
      throw Error(fmt::format("{}unknown section [{}] ({}). Did you mean [{}]?", source.at(key.source()),
                              one_line(std::string(key.str())), known_sections_text(),
                              nearest_section(key.str())));
    } else {
      read_value(find("", key), node, source, model, given);
    }
  }
}

/// Rounding of the networks of a study that does not set it: that of files and of the carry chain, half-even
/// where all are trained.
Rounding rounding_of_networks(const StudyConfig& config, const Overrides& overrides) {
  std::vector<std::string> sources = {config.network.source};
  for (const SweepAxis& axis : config.sweeps)
    for (const SweptKey& key : axis.keys)
      if (key.key == "network.source") {
        sources.clear();
        for (const FieldValue& value : key.values) sources.push_back(std::get<std::string>(value));
      }
  std::map<Rounding, std::string> found;
  for (const std::string& source : sources) {
    std::optional<Rounding> rounding;
    if (source == "train" || source == "untrained")
      rounding = Task().rounding;
    else if (source == "carry-chain")
      rounding = Rounding::half_up;
    else if (overrides.rounding_of)
      rounding = overrides.rounding_of(source);
    if (rounding) found.try_emplace(*rounding, source);
  }
  std::vector<std::string> named;
  for (const auto& [rounding, source] : found)
    named.push_back(fmt::format("{} for {}", name_of(rounding), source));
  validate(
      found.size() < 2,
      "task.rounding is not set, and the networks of the sweep round differently ({}). Run one study for each "
      "rounding.",
      fmt::join(named, ", "));
  return found.empty() ? Task().rounding : found.begin()->first;
}

/// What fields that may name a file say otherwise.
constexpr std::array<std::string_view, 9> no_files = {"train",  "none",    "carry-chain", "untrained", "same",
                                                      "random", "unitary", "orthogonal",  "default"};

/// A relative path of a study as the working directory sees it; words for no file and shipped/NAME as they are.
void place_beside(const std::filesystem::path& folder, FieldValue& value) {
  auto* text = std::get_if<std::string>(&value);
  if (text == nullptr || folder.empty() || text->starts_with("shipped/")) return;
  if (std::find(no_files.begin(), no_files.end(), *text) == no_files.end())
    *text = (folder / *text).lexically_normal().string();
}

std::vector<FieldEntry> chip_entries(const ErrorModel& chip) {
  std::vector<FieldEntry> entries;
  visit_rows(chip, [&](const Row& info, const auto& member) {
    entries.push_back({"chip", info, to_field_value(member)});
  });
  return entries;
}

/// The values a chip starts from before single keys go over them.
ErrorModel chip_start(const GivenValues& given, std::string_view name) {
  const auto preset = given.find("chip.preset");
  if (preset == given.end()) return StudyConfig{}.chip;
  const std::string& start = std::get<std::string>(preset->second.value);
  if (start != "custom") return error_preset(start);
  std::vector<std::string> missing;
  for (const FieldEntry& entry : chip_entries({}))
    if (!given.contains(entry.name()) && !std::holds_alternative<bool>(entry.value))  // a switch is off
      missing.push_back(entry.name());
  validate(
      missing.empty(),
      "{}: chip.preset = \"custom\" without {} (custom has no values of its own). Give every key of [chip], or "
      "start from a preset such as \"{}\".",
      name, fmt::join(missing, ", "), StudyConfig{}.chip.preset);
  return {};
}

/// A chip with values of its own must not go under the name of a preset.
void name_chip(ErrorModel& chip) {
  if (chip.preset == "custom") return;
  const auto values = chip_entries(chip), preset = chip_entries(error_preset(chip.preset));
  for (std::size_t i = 0; i < values.size(); ++i)
    if (values[i].value != preset[i].value) chip.preset = "custom";
}

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

/// The process that a preset names, where it names one: "custom" has no values of its own.
void start_process(FabricationSettings& fabrication, const FieldValue& preset) {
  fabrication.preset = std::get<std::string>(preset);
  if (fabrication.preset != "custom") fabrication.shared = shared_process(fabrication.preset);
}

/// A process with values of its own must not go under the name of a preset.
void name_process(FabricationSettings& fabrication) {
  if (fabrication.preset == "custom") return;
  FabricationSettings preset;
  preset.shared = shared_process(fabrication.preset);
  const auto has = process_entries(fabrication), named = process_entries(preset);
  for (std::size_t i = 0; i < has.size(); ++i)
    if (has[i].value != named[i].value) fabrication.preset = "custom";
}

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

/// Keys that a set of parts sets, by itself or by its parts.
std::set<std::string> keys_of_parts() {
  std::set<std::string> keys(keys_of_parts_set().begin(), keys_of_parts_set().end());
  for (const UnitPart& part : unit_parts({})) {
    keys.insert(part.key);
    for (std::string& key : keys_of_part(part)) keys.insert(std::move(key));
  }
  return keys;
}

/// Names the unit by the set that has just these parts.
void name_parts(StudyConfig& config) {
  const std::vector<UnitPart> has = unit_parts(config.hardware);
  config.parts.set = "custom";
  for (const std::string_view name : parts_set_names()) {
    const UnitHardware unit = unit_of_parts(name);
    if (std::ranges::equal(has, unit_parts(unit), {}, &UnitPart::part, &UnitPart::part))
      config.parts.set = name;
  }
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

}  // namespace

std::span<const std::string_view> noise_set_names() {
  static constexpr std::array<std::string_view, 3> names = {"receivers", "full", "custom"};
  return names;
}

StudyConfig with_values(StudyConfig config, const Assignments& values) {
  for (const auto& [key, value] : values) {
    if (key == "chip.preset") config.chip = error_preset(std::get<std::string>(value));
    if (key == "fabrication.preset") start_process(config.fabrication, value);
    if (key == "parts.set" && value != FieldValue(std::string("custom")))
      config = with_values(std::move(config), parts_set(std::get<std::string>(value)));
    if (key == "noise.set" && value != FieldValue(std::string("custom")))
      config = with_values(std::move(config), noise_set(std::get<std::string>(value)));
  }
  visit_config(config, [&](std::string_view section, const Row& info, auto& member) {
    const FieldEntry entry{section, info, false};
    for (const auto& [key, value] : values)
      if (key == entry.name()) {
        check_row(key, info, value);
        from_field_value(member, value);
      }
  });
  name_chip(config.chip);
  name_process(config.fabrication);
  name_parts(config);
  name_noise(config);
  return config;
}

namespace {

/// Renames a text, or every text of an array.
template <class Present>
void rename(toml::node_view<toml::node> found, const Present& present) {
  if (auto* const name = found.as_string()) *name = std::string(present(name->get()));
  if (auto* const names = found.as_array())
    for (toml::node& node : *names) rename(toml::node_view<toml::node>(node), present);
}

/// The names of a file of this schema version by their present ones, in sections and sweeps.
void rename_stored(toml::table& table, std::int64_t schema_version) {
  if (schema_version < 5) rename(table["measure"]["variants"], present_variant);
  if (!table.contains("parts")) table.insert("parts", toml::table{{"set", "idealised"}});  // what there was
  for (const FieldEntry& entry : config_entries({})) {
    if (entry.info.former.empty()) continue;
    const auto present = [&](std::string_view name) { return present_name(name, entry.info.former); };
    rename(table[entry.section][entry.info.key], present);
    if (toml::array* const sweeps = table["sweep"].as_array())
      for (toml::node& sweep : *sweeps)
        rename(toml::node_view<toml::node>(sweep)["values"][entry.name()], present);
  }
}

/// `folder`: of the study's file, where its relative paths start. `stored`: the schema version of the result
/// file that holds the text; 0 for a text that a user wrote.
StudyConfig parse_study(std::string_view text, std::string_view name, const Overrides& overrides,
                        const std::filesystem::path& folder, std::int64_t stored = 0) {
  GivenValues given, over;
  const TomlSource source{std::string(name)};
  toml::table table = parse_toml(text, source);
  if (stored > 0) rename_stored(table, stored);
  std::vector<Assignment> assigned;
  for (const std::string& setting : overrides.settings) assigned.push_back(parse_assignment(setting, "--set"));
  std::string model = table["model"].value_or(StudyConfig().model);
  for (const Assignment& one : assigned) model = one.table["model"].value_or(model);
  read_table(table, source, model, given);
  for (auto& [key, value] : given)
    if (value.file) place_beside(folder, value.value);
  for (const Assignment& one : assigned) read_table(one.table, one.source, model, over);
  // a preset asked for on the command line must not be undone by the file, which --print-config writes in full
  if (over.contains("chip.preset"))
    std::erase_if(given,
                  [](const auto& v) { return v.first.starts_with("chip.") && v.first != "chip.measured"; });
  for (const UnitPart& part : unit_parts({}))
    if (over.contains(part.key))
      for (const std::string& key : keys_of_part(part)) given.erase(key);
  if (over.contains("fabrication.preset"))
    for (const FieldEntry& entry : process_entries({})) given.erase(entry.name());
  if (over.contains("parts.set"))
    for (const std::string& key : keys_of_parts()) given.erase(key);
  if (over.contains("noise.set"))
    for (const auto& [key, value] : noise_set("receivers")) given.erase(key);
  for (const auto& [key, value] : over) given.insert_or_assign(key, value);

  StudyConfig config;
  if (const auto set = given.find("parts.set"); set != given.end())
    config = with_values(config, {{"parts.set", set->second.value}});
  if (const auto set = given.find("noise.set"); set != given.end())
    config = with_values(config, {{"noise.set", set->second.value}});
  config.chip = chip_start(given, name);
  if (const auto preset = given.find("fabrication.preset"); preset != given.end())
    start_process(config.fabrication, preset->second.value);
  visit_config(config, [&](std::string_view section, const Row& info, auto& member) {
    const auto found = given.find(FieldEntry{section, info, false}.name());
    if (found != given.end()) from_field_value(member, found->second.value);
  });
  name_chip(config.chip);
  name_process(config.fabrication);
  name_parts(config);
  name_noise(config);
  config.sweeps = read_sweeps(table, source, config);
  for (SweepAxis& axis : config.sweeps)
    for (SweptKey& key : axis.keys)
      if (entry_of(config, key.key).info.file)
        for (FieldValue& value : key.values) place_beside(folder, value);
  for (const std::string& sweep : overrides.sweeps) override_sweep(sweep, config);
  for (const SweepAxis& axis : config.sweeps)
    for (const SweptKey& key : axis.keys)
      validate(!over.contains(key.key),
               "--set {}: the study sweeps this key (its values would win). Write --sweep {}=[{}].", key.key,
               key.key, over.contains(key.key) ? toml_text(over.at(key.key).value) : "");
  refuse_parts_swept_beside_own_values(config, name);
  if (overrides.ablation) config.sweeps.push_back(ablation_of_all(config));
  validate_axes(config.sweeps, name);
  if (!given.contains("task.rounding")) config.task.rounding = rounding_of_networks(config, overrides);
  try {
    validate_config(config);
  } catch (const Error& error) {  // what holds between keys has no line of its own
    throw Error(fmt::format("{}: {}", name, error.what()));
  }
  return config;
}

}  // namespace

StudyConfig parse_config(std::string_view text, std::string_view name, const Overrides& overrides) {
  return parse_study(text, name, overrides, {});
}

std::string_view present_variant(std::string_view before_schema_5) {
  if (before_schema_5 == "corrected") return "corrected_quadrature";
  return before_schema_5 == "corrected_nearest" ? "corrected" : before_schema_5;
}

StudyConfig parse_stored_config(std::string_view text, std::string_view name, std::int64_t schema_version) {
  return parse_study(text, name, {}, {}, schema_version);
}

StudyConfig load_config(const std::filesystem::path& path, const Overrides& overrides) {
  const std::string name = path.string();
  const bool of_the_shell = name.starts_with("/dev/") || name.starts_with("/proc/");  // <(..) has no folder
  return parse_study(read_toml_file(path, "a study is a TOML file"), name, overrides,
                     of_the_shell ? "" : path.parent_path());
}

namespace {

/// Metrics and variants must be those of the study's model.
void validate_names(const StudyConfig& config) {
  const StudyModel& model = model_of(config);
  const auto names_of = [](const auto& entries) {
    std::vector<std::string_view> names;
    for (const auto& entry : entries) names.push_back(entry.name);
    return names;
  };
  const auto check = [&](std::string_view key, const std::string& name,
                         const std::vector<std::string_view>& known) {
    validate(name == "none" || std::find(known.begin(), known.end(), name) != known.end(),
             "{} names {} (model {} has: {}). Name one of those.", key, name, config.model, join_names(known));
  };
  const auto known = names_of(model.metrics), ways = names_of(model.variants);
  for (const auto& name : config.measure.metrics) check("measure.metrics", name, known);
  for (const auto& name : config.measure.variants) check("measure.variants", name, ways);
  check("runner.precision_metric", config.runner.precision_metric, known);
  check("yield.metric", config.yield.metric, known);
  for (const std::string& name : {config.runner.precision_metric, config.yield.metric}) {
    const Metric* metric = model.find(name);
    validate(metric == nullptr || !metric->trial_0_only,
             "{} is measured on trial 0 alone (a yield or a precision needs every trial). Name {}.", name,
             model.metrics.front().name);
  }
  validate(config.runner.precision == 0 || config.runner.precision_metric != "none",
           "runner.precision = {} without runner.precision_metric (the metric whose mean is to be precise). "
           "Set it to a metric of model {}.",
           config.runner.precision, config.model);
  validate(config.measure.once.empty() || model_reads(config.model, "measure", "once"),
           "measure.once names {} (only model {} has a network to send it through). Leave it out.",
           config.measure.once.empty() ? "" : config.measure.once.front(), readers_text("measure", "once"));
}

}  // namespace

Network network_shape(const StudyConfig& config) {
  if (config.network.source == "carry-chain") return carry_chain(config.task, config.network.carry_chain);
  return with_full_svd(network_outline(config.task, config.network.hidden), config.training.full_svd_layers);
}

namespace {

/// Chips from wafers: dies that lie on them, meshes that fit on a die, and nobody who would ignore it.
void validate_fabrication(const StudyConfig& config) {
  if (config.fabrication.process != FabricationProcess::wafer) return;
  validate_field(model_reads(config.model, "fabrication", "process"), "process",
                 "\"wafer\" in a study of model {} (it would be ignored). Set model = \"{}\", or process = "
                 "\"independent\".",
                 config.model, readers_text("fabrication", "process"));
  validate_field(!config.training.on_chips || config.network.source != "train" || !has_network(config.model),
                 "process",
                 "\"wafer\" with training.on_chips (training draws errors that are independent from device to "
                 "device). Set training.on_chips = false, or process = \"independent\".");
  dies_on_wafer(config.fabrication.wafer);
  // the meshes of a file are known once it is read
  if (has_network(config.model) && (config.network.source == "train" || config.network.source == "carry-chain"))
    placed_on_die(meshes_of(network_shape(config)), config.hardware.layout, config.fabrication.wafer);
}

/// A chip that was measured, in a study that can have one.
void validate_measured_chip(const StudyConfig& config) {
  const std::string& source = config.measured_chip.measured;
  validate_field(model_reads(config.model, "chip", "measured"), "measured",
                 "{} in a study of model {} (it would be ignored). Choose a model that reads it: {}.", source,
                 config.model, readers_text("chip", "measured"));
  validate_field(config.calibration.sigma_estimate_rad == 0.0, "measured",
                 "{} with calibration.sigma_estimate_rad = {} (what was measured is the estimate; the other "
                 "keys of [chip] say how far it is off). Set calibration.sigma_estimate_rad = 0.",
                 source, config.calibration.sigma_estimate_rad);
  validate_field(config.fabrication.process == FabricationProcess::independent, "measured",
                 "{} with fabrication.process = \"wafer\" (measured errors include those of the wafer). Set "
                 "fabrication.process = \"independent\".",
                 source);
  validate_field(!config.training.on_chips || config.network.source != "train", "measured",
                 "{} with training.on_chips = true (chips that training meets are drawn). Train first, and set "
                 "network.source to the file.",
                 source);
}

}  // namespace

void validate_config(const StudyConfig& config) {
  const auto entries = config_entries(config);
  for (const FieldEntry& entry : entries) check_row(entry.name(), entry.info, entry.value);
  // what follows are conditions across keys, and values that are no keys
  validate_names(config);
  // a check's error about a field of a section: "known = 2 (..)" becomes "crosstalk.known = 2 (..)"
  const auto in_sections = [&](std::initializer_list<std::string_view> sections, auto check) {
    try {
      check();
    } catch (const Error& error) {
      for (const std::string_view section : sections)
        for (const FieldEntry& e : entries)
          if (e.section == section && e.info.key == error.field)
            throw Error(fmt::format("{}.{}", section, error.what()));
      throw Error(fmt::format("{}: {}", *sections.begin(), error.what()));
    }
  };
  const auto in_section = [&](std::string_view section, auto check) { in_sections({section}, check); };
  // sections that the model does not read are held to the same: what no device has is wrong in any study
  in_section("task", [&] {
    if (config.network.source == "train" && config.training.words_per_epoch == 0)
      validate_enumerable(config.task);
    else
      validate_task(config.task);
  });
  in_section("training", [&] {
    validate_training(config.training);
    validate(!config.training.on_chips || config.network.start != "random",
             "on_chips with network.start = \"random\" (training on chips starts from a network that is right "
             "without errors). Set network.start to the file of one.");
  });
  in_section("calibration", [&] {
    validate_field(config.calibration.diagonal_epochs == 0 || config.network.source != "carry-chain",
                   "diagonal_epochs",
                   "{} with the carry chain (only the diagonals of trained networks are retrained). Set "
                   "calibration.diagonal_epochs = 0.",
                   config.calibration.diagonal_epochs);
  });
  in_section("mesh", [&] {
    validate_field(config.mesh.target_is_drawn() || std::filesystem::path(config.mesh.target).has_extension(),
                   "target",
                   "\"{}\" is unknown (known: unitary, orthogonal, or a file of a matrix: .csv, .h5, .sNp such "
                   "as .s8p). Choose one.",
                   config.mesh.target);
    validate_field(!config.mesh.is_measured() || config.calibration.sigma_estimate_rad == 0.0, "measured",
                   "{} with calibration.sigma_estimate_rad = {} (what was measured is the estimate; [chip] "
                   "says how far it is off). Set calibration.sigma_estimate_rad = 0.",
                   config.mesh.measured, config.calibration.sigma_estimate_rad);
  });
  in_section("crosstalk", [&] { validate_crosstalk_settings(config.crosstalk); });
  in_section("receiver", [&] { validate_receiver(config.hardware.receiver); });
  in_section("converter", [&] { validate_adc(config.hardware.converter); });
  in_section("layout", [&] { validate_floor_plan(config.hardware.layout); });
  in_section("fabrication", [&] { validate_fabrication(config); });
  in_section("heater", [&] { validate_thermo_optic(config.hardware.heater); });
  in_section("splitter", [&] { validate_splitter_tree(config.hardware.splitter); });
  in_section("coupler",
             [&] { fibre_coupler_loss_db(config.hardware.coupler, config.hardware.laser.wavelength_m); });
  in_section("fibre", [&] { validate_fibre(config.hardware.fibre); });
  in_section("waveguide", [&] { validate_waveguide(config.hardware.routing); });
  in_sections({"link", "time", "die", "layout", "waveguide"}, [&] { validate_hardware(config.hardware); });
  if (!model_reads(config.model, "mesh", "target"))
    in_section("mesh", [&] {
      validate_field(config.mesh.target_is_drawn(), "target",
                     "\"{}\" in a study of model {} (it would be ignored). Choose a model that reads it: {}.",
                     config.mesh.target, config.model, readers_text("mesh", "target"));
      validate_field(!config.mesh.is_measured(), "measured",
                     "{} in a study of model {} (it would be ignored). Choose a model that reads it: {}.",
                     config.mesh.measured, config.model, readers_text("mesh", "measured"));
      validate_field(!config.mesh.has_measured_crosstalk(), "measured_crosstalk",
                     "{} in a study of model {} (it would be ignored). Choose a model that reads it: {}.",
                     config.mesh.measured_crosstalk, config.model, readers_text("mesh", "measured_crosstalk"));
    });
  if (config.measured_chip.is_measured()) in_section("chip", [&] { validate_measured_chip(config); });
  if (const StudyModel& model = model_of(config); model.validate != nullptr)
    in_section(model.validated, [&] { model.validate(config); });
  StudyConfig approximated = config;
  approximated.training.full_svd_layers.clear();
  in_section(config.network.source == "carry-chain" ? "network" : "network.hidden",
             [&] { network_shape(approximated); });
  in_section("training", [&] { network_shape(config); });
}

}  // namespace optinc
