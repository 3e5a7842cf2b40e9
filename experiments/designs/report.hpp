#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "experiments/designs/compare.hpp"
#include "experiments/store/hdf5.hpp"

namespace optinc {

/// A comparison for people: one row a design, and what is published beside.
std::string designs_text(const std::vector<ComparedDesign>& designs, const std::string& title);

/// The same for machines, in SI units and dB.
nlohmann::ordered_json designs_json(const std::vector<ComparedDesign>& designs, const std::string& title);

/// Writes a comparison into a group (FORMAT.md, "Designs"). Throws Error where HDF5 does.
void write_designs(const Group& group, const DesignList& list, const std::vector<ComparedDesign>& designs);

}  // namespace optinc
