#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "experiments/analysis/interconnect/scenario_list.hpp"
#include "experiments/engine/config/toml_values.hpp"

// What the readers of a list of scenarios share.

namespace optinc {

/// A list that is being read.
struct ListSource {
  std::string file;
  std::map<std::string, const toml::table*> presets;
  std::set<std::string> taken;                           ///< presets of some scenario
  std::set<std::pair<std::string, std::string>> useful;  ///< preset and key that some scenario reads

  /// "file:line:column: " of a node.
  std::string at(const toml::node& node) const { return place(node.source(), file); }
};

/// A node that must be a text which is not empty. Throws Error with the place.
std::string text_of(const ListSource& in, const toml::node& node, std::string_view key);

/// Throws Error: unknown key, with the place and the nearest of those known.
[[noreturn]] void refuse_key(const ListSource& in, const toml::node& node, std::string_view key,
                             const std::vector<std::string_view>& known);

/// One [[sensitivity]]. Throws Error with the place for what load_scenario_list refuses of one.
Sensitivity read_sensitivity(const ListSource& in, const toml::table& table, const ScenarioList& list);

}  // namespace optinc
