#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "experiments/files/hdf5/hdf5.hpp"
#include "onn/budget/budget.hpp"
#include "onn/hardware/unit_parts.hpp"

namespace optinc {

/// A budget for people, in lines of 100 columns: what there is at every stage, tables of dB, W, ns and mm^2
/// with the object behind every column, heaters, totals and the unit's parts. `title` names the chip.
std::string budget_text(const ChipBudget& budget, const UnitHardware& hardware, const std::string& title);

/// The same for machines, in SI units and dB.
nlohmann::ordered_json budget_json(const ChipBudget& budget, const UnitHardware& hardware,
                                   const std::string& title);

/// Writes a budget into a group (FORMAT.md, "Budget"). Throws Error where HDF5 does.
void write_budget(const Group& group, const ChipBudget& budget);

}  // namespace optinc
