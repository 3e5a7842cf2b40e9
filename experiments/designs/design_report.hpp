#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "experiments/designs/compare_designs.hpp"
#include "experiments/files/hdf5/hdf5.hpp"

namespace optinc {

/// A comparison for people, in lines of 100 columns: a table for each group of columns, one row a design; and
/// what is published of each design.
std::string designs_text(const std::vector<ComparedDesign>& designs, const std::string& title);

/// The same for machines, in SI units and dB.
nlohmann::ordered_json designs_json(const std::vector<ComparedDesign>& designs, const std::string& title);

/// Writes a comparison into a group (FORMAT.md, "Designs"). Throws Error where HDF5 does.
void write_designs(const Group& group, const DesignList& list, const std::vector<ComparedDesign>& designs);

}  // namespace optinc
