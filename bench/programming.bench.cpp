// From a unitary to phases, phases corrected for known splitters, and fitted to known losses: in double,
// whatever the engine computes in.

#include "physics/mesh/correction.hpp"
#include "physics/mesh/decomposition.hpp"
#include "physics/mesh/fit.hpp"

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

/// As calibration policy `twin` fits a mesh without attenuators, 60 steps of it.
void fit(benchmark::State& state) {
  const MeshCase& c = mesh_case(state.range(0));
  const FitOptions options = {.steps = 60, .memory = 40, .scale = FitScale::common, .start_rad = 0.02};
  double steps = 0.0;
  for (auto _ : state) {
    const FittedProgram found = fit_program(c.topology, c.lossy_errors, c.target, c.program, options);
    benchmark::DoNotOptimize(found.error);
    steps += found.steps;
  }
  state.counters["steps/s"] = benchmark::Counter(steps, benchmark::Counter::kIsRate);
}

[[maybe_unused]] const bool added =
    add_row(
        "decompose_clements", [](auto& state) { decompose(state, decompose_clements); }, over_ports()) &&
    add_row(
        "decompose_reck", [](auto& state) { decompose(state, decompose_reck); }, over_ports()) &&
    add_row("fit_program", fit, over_ports({8, 16, 64})) &&
    add_rows(
        "correct_splitters", [](auto& state, auto real) { correct(state, real); }, over_ports());

}  // namespace
}  // namespace optinc::bench
