#include "experiments/study/sweep_parse.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "experiments/study/model_keys.hpp"
#include "experiments/study/points.hpp"
#include "experiments/study/study_keys.hpp"
#include "experiments/study/study_names.hpp"
#include "experiments/study/sweep_shapes.hpp"
#include "experiments/study/table_reader.hpp"
#include "physics/core/check.hpp"
#include "physics/core/names.hpp"

namespace optinc {
namespace {

/// One [[sweep]] table being read.
struct Reader : TableReader {
  const StudyConfig& config;

  /// The value of a key, which explain describes; nothing where it is not given.
  template <class T>
  std::optional<T> get(std::string_view key) const {
    for (const FieldEntry& entry : sweep_entries()) {
      if (entry.info.key != key) continue;
      T value = std::get<T>(entry.value);  // an example
      if (take(entry.info, value)) return value;
    }
    return std::nullopt;
  }
  /// Keys and what they take.
  const toml::table* section(std::string_view key) const {
    const toml::node* node = table.get(key);
    if (node == nullptr) return nullptr;
    validate(
        node->is_table() && !node->as_table()->empty(),
        "{} = {} (expected keys and what they take). Write {} = {{\"chip.sigma_eta_rad\" = [0.005, 0.01]}}.",
        at(*node, key), shown(*node), key);
    return node->as_table();
  }
};

SweptKey listed_values(const Reader& r, const std::string& key, const toml::node& node) {
  const std::string where = r.source.at(node);
  const FieldEntry entry = swept_entry(r.config, key, where);
  validate(node.is_array() && !node.as_array()->empty(),
           "{}{} = {} is not a list of values (a sweep takes at least one). Write \"{}\" = [{}].", where, key,
           shown(node), key, toml_text(entry.value));
  SweptKey swept{key, {}};
  for (const toml::node& value : *node.as_array())
    swept.values.push_back(checked_value(entry, value, r.source.at(value) + key));
  return swept;
}

SweptKey designed_values(const Reader& r, const std::string& key, const toml::node& node,
                         const std::vector<double>& unit, bool logarithmic) {
  const std::string where = r.source.at(node);
  const FieldEntry entry = swept_entry(r.config, key, where);
  const auto ends = value_of(node, std::vector<double>{});
  const bool integer = std::holds_alternative<std::int64_t>(entry.value);
  validate(
      ends && std::get<std::vector<double>>(*ends).size() == 2 &&
          (integer || std::holds_alternative<double>(entry.value)),
      "{}{} = {} is not a range of numbers (expected [from, to]). List other values instead: values = {{..}}.",
      where, key, shown(node));
  const double from = std::get<std::vector<double>>(*ends)[0], to = std::get<std::vector<double>>(*ends)[1];
  validate(!logarithmic || (from > 0 && to > 0),
           "{}{} = {} has an end at or below 0 (its steps are logarithmic). Give both > 0.", where, key,
           shown(node));
  SweptKey swept{key, {}};
  for (const double u : unit) {
    const double x = between(from, to, u, logarithmic);
    swept.values.emplace_back(integer ? FieldValue(static_cast<std::int64_t>(std::llround(x))) : FieldValue(x));
    check_row(where + key, entry.info, swept.values.back());
  }
  return swept;
}

/// Whether a field is a source of error that acts in the study's model.
bool can_ablate(const StudyConfig& config, const FieldEntry& entry) {
  return !entry.info.ablation.empty() && model_reads(config.model, entry.section, entry.info.key);
}

/// Sources that the configuration has switched on, in the order of the tables.
std::vector<std::string> active_sources(const StudyConfig& config) {
  std::vector<std::string> active;
  for (const FieldEntry& entry : config_entries(config))
    if (can_ablate(config, entry) && !is_off(entry.value)) active.emplace_back(entry.info.ablation);
  return active;
}

/// The sources that a sweep names; one that is off at the study's own chip may be on where another sweep sets
/// it.
std::vector<std::string> read_sources(const Reader& r, const toml::node& node) {
  const std::string where = r.at(node, "sources");
  std::vector<std::string_view> known;
  for (const FieldEntry& entry : config_entries(r.config))
    if (can_ablate(r.config, entry)) known.push_back(entry.info.ablation);
  std::vector<std::string> sources;
  r.take(name_row("sources", "", known), sources);
  validate(!sources.empty(), "{} = [] is empty (expected some of: {}). Leave it out for all active sources.",
           where, join_names(known));
  for (const auto& source : sources)
    validate(std::count(sources.begin(), sources.end(), source) == 1,
             "{} names \"{}\" twice (each source is switched once). Name it once.", where, source);
  return sources;
}

/// Throws Error where an axis has a point twice: it would run the same trials again.
void require_distinct(const SweepAxis& axis, std::string_view where) {
  std::set<std::string> seen;
  for (std::size_t p = 0; !axis.keys.empty() && p < axis.points(); ++p) {
    std::string point;
    for (const SweptKey& key : axis.keys)
      point += fmt::format("{}{} = {}", point.empty() ? "" : ", ", key.key, toml_text(key.values[p]));
    validate(seen.insert(point).second,
             "{}{} is swept twice (the same trials would run again). Leave one out{}.", where, point,
             axis.keys.size() > 1 ? ", or let one of the keys differ" : "");
  }
}

std::string axis_name(const SweepAxis& axis) {
  if (axis.ablation()) return "ablation";
  std::string name;
  for (const SweptKey& key : axis.keys) name += (name.empty() ? "" : "_and_") + key_name(key.key);
  return name;
}

SweepAxis laid_out(const Reader& r, const toml::table& range, const std::optional<std::string>& method) {
  SweepDesign design{method.value_or("linear"), 0, false};
  design.points = r.get<std::int64_t>("points").value_or(0);
  design.log_scale = r.get<std::string>("scale") == "log" || design.method == "log";
  std::vector<std::vector<double>> unit;
  try {
    unit = unit_design(design, range.size(), r.config.run.seed);
  } catch (const Error& error) {
    throw Error(r.source.at(r.table) + error.what());
  }
  SweepAxis axis;
  for (const auto& [key, node] : range)
    axis.keys.push_back(
        designed_values(r, std::string(key.str()), node, unit[axis.keys.size()], design.log_scale));
  return axis;
}

/// The shapes of a network that a [[sweep]] searches.
SweepAxis searched_shapes(const Reader& r, const toml::table& table) {
  const std::string where = r.source.at(table);
  const TableReader shapes{table, r.source, "sweep.shapes"};
  shapes.only({"widths", "depths", "pyramids", "most_mzis", "most_columns", "most_loss_db", "most_heater_w"});
  ShapeSearch search;
  const bool widths = shapes.take({"widths", "1", "", 1, 4096}, search.widths),
             depths = shapes.take({"depths", "1", "", 1, 4096}, search.depths);
  validate(
      widths && depths,
      "{}sweep.shapes without widths and depths (of the hidden layers). Write shapes = {{widths = [32, 64], "
      "depths = [4, 5]}}.",
      where);
  shapes.take({"pyramids", "1", ""}, search.pyramids);
  shapes.take({"most_mzis", "1", "", 0}, search.most_mzis);
  shapes.take({"most_columns", "1", "", 0}, search.most_columns);
  shapes.take({"most_loss_db", "dB", "", 0}, search.most_loss_db);
  shapes.take({"most_heater_w", "W", "", 0}, search.most_heater_w);
  swept_entry(r.config, "network.hidden", where);
  return {"", {{"network.hidden", shapes_within(r.config, search, where)}}, {}};
}

SweepAxis read_sweep(const Reader& r) {
  std::vector<std::string_view> known;
  const auto entries = sweep_entries();
  for (const FieldEntry& entry : entries) known.push_back(entry.info.key);
  r.only(known);
  const std::string where = r.source.at(r.table);
  const auto method = r.get<std::string>("method");
  const toml::table *values = r.section("values"), *range = r.section("range"), *shapes = r.section("shapes");
  SweepAxis axis;
  if (method == "ablation") {
    const toml::node* sources = r.table.get("sources");
    axis = sources != nullptr ? SweepAxis{"", {}, read_sources(r, *sources)} : ablation_of_all(r.config);
  } else if (shapes != nullptr) {
    validate(values == nullptr && range == nullptr && !method,
             "{}a [[sweep]] of shapes with values, a range or a method (which one?). Leave the others out.",
             where);
    axis = searched_shapes(r, *shapes);
  } else if (range != nullptr) {
    validate(values == nullptr, "{}a [[sweep]] with values and a range (which one?). Leave one out.", where);
    axis = laid_out(r, *range, method);
  } else {
    validate(values != nullptr,
             "{}a [[sweep]] without values (or range, shapes, or method = \"ablation\"). Write values = "
             "{{\"chip.sigma_eta_rad\" = [0.005, 0.01]}}.",
             where);
    validate(!method, "{}sweep.method = \"{}\" with values (a method lays out a range). Leave one out.", where,
             method.value_or(""));
    for (const auto& [key, node] : *values) axis.keys.push_back(listed_values(r, std::string(key.str()), node));
  }
  for (const SweptKey& key : axis.keys)
    validate(key.values.size() == axis.points(),
             "{}{} has {} values and {} has {} (keys of one [[sweep]] are taken together). Give as many, or "
             "nest two sweeps.",
             where, key.key, key.values.size(), axis.keys[0].key, axis.points());
  require_distinct(axis, where);
  axis.name = r.get<std::string>("name").value_or(axis_name(axis));
  return axis;
}

}  // namespace

FieldEntry swept_entry(const StudyConfig& config, const std::string& key, const std::string& where) {
  static constexpr std::array<std::string_view, 30> sections = {
      "network",   "training",  "chip",     "fabrication", "calibration", "crosstalk", "environment", "parts",
      "laser",     "modulator", "receiver", "converter",   "heater",      "splitter",  "coupler",     "fibre",
      "waveguide", "layout",    "die",      "link",        "neuron",      "owner",     "time",        "noise",
      "stand_in",  "tolerance", "mesh",     "comb",        "drift",       "learner"};
  static constexpr std::array<std::string_view, 4> axes = {"drift.instants", "drift.interval_s",
                                                           "learner.steps", "learner.evaluations"};
  std::vector<FieldEntry> entries = config_entries(config);
  for (FieldEntry& entry : entries) {
    if (entry.name() != key) continue;
    validate(
        std::find(axes.begin(), axes.end(), key) == axes.end(),
        "{}{} cannot be swept (it defines the time axis, which all points share). Run one study per value.",
        where, key);
    validate(
        std::find(sections.begin(), sections.end(), entry.section) != sections.end(),
        "{}{} cannot be swept (a sweep varies networks and devices: sections {}). Run one study per value.",
        where, key, join_names(sections));
    validate(
        model_reads(config.model, entry.section, entry.info.key),
        "{}{} cannot be swept by model {} (it is read by: {}; all points would be the same). Sweep another "
        "key, or choose another model.",
        where, key, config.model, readers_text(entry.section, entry.info.key));
    return entry;
  }
  const bool section =
      std::any_of(entries.begin(), entries.end(), [&](const auto& e) { return e.section == key; });
  validate(!section, "{}{} is a section (a sweep names section.key). Write \"{}.KEY\", with the quotes.", where,
           key, key);
  throw Error(fmt::format("{}unknown key {} (a sweep names section.key). Did you mean {}?", where,
                          one_line(key), likely_keys(key)));
}

void validate_axes(const std::vector<SweepAxis>& axes, std::string_view name) {
  // of the groups trials, summary and ablation, which have these axes as well
  static constexpr std::array<std::string_view, 21> taken = {
      "trial",         "variant",        "layer",
      "code_error",    "quantile",       "source",
      "completed",     "complex",        "yield",
      "yield_low",     "yield_high",     "variance_all",
      "variance_none", "variance_alone", "variance_without",
      "share_alone",   "share_without",  "wafer",
      "die",           "die_x",          "die_y"};
  static constexpr std::array<std::string_view, 9> derived = {
      "", "_mean", "_mean_low", "_mean_high", "_std", "_quantile", "_quantile_low", "_quantile_high", "_sum"};
  std::vector<std::string> names(taken.begin(), taken.end()), keys;
  for (const std::string_view metric : metric_names())
    for (const auto suffix : derived) names.push_back(fmt::format("{}{}", metric, suffix));
  const auto once = [&](std::vector<std::string>& seen, const std::string& what, std::string_view mend) {
    validate(std::find(seen.begin(), seen.end(), what) == seen.end(), "{}: [[sweep]] {} is there already ({}.",
             name, what, mend);
    seen.push_back(what);
  };
  for (const SweepAxis& axis : axes) {
    const bool plain =
        !axis.name.empty() && std::all_of(axis.name.begin(), axis.name.end(),
                                          [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
    validate(plain, "{}: sweep.name = \"{}\" (it names an axis: letters, digits and _). Give such a name.",
             name, one_line(axis.name));
    for (const SweptKey& key : axis.keys) once(keys, key.key, "it has one value at a time). Sweep it once");
    constexpr std::string_view mend = "axes and metrics have names of their own). Give it a name";
    once(names, axis.name, mend);
    for (const SweptKey& key : axis.keys)  // of keys taken together, each is a dataset
      if (axis.keys.size() > 1 && key_name(key.key) != axis.name) once(names, key_name(key.key), mend);
    if (axis.ablation()) once(keys, "method = ablation", "sources are off or on). Ablate once");
  }
}

std::vector<SweepAxis> read_sweeps(const toml::table& table, const TomlSource& source,
                                   const StudyConfig& config) {
  StudyConfig swept;
  for (const TableReader& sweep : TableReader{table, source}.tables("sweep")) {
    swept.sweeps.push_back(read_sweep({sweep, config}));
    point_count(swept);  // too many are refused before more are laid out
  }
  validate_axes(swept.sweeps, source.name);
  return swept.sweeps;
}

void override_sweep(const std::string& text, StudyConfig& config) {
  const auto [source, table] = parse_assignment(text, "--sweep");
  std::string key;
  const toml::node* node = nullptr;
  for (const auto& [section, inner] : table)
    if (inner.is_table())
      for (const auto& [last, value] : *inner.as_table()) {
        key = fmt::format("{}.{}", section.str(), last.str());
        node = &value;
      }
  validate(node != nullptr,
           "{}: no key of a section (expected section.key=[values]). Write --sweep "
           "chip.sigma_eta_rad=[0.005,0.01], for "
           "example.",
           source.name);
  SweepAxis axis{"", {listed_values({{table, source}, config}, key, *node)}, {}};
  require_distinct(axis, source.name + ": ");
  axis.name = axis_name(axis);
  for (SweepAxis& there : config.sweeps)
    if (there.keys.size() == 1 && there.keys[0].key == key) {
      axis.name = there.name;
      there = axis;
      return;
    }
  config.sweeps.push_back(axis);
  validate_axes(config.sweeps, source.name);
}

SweepAxis ablation_of_all(const StudyConfig& config) {
  SweepAxis axis{"ablation", {}, active_sources(config)};
  validate(!axis.sources.empty(),
           "no source of error acts (an ablation switches them off one by one). Choose a chip preset other "
           "than ideal, or switch on some [noise].");
  return axis;
}

}  // namespace optinc
