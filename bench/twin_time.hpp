#pragma once

#include <cstdint>

namespace optinc::bench {

/// Seconds the naive twin (eigen_twin.hpp) takes for B words on N ports; medians of 5 samples, CPU time.
struct TwinTime {
  double settle_s = 0;     ///< phases and errors into 2x2 matrices
  double propagate_s = 0;  ///< B words through them
  double from_parameters_s() const { return settle_s + propagate_s; }
};

/// Measured in this process at the first call for a size and precision (N = 512, B = 4096 takes seconds), then
/// kept.
template <class Real>
const TwinTime& twin_time(std::int64_t ports, std::int64_t words);

}  // namespace optinc::bench
