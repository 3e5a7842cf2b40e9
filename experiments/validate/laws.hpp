#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace optinc {

/// What a law's Monte-Carlo gave.
struct LawSample {
  double value = 0.0;           ///< the estimate that is compared
  double standard_error = 0.0;  ///< of the estimate, from the sample itself
};

/// A physical law with its own closed form: nothing in `expected` calls the code that `measure` runs.
struct Law {
  std::string name;
  std::string formula;
  double expected = 0.0;
  std::string unit;
  double tolerance = 0.0;  ///< allowed |measured - expected|: the law's own accuracy (first order, finite N)
  int trials = 0;          ///< of a full run
  std::function<LawSample(int trials, std::uint64_t seed)> measure;
};

/// A law held against the simulator.
struct Verdict {
  const Law* law = nullptr;
  int trials = 0;
  LawSample sample;
  double tolerance = 0.0;  ///< the law's, or 5 standard errors of this run where that is more
  bool pass = false;
  double seconds = 0.0;
};

/// The Monte-Carlo laws of the mesh (physics.md section 12, rows 8-12), in order.
std::span<const Law> laws();

/// Runs one law; `quick` takes a tenth of the trials (and the tolerance that goes with it).
Verdict check_law(const Law& law, bool quick, std::uint64_t seed);

}  // namespace optinc
