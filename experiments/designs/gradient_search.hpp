#pragma once

#include <string>
#include <vector>

#include "experiments/designs/chip_row.hpp"
#include "physics/core/enum_names.hpp"

namespace optinc {

/// What a point is chosen for.
enum class Goal {
  rate,    ///< the highest symbol rate, over rate and bandwidth, everything else as given
  energy,  ///< the least energy per bit, over all settings of the operator
  light,   ///< the least light of all lasers, over the same
};

/// As users write them.
template <>
inline constexpr EnumNames enum_names<Goal> = {"goal", {"rate", "energy", "light"}};

/// A setting that a search changes, between two ends.
struct SearchVariable {
  std::size_t number = 0;  ///< of operating_keys
  double least = 0.0, most = 0.0;
};

/// Those of a unit: light and depth of drive; light, oscillators and bandwidth of neurons, and an owner's
/// settings, where there are any;
/// bits of converters, where they are simulated; rates between these ends; and bandwidths up to the receivers'
/// own. `held`: keys that stay. Throws Error for a key that is none of operating_keys.
std::vector<SearchVariable> search_variables(const ChipRow& chips, bool converters, double slowest_bd,
                                             double fastest_bd, const std::vector<std::string>& held);

/// What a search found, and how hard it looked.
struct FoundValues {
  OperatingValues<double> values;
  double log_wrong = 0.0;  ///< estimated there
  int evaluations = 0;     ///< of the estimate and its derivatives
};

/// What is searched for, with what, and among which variables. What it refers to must outlive it. `evaluated`
/// is called before every evaluation; may be empty, and may throw.
struct LeastSearch {
  Goal goal;
  const Margin& margin;
  const OperatingPower& power;
  const std::vector<SearchVariable>& variables;
  const std::function<void()>& evaluated;
};

/// The settings of the least goal with an estimated ln of the share of words wrong of at most `log_wrong`, from
/// `start` on: sequential quadratic programming (LD_SLSQP of NLopt) in the logarithms of the variables, by
/// their exact derivatives. A local minimum. `near`: `start` is that of nearly the same search.
FoundValues least(const LeastSearch& search, OperatingValues<double> start, double log_wrong,
                  bool near = false);

}  // namespace optinc
