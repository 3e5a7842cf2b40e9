#include "bench/twin_time.hpp"

#include <map>
#include <utility>

#include <benchmark/benchmark.h>

#include "bench/cases.hpp"
#include "bench/eigen_twin.hpp"
#include "bench/timing.hpp"

namespace optinc::bench {
namespace {

template <class Real>
TwinTime measure(std::int64_t ports, std::int64_t words) {
  const MeshCase& c = mesh_case(ports);
  EigenTwin<Real> twin;
  TwinTime time;
  time.settle_s = median_seconds([&] {
    twin = settle_twin<Real>(c.program, c.errors);
    benchmark::DoNotOptimize(twin.mzis.data());
  });
  TwinFields<Real> fields = case_fields(ports, words).template cast<std::complex<Real>>();
  time.propagate_s = median_seconds([&] {
    propagate_twin(c.topology, twin, fields);
    benchmark::DoNotOptimize(fields.data());
    benchmark::ClobberMemory();
  });
  return time;
}

}  // namespace

template <class Real>
const TwinTime& twin_time(std::int64_t ports, std::int64_t words) {
  static std::map<std::pair<std::int64_t, std::int64_t>, TwinTime> measured;
  const std::pair key(ports, words);
  const auto found = measured.find(key);
  if (found != measured.end()) return found->second;
  return measured.emplace(key, measure<Real>(ports, words)).first->second;
}

template const TwinTime& twin_time<float>(std::int64_t, std::int64_t);
template const TwinTime& twin_time<double>(std::int64_t, std::int64_t);

}  // namespace optinc::bench
