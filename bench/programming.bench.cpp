// From a unitary to phases, and phases corrected for known splitters: in double, whatever the engine computes
// in.

#include "physics/mesh/correction.hpp"
#include "physics/mesh/decomposition.hpp"

#include "bench/rows.hpp"

namespace optinc::bench {
namespace {

void decompose(benchmark::State& state, MeshProgram (*method)(const Matrix&)) {
  const MeshCase& c = mesh_case(state.range(0));
  for (auto _ : state) {
    MeshProgram program = method(c.target);
    benchmark::DoNotOptimize(program.theta.data());
    benchmark::ClobberMemory();
  }
  count_rate(state, "MZIs/s", c.topology.mzi_count());
}

template <class Real>
void correct(benchmark::State& state, Real) {
  const MeshCase& c = mesh_case(state.range(0));
  const MeshLayout layout = mesh_layout(c.topology);
  const auto program = c.program.template cast<Real>();
  const auto errors = c.errors.template cast<Real>();
  CorrectedProgramOf<Real> corrected;
  for (auto _ : state) {
    correct_splitters(layout, program, errors.alpha, errors.beta, Clipping::nearest, corrected);
    benchmark::DoNotOptimize(corrected.program.theta.data());
    benchmark::ClobberMemory();
  }
  count_rate(state, "MZIs/s", c.topology.mzi_count());
}

[[maybe_unused]] const bool added =
    add_row(
        "decompose_clements", [](auto& state) { decompose(state, decompose_clements); }, over_ports()) &&
    add_row(
        "decompose_reck", [](auto& state) { decompose(state, decompose_reck); }, over_ports()) &&
    add_rows(
        "correct_splitters", [](auto& state, auto real) { correct(state, real); }, over_ports());

}  // namespace
}  // namespace optinc::bench
