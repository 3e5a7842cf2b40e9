#pragma once

#include <functional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "experiments/fabrics/interconnect/scenario_list.hpp"
#include "experiments/fabrics/interconnect/simulate.hpp"
#include "experiments/files/hdf5/hdf5.hpp"

namespace optinc {

/// The answer to one value of a question.
struct SensitivityPoint {
  std::string name, subject, reference, key, value_text;
  double value = 0.0;    ///< NaN where it is no number
  double ratio = 0.0;    ///< iteration of subject over that of reference
  bool nominal = false;  ///< in force without the question
};

/// A list, simulated.
struct InterconnectResults {
  std::string title;
  std::vector<IterationResult> results;
  std::vector<SensitivityPoint> sensitivity;
};

/// Simulates every scenario and question; `at_each` is told each name.
InterconnectResults simulate_list(const ScenarioList& list,
                                  const std::function<void(const std::string&)>& at_each = {});

/// Scenarios and questions of a list: how often at_each is called.
int steps_of(const ScenarioList& list);

/// The table for people; scenarios whose parameters were fitted are marked "calibrated".
std::string interconnect_text(const InterconnectResults& results);

/// The same for machines, in SI units; not finite numbers are null.
nlohmann::ordered_json interconnect_json(const InterconnectResults& results);

/// Writes groups `interconnect`, `sensitivity` and `links` (FORMAT.md, "Interconnects"). Throws Error where
/// HDF5 does.
void write_interconnect(const Group& root, const InterconnectResults& results);

}  // namespace optinc
