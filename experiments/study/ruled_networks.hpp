#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "onn/budget/unit_cost.hpp"
#include "onn/network/network.hpp"

namespace optinc {

struct StudyConfig;

/// A network that a rule makes from the task alone: nothing is trained, and no file is read.
struct RuledNetwork {
  std::string_view source;           ///< its name in network.source
  Outputs outputs;                   ///< what its outputs say
  Adder adder;                       ///< who adds
  std::optional<Rounding> rounding;  ///< the one that it computes; nothing: any
  Network (*make)(const StudyConfig& config);
  std::string (*called)(const StudyConfig& config);  ///< in tables
  /// What one stage costs that serves all digits in turn; null where no stage does the work of another.
  UnitCost (*time_shared)(const StudyConfig& config);
};

/// The rule of that name; null where `source` is none. The only place that knows them by name.
const RuledNetwork* ruled_network(std::string_view source);

}  // namespace optinc
