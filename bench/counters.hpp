#pragma once

#include <benchmark/benchmark.h>

#include "physics/mesh/topology.hpp"

#include "bench/fma_peak.hpp"

namespace optinc::bench {

/// Nominal real operations of one MZI on one field vector, whatever a path really does:
/// 28 forward, a complex 2x2 times a vector (4 products of 6, 2 sums of 2);
/// 88 backward: the field back through the inverse (28), the adjoint field (28), and the 2x2 Gram sum that all
/// parameters' derivatives follow from (4 complex multiply-adds of 8).
inline constexpr double forward_flop = 28, backward_flop = 88;

/// Peaks of this process, measured at the first call and kept.
const Peaks& peaks();

/// What one iteration of a row does to a mesh.
struct MeshWork {
  double mzi_fields = 0;  ///< MZIs times field vectors
  double flop = 0;        ///< nominal
  double bytes = 0;       ///< that must move at least: fields read and written once, parameters read once
};

/// B words of a `Real` through N ports: fields in and out (2 numbers each), and of every MZI the 4 numbers of
/// its scaled form.
template <class Real>
MeshWork forward_work(const MeshTopology& topology, double words) {
  const double mzis = topology.mzi_count();
  return {mzis * words, forward_flop * mzis * words,
          sizeof(Real) * (4.0 * topology.ports * words + 4.0 * mzis)};
}

/// A rate per second of `amount` per iteration.
inline void count_rate(benchmark::State& state, const char* name, double amount) {
  state.counters[name] = benchmark::Counter(amount, benchmark::Counter::kIsIterationInvariantRate);
}

/// Counters MZI-fields/s, flop/s, %peak (nominal flop, of the FMA peak of one core in this precision) and
/// flop/byte.
template <class Real>
void count_work(benchmark::State& state, const MeshWork& work) {
  count_rate(state, "MZI-fields/s", work.mzi_fields);
  count_rate(state, "flop/s", work.flop);
  count_rate(state, "%peak", 100 * work.flop / peaks().flop_per_s(Real{}));
  state.counters["flop/byte"] = work.flop / work.bytes;
}

/// Counter x_twin: how many times faster a row is than what takes the naive twin `twin_seconds`.
inline void count_twin(benchmark::State& state, double twin_seconds) {
  count_rate(state, "x_twin", twin_seconds);
}

/// Counter x_forward: how many times longer a row takes than the forward pass that takes `forward_seconds`.
inline void count_forward(benchmark::State& state, double forward_seconds) {
  using benchmark::Counter;
  state.counters["x_forward"] = Counter(
      forward_seconds, static_cast<Counter::Flags>(Counter::kIsIterationInvariantRate | Counter::kInvert));
}

/// "f32", "f64".
template <class Real>
constexpr const char* precision_name() {
  return sizeof(Real) == sizeof(float) ? "f32" : "f64";
}

/// Whether a counter is a pure number, which Google Benchmark computes as a rate but must not print as one.
inline bool is_share(const std::string& counter) {
  return counter == "%peak" || counter == "x_twin" || counter == "x_forward";
}

}  // namespace optinc::bench
