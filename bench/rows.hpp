#pragma once

#include <string>

#include <benchmark/benchmark.h>

#include "bench/cases.hpp"
#include "bench/counters.hpp"

// How the files *.bench.cpp add rows. Each registers its own while the program starts, in the order of the
// files' names; a row's body takes the State and a precision, as a value that only its type matters of.

namespace optinc::bench {

/// Registers NAME/f32 and NAME/f64 as body(state, float{}) and body(state, double{}); `shape` gives each its
/// sizes and units. Returns true, for the static variable it initialises.
template <class Body, class Shape>
bool add_rows(const std::string& name, Body body, Shape shape) {
  const auto f32 = [body](benchmark::State& state) { body(state, float{}); };
  const auto f64 = [body](benchmark::State& state) { body(state, double{}); };
  shape(benchmark::RegisterBenchmark((name + "/f32").c_str(), f32));
  shape(benchmark::RegisterBenchmark((name + "/f64").c_str(), f64));
  return true;
}

/// The same for what is computed in double alone: NAME without a precision, body(state).
template <class Body, class Shape>
bool add_row(const std::string& name, Body body, Shape shape) {
  shape(benchmark::RegisterBenchmark(name.c_str(), body));
  return true;
}

/// Sizes ports:N, all of them or those given.
inline auto over_ports(std::vector<std::int64_t> ports = all_ports) {
  return [ports](auto* row) { row->ArgNames({"ports"})->ArgsProduct({ports})->Unit(benchmark::kMicrosecond); };
}

/// Sizes ports:N/words:B.
inline auto over_ports_and_words(std::vector<std::int64_t> ports = all_ports,
                                 std::vector<std::int64_t> words = all_words) {
  return [ports, words](auto* row) {
    row->ArgNames({"ports", "words"})->ArgsProduct({ports, words})->Unit(benchmark::kMicrosecond);
  };
}

}  // namespace optinc::bench
