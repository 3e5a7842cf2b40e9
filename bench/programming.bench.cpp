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

void correct(benchmark::State& state) {
  const MeshCase& c = mesh_case(state.range(0));
  for (auto _ : state) {
    CorrectedProgram corrected = correct_splitters(c.topology, c.program, c.errors.alpha, c.errors.beta);
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
    add_row("correct_splitters", correct, over_ports());

}  // namespace
}  // namespace optinc::bench
