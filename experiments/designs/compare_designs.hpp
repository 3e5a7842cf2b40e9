#pragma once

#include <functional>
#include <string>
#include <vector>

#include "experiments/designs/design_list.hpp"
#include "onn/budget/unit_cost.hpp"

namespace optinc {

/// One row of a comparison.
struct ComparedDesign {
  DesignEntry entry;
  UnitCost cost;
  /// "4-64-128-256-128-64-4, untrained" or its file, "carry chain, lookahead", "4 x A + 1 x B"
  std::string network;
  bool untrained =
      false;  ///< its weights are Haar-orthogonal: it costs what a trained one does but computes nothing
};

/// A network of the configuration's shape with Haar-orthogonal blocks, stream Purpose::untrained_network of the
/// study's seed.
Network untrained_network(const StudyConfig& config);

/// The trained network that a configuration names.
using TrainedNetwork = std::function<Network(const StudyConfig&)>;

/// Costs every design of the list in turn; `at_each` is told its name. Throws Error, the design's name first.
std::vector<ComparedDesign> compare_designs(const DesignList& list, const TrainedNetwork& trained,
                                            const std::function<void(const std::string&)>& at_each = {});

}  // namespace optinc
