#include "experiments/analysis/cost/design_list.hpp"

#include <algorithm>
#include <functional>

#include <fmt/format.h>

#include "experiments/engine/config/toml_values.hpp"
#include "physics/core/check.hpp"
#include "physics/core/names.hpp"

namespace optinc {
namespace {

/// One table of the file, with the place of its keys for messages.
struct Reader {
  const toml::table& table;
  const std::string& file;

  std::string at(const toml::node& node) const { return place(node.source(), file); }

  void known(std::initializer_list<std::string_view> keys) const {
    const std::vector<std::string_view> all(keys);
    for (const auto& [key, node] : table)
      validate(std::find(all.begin(), all.end(), key.str()) != all.end(),
               "{}unknown key \"{}\" (there are {}). Did you mean \"{}\"?", at(node), key.str(),
               join_names(all), nearest_name(key.str(), all));
  }

  /// Puts a key's value into `member` where the key is there.
  template <class T>
  void take(std::string_view key, T& member, std::string_view expected) const {
    const toml::node* node = table.get(key);
    if (node == nullptr) return;
    const auto value = value_of(*node, to_field_value(member));
    validate(value.has_value(), "{}{} = {} (expected {}). Correct the value.", at(*node), key, shown(*node),
             expected);
    from_field_value(member, *value);
  }
};

DesignEntry entry_of(const Reader& r) {
  r.known({"name", "set", "approximated", "level", "time_shared", "units", "published_mzis",
           "published_full_svd", "published"});
  DesignEntry d;
  r.take("name", d.name, "a name");
  r.take("set", d.settings, "a list of \"section.key=value\"");
  r.take("approximated", d.approximated, "a list of layers");
  r.take("level", d.level, "flat, first or second");
  value_of_name<CascadeLevel>(d.level);
  r.take("time_shared", d.time_shared, "true or false");
  r.take("published_mzis", d.published_mzis, "an integer");
  r.take("published_full_svd", d.published_full_svd, "an integer");
  r.take("published", d.published, "a sentence");
  const toml::node* units = r.table.get("units");
  if (units == nullptr) return d;
  validate(units->is_array(),
           "{}units = {} (expected [{{design = \"..\", count = 1}}, ..]). Correct the value.", r.at(*units),
           shown(*units));
  for (const toml::node& node : *units->as_array()) {
    validate(node.is_table(), "{}{} (expected {{design = \"..\", count = 1}}). Correct the entry.", r.at(node),
             shown(node));
    const Reader unit{*node.as_table(), r.file};
    unit.known({"design", "count"});
    UnitsOfDesign u;
    unit.take("design", u.design, "a name");
    unit.take("count", u.count, "an integer");
    validate(u.count >= 1, "{}count = {} (allowed: 1 or more). Set count = 1.", r.at(node), u.count);
    d.units.push_back(u);
  }
  return d;
}

}  // namespace

DesignList load_design_list(const std::filesystem::path& path) {
  const std::string file = path.string();
  const toml::table table = parse_toml(read_toml_file(path, "a list of designs is a TOML file"), file);
  const Reader top{table, file};
  top.known({"title", "study", "set", "design"});
  DesignList list;
  list.title = "designs";
  top.take("title", list.title, "a title");
  top.take("study", list.study, "a file");
  top.take("set", list.settings, "a list of \"section.key=value\"");
  if (!list.study.empty()) list.study = (path.parent_path() / list.study).string();
  const toml::node* designs = table.get("design");
  validate(designs != nullptr && designs->is_array_of_tables(),
           "{}: no designs (each is a table [[design]]). Add a [[design]] with a name.", file);
  for (const toml::node& node : *designs->as_array()) {
    DesignEntry d = entry_of({*node.as_table(), file});
    const std::string at = place(node.source(), file);
    const auto above = [&](const std::string& name) {
      return std::any_of(list.designs.begin(), list.designs.end(),
                         [&](const DesignEntry& other) { return other.name == name; });
    };
    validate(!d.name.empty() && !above(d.name),
             "{}name = \"{}\" (every design needs a name of its own). Set name.", at, d.name);
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

StudyConfig design_config(const DesignList& list, const DesignEntry& design) {
  Overrides overrides;
  overrides.settings.assign(1, "network.source=untrained");
  overrides.settings.insert(overrides.settings.end(), list.settings.begin(), list.settings.end());
  overrides.settings.insert(overrides.settings.end(), design.settings.begin(), design.settings.end());
  try {
    StudyConfig config =
        list.study.empty() ? parse_config("", "the defaults", overrides) : load_config(list.study, overrides);
    validate(
        config.network.source == "untrained" || config.network.source == "carry-chain",
        "network.source = {} (untrained, or carry-chain: designs are costed before training). Leave it out.",
        config.network.source);
    config.sweeps.clear();
    config.figures.clear();
    return config;
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}", design.name, error.what()));
  }
}

}  // namespace optinc
