// Fields through a settled mesh on every path of the engine, its set-up, and both together.

#include "physics/mesh/engine/mesh_engine.hpp"
#include "physics/simd/processor.hpp"

#include "bench/rows.hpp"
#include "bench/twin_time.hpp"

namespace optinc::bench {
namespace {

/// An engine settled with the case of that size.
template <class Real>
MeshEngine<Real> settled_engine(const MeshCase& c, MeshPath path) {
  MeshEngine<Real> engine(c.topology, path);
  engine.settle(c.program.template cast<Real>(), c.errors.template cast<Real>());
  return engine;
}

/// Passes after which the fields are set anew: rounding makes them grow or shrink by some eps a pass, which
/// over a long run would leave the range of float.
constexpr int passes_before_renewal = 1 << 16;

template <class Real>
void forward(benchmark::State& state, Real, MeshPath path, int threads = 1) {
  const MeshCase& c = mesh_case(state.range(0));
  const auto engine = settled_engine<Real>(c, path);
  const FieldBatchOf<Real> inputs(case_fields(state.range(0), state.range(1)));
  FieldBatchOf<Real> fields = inputs;
  int passes = 0;
  for (auto _ : state) {
    engine.propagate(fields, threads);
    benchmark::DoNotOptimize(fields.re.data());
    benchmark::ClobberMemory();
    if (++passes % passes_before_renewal == 0) fields = inputs;
  }
  count_work<Real>(state, forward_work<Real>(c.topology, static_cast<double>(state.range(1))));
  count_twin(state, twin_time<Real>(state.range(0), state.range(1)).propagate_s);
}

/// The same for fields in the kernels' own form, in blocks of so many SIMD registers (0: what suits): what a
/// pass costs that need not copy words in and out.
template <class Real>
void forward_blocks(benchmark::State& state, Real, std::size_t registers = 0) {
  const MeshCase& c = mesh_case(state.range(0));
  const auto engine = settled_engine<Real>(c, MeshPath::direct);
  const FieldBlocks<Real> inputs =
      in_kernel_layout(FieldBatchOf<Real>(case_fields(state.range(0), state.range(1))),
                       registers * std::max<std::size_t>(1, processor().register_bytes / sizeof(Real)));
  FieldBlocks<Real> fields = inputs;
  int passes = 0;
  for (auto _ : state) {
    engine.propagate(fields);
    benchmark::DoNotOptimize(fields.data.data());
    benchmark::ClobberMemory();
    if (++passes % passes_before_renewal == 0) fields = inputs;
  }
  count_work<Real>(state, forward_work<Real>(c.topology, static_cast<double>(state.range(1))));
  count_twin(state, twin_time<Real>(state.range(0), state.range(1)).propagate_s);
}

/// From parameters, as a Monte-Carlo trial or a training step does: phases and errors in, fields out.
template <class Real>
void forward_from_parameters(benchmark::State& state, Real) {
  const MeshCase& c = mesh_case(state.range(0));
  const auto program = c.program.template cast<Real>();
  const auto errors = c.errors.template cast<Real>();
  MeshEngine<Real> engine(c.topology);
  const FieldBatchOf<Real> inputs(case_fields(state.range(0), state.range(1)));
  FieldBatchOf<Real> fields = inputs;
  int passes = 0;
  for (auto _ : state) {
    engine.settle(program, errors);
    engine.propagate(fields);
    benchmark::DoNotOptimize(fields.re.data());
    benchmark::ClobberMemory();
    if (++passes % passes_before_renewal == 0) fields = inputs;
  }
  count_work<Real>(state, forward_work<Real>(c.topology, static_cast<double>(state.range(1))));
  count_twin(state, twin_time<Real>(state.range(0), state.range(1)).from_parameters_s());
}

/// The same in the kernels' own layout: no words copied in and out.
template <class Real>
void forward_from_parameters_blocks(benchmark::State& state, Real) {
  const MeshCase& c = mesh_case(state.range(0));
  const auto program = c.program.template cast<Real>();
  const auto errors = c.errors.template cast<Real>();
  MeshEngine<Real> engine(c.topology);
  const auto inputs = in_kernel_layout(FieldBatchOf<Real>(case_fields(state.range(0), state.range(1))));
  auto fields = inputs;
  int passes = 0;
  for (auto _ : state) {
    engine.settle(program, errors);
    engine.propagate(fields);
    benchmark::DoNotOptimize(fields.data.data());
    benchmark::ClobberMemory();
    if (++passes % passes_before_renewal == 0) fields = inputs;
  }
  count_work<Real>(state, forward_work<Real>(c.topology, static_cast<double>(state.range(1))));
  count_twin(state, twin_time<Real>(state.range(0), state.range(1)).from_parameters_s());
}

template <class Real>
void settle(benchmark::State& state, Real, bool lossy) {
  const MeshCase& c = mesh_case(state.range(0));
  const auto program = c.program.template cast<Real>();
  const auto errors = (lossy ? c.lossy_errors : c.errors).template cast<Real>();
  MeshEngine<Real> engine(c.topology);
  for (auto _ : state) {
    engine.settle(program, errors);
    benchmark::ClobberMemory();
  }
  count_rate(state, "MZIs/s", c.topology.mzi_count());
  count_twin(state, twin_time<Real>(state.range(0), 1).settle_s);
}

auto on_path(MeshPath path) {
  return [path](benchmark::State& state, auto real) { forward(state, real, path); };
}

const auto on_two_threads = [](auto* row) {
  over_ports_and_words({64, 128, 256}, {64, 1024, 4096})(row->UseRealTime());
};

[[maybe_unused]] const bool added =
    add_rows("forward", on_path(MeshPath::automatic), over_ports_and_words()) &&
    add_rows("forward_direct", on_path(MeshPath::direct), over_ports_and_words()) &&
    add_rows(
        "forward_blocks", [](auto& state, auto real) { forward_blocks(state, real); },
        over_ports_and_words(all_ports, {64, 1024})) &&
    add_rows(
        "forward_blocks_narrow", [](auto& state, auto real) { forward_blocks(state, real, 1); },
        over_ports_and_words(all_ports, {1024})) &&
    add_rows(
        "forward_blocks_wide", [](auto& state, auto real) { forward_blocks(state, real, 2); },
        over_ports_and_words(all_ports, {1024})) &&
    add_rows("forward_single_vector", on_path(MeshPath::single_vector),
             over_ports_and_words(all_ports, {1, 64})) &&
    add_rows("forward_matrix", on_path(MeshPath::matrix), over_ports_and_words(all_ports, {64, 1024, 4096})) &&
    add_rows("forward_reference", on_path(MeshPath::reference), over_ports_and_words({8, 16, 64}, {64})) &&
    add_rows(
        "forward_two_threads", [](auto& state, auto real) { forward(state, real, MeshPath::automatic, 2); },
        on_two_threads) &&
    add_rows(
        "forward_from_parameters", [](auto& state, auto real) { forward_from_parameters(state, real); },
        over_ports_and_words()) &&
    add_rows(
        "forward_from_parameters_blocks",
        [](auto& state, auto real) { forward_from_parameters_blocks(state, real); }, over_ports_and_words()) &&
    add_rows(
        "settle", [](auto& state, auto real) { settle(state, real, false); }, over_ports()) &&
    add_rows(
        "settle_lossy", [](auto& state, auto real) { settle(state, real, true); }, over_ports());

}  // namespace
}  // namespace optinc::bench
