#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <ctime>

namespace optinc::bench {

/// CPU time of the calling thread, s: the clock that Google Benchmark takes its rates from. Waiting for a core
/// that others use is not in it.
inline double cpu_seconds() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

/// Median time of one call of `body`, s, over `samples` samples, each of as many calls as fill `sample_s`
/// seconds. The calls that find out how many come first and warm caches and clock up.
template <std::size_t samples = 5, class Body>
double median_seconds(Body body, double sample_s = 2e-3) {
  std::size_t calls = 1;
  const auto sample = [&] {
    const double start = cpu_seconds();
    for (std::size_t i = 0; i < calls; ++i) body();
    return cpu_seconds() - start;
  };
  while (sample() < sample_s) calls *= 2;
  std::array<double, samples> seconds{};
  for (double& s : seconds) s = sample() / static_cast<double>(calls);
  std::nth_element(seconds.begin(), seconds.begin() + samples / 2, seconds.end());
  return seconds[samples / 2];
}

}  // namespace optinc::bench
