#pragma once

#include <functional>
#include <string>
#include <vector>

#include "experiments/validate/law.hpp"

namespace optinc {

/// One point of a law held against the simulator: a line of the table. A plain record, for files too.
struct LawVerdict {
  std::string row, law, name, kind, formula, unit;
  double x = 0.0;
  double expected = 0.0;
  double measured = 0.0;
  double standard_error = 0.0;
  double tolerance = 0.0;  ///< allowed |measured - expected|
  long trials = 0;
  bool passed = false;
  double seconds = 0.0;
};

/// The verdict, and of Monte-Carlo laws what every trial gave.
struct LawResult {
  const Law* law = nullptr;
  LawVerdict verdict;
  std::vector<double> samples;
};

/// How much work a law is held with.
struct LawOptions {
  bool quick =
      false;  ///< a tenth of the Monte-Carlo trials, and 5 standard errors where that is more tolerance
  std::uint64_t seed = 1;
};

/// Trials of a point: a tenth when quick, but 20 where the law has them; others than Monte-Carlo always all.
int trials_of(const Law& law, const LawPoint& point, bool quick);

/// Holds one point of a law against the simulator. Passes where |measured - expected| <= tolerance; a full
/// Monte-Carlo run must also have resolved it, 5 standard errors <= tolerance. `trial_done` hears of every
/// trial. Throws Interrupted where an end was asked for.
LawResult check_law(
    const Law& law, const LawPoint& point, const LawOptions& options,
    const std::function<void()>& trial_done = [] {});

/// Seconds that each point will take, in the order of laws and points: a sample of each Monte-Carlo point is
/// timed (a fiftieth of its trials) unless the law states its time; other laws are counted as nothing.
std::vector<double> estimate_seconds(const std::vector<const Law*>& chosen, const LawOptions& options);

}  // namespace optinc
