// The naive Eigen twin in the table beside what is measured against it.

#include "bench/eigen_twin.hpp"
#include "bench/rows.hpp"

namespace optinc::bench {
namespace {

/// From parameters: 2x2 matrices from phases and errors, then the words MZI by MZI.
template <class Real>
void twin_rows(benchmark::State& state, Real) {
  const MeshCase& c = mesh_case(state.range(0));
  TwinFields<Real> fields = case_fields(state.range(0), state.range(1)).template cast<std::complex<Real>>();
  for (auto _ : state) {
    const EigenTwin<Real> twin = settle_twin<Real>(c.program, c.errors);
    propagate_twin(c.topology, twin, fields);
    benchmark::DoNotOptimize(fields.data());
    benchmark::ClobberMemory();
  }
  count_work<Real>(state, forward_work<Real>(c.topology, static_cast<double>(state.range(1))));
}

[[maybe_unused]] const bool added = add_rows(
    "eigen_twin", [](auto& state, auto real) { twin_rows(state, real); },
    over_ports_and_words({8, 64, 128, 256}, {1, 64, 1024}));

}  // namespace
}  // namespace optinc::bench
