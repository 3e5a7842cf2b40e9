// The mesh as it is computed today, slow reference and first fast path side by side. bench/README.md says how
// to read the counters.

#include "physics/mesh/reference_mesh.hpp"

#include <benchmark/benchmark.h>

#include "physics/mesh/correction.hpp"
#include "physics/mesh/decomposition.hpp"
#include "physics/mesh/propagation.hpp"
#include "physics/random/haar.hpp"
#include "physics/variation/chip_errors.hpp"

namespace {

using namespace optinc;

/// A Haar target on N ports, programmed on a chip of the foundry preset.
struct Chip {
  explicit Chip(int ports)
      : topology(clements_topology(ports)), errors(draw_mesh_errors(topology, error_preset("foundry"), {})) {
    Stream stream(1, Purpose::haar);
    target = haar_unitary(ports, stream);
    program = decompose_clements(target);
  }
  MeshTopology topology;
  MeshErrors errors;
  Matrix target;
  MeshProgram program;
};

/// Rates of one pass per iteration: an MZI acts on a vector with 4 complex products and 2 complex sums, 28
/// flop.
void count_passes(benchmark::State& state, const MeshTopology& topology, double words) {
  const double mzi_fields = words * topology.mzi_count();
  using benchmark::Counter;
  state.counters["MZI-fields/s"] = Counter(mzi_fields, Counter::kIsIterationInvariantRate);
  state.counters["flop/s"] = Counter(28 * mzi_fields, Counter::kIsIterationInvariantRate);
}

void count_mzis(benchmark::State& state, const MeshTopology& topology) {
  using benchmark::Counter;
  state.counters["MZIs/s"] = Counter(topology.mzi_count(), Counter::kIsIterationInvariantRate);
}

/// The naive twin: N vectors are sent, so that its rates compare with propagate's at words = N.
void reference_transfer_matrix(benchmark::State& state) {
  const Chip chip(static_cast<int>(state.range(0)));
  for (auto _ : state) {
    Matrix u = optinc::reference_transfer_matrix(chip.topology, chip.program, chip.errors);
    benchmark::DoNotOptimize(u.data());
    benchmark::ClobberMemory();
  }
  count_passes(state, chip.topology, chip.topology.ports);
}

void propagate(benchmark::State& state) {
  const Chip chip(static_cast<int>(state.range(0)));
  const MeshState mesh =
      optinc::settle(chip.program, no_errors(chip.topology));  // lossless: fields keep their size
  FieldBatch fields(chip.topology.ports, state.range(1));
  fields.re.setOnes();
  for (auto _ : state) {
    optinc::propagate(chip.topology, mesh, fields);
    benchmark::DoNotOptimize(fields.re.data());
    benchmark::ClobberMemory();
  }
  count_passes(state, chip.topology, static_cast<double>(state.range(1)));
}

void settle(benchmark::State& state) {
  const Chip chip(static_cast<int>(state.range(0)));
  for (auto _ : state) {
    MeshState mesh = optinc::settle(chip.program, chip.errors);
    benchmark::DoNotOptimize(mesh.mzis.data());
    benchmark::ClobberMemory();
  }
  count_mzis(state, chip.topology);
}

void decompose_clements(benchmark::State& state) {
  const Chip chip(static_cast<int>(state.range(0)));
  for (auto _ : state) {
    MeshProgram program = optinc::decompose_clements(chip.target);
    benchmark::DoNotOptimize(program.theta.data());
    benchmark::ClobberMemory();
  }
  count_mzis(state, chip.topology);
}

void correct_splitters(benchmark::State& state) {
  const Chip chip(static_cast<int>(state.range(0)));
  for (auto _ : state) {
    CorrectedProgram corrected =
        optinc::correct_splitters(chip.topology, chip.program, chip.errors.alpha, chip.errors.beta);
    benchmark::DoNotOptimize(corrected.program.theta.data());
    benchmark::ClobberMemory();
  }
  count_mzis(state, chip.topology);
}

void port_counts(benchmark::internal::Benchmark* b) {
  b->ArgName("ports");
  for (const int ports : {8, 16, 64, 128}) b->Arg(ports);
}

BENCHMARK(reference_transfer_matrix)->Apply(port_counts);
BENCHMARK(propagate)->ArgNames({"ports", "words"})->ArgsProduct({{8, 16, 64, 128}, {1, 64, 1024}});
BENCHMARK(settle)->Apply(port_counts);
BENCHMARK(decompose_clements)->Apply(port_counts);
BENCHMARK(correct_splitters)->Apply(port_counts);

}  // namespace

BENCHMARK_MAIN();
