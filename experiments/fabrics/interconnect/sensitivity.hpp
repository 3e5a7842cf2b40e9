#pragma once

#include "experiments/fabrics/interconnect/scenario_list.hpp"
#include "experiments/study/table_reader.hpp"

namespace optinc {

/// One [[sensitivity]]. Throws Error with the place for what load_scenario_list refuses of one.
Sensitivity read_sensitivity(const TableReader& table, const ScenarioList& list);

}  // namespace optinc
