#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "experiments/fabrics/interconnect/scenario_list.hpp"
#include "experiments/study/table_reader.hpp"

// What the readers of a list of scenarios share.

namespace optinc {

/// A list that is being read.
struct ListSource {
  TomlSource source;
  std::map<std::string, const toml::table*> presets = {};
  std::set<std::string> taken = {};                           ///< presets of some scenario
  std::set<std::pair<std::string, std::string>> useful = {};  ///< preset and key that some scenario reads
};

/// One [[sensitivity]]. Throws Error with the place for what load_scenario_list refuses of one.
Sensitivity read_sensitivity(const TableReader& table, const ScenarioList& list);

}  // namespace optinc
