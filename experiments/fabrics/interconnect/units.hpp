#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <string>

#include "experiments/designs/compare_designs.hpp"
#include "experiments/fabrics/interconnect/scenario_list.hpp"

namespace optinc {

/// Fills in `unit` of every scenario that names a design, each design costed once. shipped: the list of designs
/// for scenarios without `designs`; at_each is told the name of each design. Throws Error, the scenario's name
/// first, for a design that its list does not hold, and for one whose bits are not the scenario's bits or whose
/// servers are not its fan_in; else where load_design_list and compare_designs do.
void cost_units(ScenarioList& list, const std::filesystem::path& shipped, const TrainedNetwork& trained,
                const std::function<void(const std::string&)>& at_each = {});

/// The same for scenarios that all name a design, whatever their bits and fan_in.
void cost_units(std::span<Scenario* const> scenarios, const std::filesystem::path& shipped,
                const TrainedNetwork& trained, const std::function<void(const std::string&)>& at_each = {});

}  // namespace optinc
