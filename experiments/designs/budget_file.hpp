#pragma once

#include "experiments/files/hdf5/hdf5.hpp"
#include "onn/budget/budget.hpp"

namespace optinc {

/// Writes a budget into a group (FORMAT.md, "Budget"). Throws Error where HDF5 does.
void write_budget(const Group& group, const ChipBudget& budget);

}  // namespace optinc
