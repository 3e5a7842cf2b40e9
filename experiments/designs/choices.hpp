#pragma once

#include <string>
#include <vector>

#include "experiments/designs/design_list.hpp"
#include "experiments/designs/operating_point.hpp"
#include "experiments/models/trial_model.hpp"

namespace optinc {

/// All combinations of values of some keys, as overrides: of "a.b=1,2" and "c.d=x,y" {a.b=1, c.d=x},
/// {a.b=1, c.d=y}, and so on; one without any where none is asked for. Throws Error for text without a key, a =
/// and values.
std::vector<std::vector<std::string>> combinations(const std::vector<std::string>& keys);

/// A point, and which study it is of.
struct ChosenPoint {
  std::size_t study = 0;
  OperatingPoint point;
};

/// The best point for the goal of some studies of one network that differ in settings without derivatives:
/// integers, parts. Goals besides the rate count words for the best by the estimate, and for the next where no
/// point of it is confirmed. Of none that decodes, that of the first.
ChosenPoint best_point(const std::vector<StudyConfig>& studies, const StudyInputs& inputs,
                       const OperatingPointSearch& search, const SearchProgress& progress = {});

}  // namespace optinc
