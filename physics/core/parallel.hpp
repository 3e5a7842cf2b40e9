#pragma once

#include <algorithm>
#include <exception>
#include <mutex>

#include <omp.h>

namespace optinc {

/// Runs body(i) for every i in [0, count) on `threads` OpenMP threads (0: as many as OpenMP is set to; one when
/// already inside a parallel loop of several), in any order; a loop of one leaves the threads to loops inside
/// it. An exception may not leave an OpenMP region: the first one is kept, the rest of the loop is skipped, and
/// it is thrown again here.
template <class Index, class Body>
void parallel_for(Index count, int threads, Body body) {
  std::exception_ptr failure;
  std::mutex mutex;
  if (threads <= 0) threads = omp_get_max_threads();
  if (count < static_cast<Index>(threads)) threads = std::max(1, static_cast<int>(count));
#pragma omp parallel for schedule(dynamic) num_threads(threads)
  for (Index i = 0; i < count; ++i) {
    {
      const std::lock_guard lock(mutex);
      if (failure) continue;
    }
    try {
      body(i);
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (!failure) failure = std::current_exception();
    }
  }
  if (failure) std::rethrow_exception(failure);
}

/// The same on as many threads as OpenMP is set to.
template <class Index, class Body>
void parallel_for(Index count, Body body) {
  parallel_for(count, 0, body);
}

}  // namespace optinc
