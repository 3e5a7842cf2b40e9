#include "experiments/designs/design_list.hpp"

#include <algorithm>
#include <array>
#include <sstream>

#include <fmt/format.h>

#include "experiments/study/shipped_networks.hpp"
#include "experiments/study/table_reader.hpp"
#include "physics/core/check.hpp"

namespace optinc {
namespace {

DesignEntry entry_of(const TableReader& r) {
  r.only({"name", "set", "approximated", "level", "time_shared", "units", "published_mzis",
          "published_full_svd", "published"});
  static constexpr std::array<std::string_view, 3> levels = {"flat", "first", "second"};
  constexpr double most = 1e15;
  DesignEntry d;
  d.name = r.text("name");
  r.take({"set", "1", ""}, d.settings);
  r.take({"approximated", "1", "", 1, 1e6}, d.approximated);
  r.take(name_row("level", "", levels), d.level);
  r.take({"time_shared", "1", ""}, d.time_shared);
  r.take({"published_mzis", "1", "", 0, most}, d.published_mzis);
  r.take({"published_full_svd", "1", "", 0, most}, d.published_full_svd);
  r.take({"published", "1", ""}, d.published);
  for (const TableReader& unit : r.tables("units")) {
    unit.only({"design", "count"});
    UnitsOfDesign& u = d.units.emplace_back();
    u.design = unit.text("design");
    unit.take({"count", "1", "", 1, 1e9}, u.count);
  }
  return d;
}

/// A design over these settings, without sweeps and figures.
StudyConfig config_over(const DesignList& list, const DesignEntry& design, std::vector<std::string> settings) {
  Overrides overrides;
  overrides.rounding_of = network_rounding;
  overrides.settings = std::move(settings);
  overrides.settings.insert(overrides.settings.end(), list.settings.begin(), list.settings.end());
  overrides.settings.insert(overrides.settings.end(), design.settings.begin(), design.settings.end());
  StudyConfig config =
      list.study.empty() ? parse_config("", "the defaults", overrides) : load_config(list.study, overrides);
  config.sweeps.clear();
  config.figures.clear();
  return config;
}

}  // namespace

DesignList load_design_list(const std::filesystem::path& path) {
  const std::string file = path.string();
  const TomlSource source{file};
  const toml::table table = parse_toml(read_toml_file(path, "a list of designs is a TOML file"), source);
  const TableReader top{table, source};
  top.only({"title", "study", "set", "design"});
  DesignList list;
  list.title = "designs";
  top.take({"title", "1", ""}, list.title);
  top.take({"study", "1", ""}, list.study);
  top.take({"set", "1", ""}, list.settings);
  if (!list.study.empty()) list.study = (path.parent_path() / list.study).string();
  const std::vector<TableReader> designs = top.tables("design");
  validate(!designs.empty(), "{}: no designs (each is a table [[design]]). Add a [[design]] with a name.",
           file);
  for (const TableReader& reader : designs) {
    DesignEntry d = entry_of(reader);
    const std::string at = source.at(reader.table);
    const auto above = [&](const std::string& name) {
      return std::any_of(list.designs.begin(), list.designs.end(),
                         [&](const DesignEntry& other) { return other.name == name; });
    };
    validate(!above(d.name), "{}name = \"{}\" (every design needs a name of its own). Set name.", at, d.name);
    validate(d.units.empty() || (d.settings.empty() && d.approximated.empty() && !d.time_shared),
             "{}{}: units and settings (a system is made of designs as they are). Set those of its units.", at,
             d.name);
    for (const UnitsOfDesign& u : d.units)
      validate(above(u.design),
               "{}{}: no design \"{}\" above it (units refer to earlier designs). Define that design first.",
               at, d.name, u.design);
    list.designs.push_back(std::move(d));
  }
  return list;
}

StudyConfig design_study(const DesignList& list, const DesignEntry& design) {
  try {
    return config_over(list, design, {});
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}", design.name, error.what()));
  }
}

StudyConfig design_config(const DesignList& list, const DesignEntry& design) {
  try {
    StudyConfig config = config_over(list, design, {"network.source=untrained"});
    validate(
        config.network.source != "train",
        "network.source = train (costs wait for no training, and depend on the shape alone). Leave it out.");
    return config;
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}", design.name, error.what()));
  }
}

std::string design_list_text(const DesignList& list, const std::filesystem::path& folder) {
  for (const DesignEntry& d : list.designs)
    validate(d.units.empty() && !d.time_shared && d.level == "flat",
             "{}: units, level or time_shared (lists of whole units alone are written). Leave them out.",
             d.name);
  const auto texts = [](const std::vector<std::string>& values) {
    toml::array all;
    for (const std::string& value : values) all.push_back(value);
    return all;
  };
  toml::table table{{"title", list.title}};
  if (!list.study.empty())
    table.insert("study", std::filesystem::relative(list.study, folder.empty() ? "." : folder).string());
  if (!list.settings.empty()) table.insert("set", texts(list.settings));
  toml::array designs;
  for (const DesignEntry& d : list.designs) {
    toml::table design{{"name", d.name}, {"set", texts(d.settings)}};
    if (!d.approximated.empty()) {
      toml::array layers;
      for (const int layer : d.approximated) layers.push_back(layer);
      design.insert("approximated", std::move(layers));
    }
    if (d.published_mzis > 0) design.insert("published_mzis", d.published_mzis);
    if (d.published_full_svd > 0) design.insert("published_full_svd", d.published_full_svd);
    if (!d.published.empty()) design.insert("published", d.published);
    designs.push_back(std::move(design));
  }
  table.insert("design", std::move(designs));
  std::ostringstream text;
  text << table << '\n';
  return text.str();
}

}  // namespace optinc
