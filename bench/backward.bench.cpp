// Reverse mode: every parameter's derivative and the gradient at the inputs, alone and behind a forward pass.

#include <map>
#include <utility>

#include "physics/mesh/engine/mesh_engine.hpp"

#include "bench/rows.hpp"
#include "bench/timing.hpp"

namespace optinc::bench {
namespace {

/// A settled engine, fields sent, fields received and a gradient there, which backward() replaces by the one at
/// the inputs: as good a gradient for the next pass, and without losses as large.
template <class Real>
struct Step {
  Step(const MeshCase& c, std::int64_t ports, std::int64_t words)
      : engine(c.topology), inputs(case_fields(ports, words)), outputs(inputs), gradient(inputs) {
    constexpr bool for_backward = true;
    engine.settle(c.program.template cast<Real>(), c.errors.template cast<Real>(), for_backward);
    engine.propagate(outputs);
  }
  MeshEngine<Real> engine;
  FieldBatchOf<Real> inputs, outputs, gradient;
};

/// Seconds of the forward pass of one step, its inputs copied first; measured once for a size and precision.
template <class Real>
double forward_seconds(const Step<Real>& step, std::int64_t ports, std::int64_t words) {
  static std::map<std::pair<std::int64_t, std::int64_t>, double> measured;
  const std::pair key(ports, words);
  const auto found = measured.find(key);
  if (found != measured.end()) return found->second;
  FieldBatchOf<Real> fields = step.inputs;
  const double seconds = median_seconds([&] {
    fields = step.inputs;
    step.engine.propagate(fields);
    benchmark::DoNotOptimize(fields.re.data());
    benchmark::ClobberMemory();
  });
  return measured.emplace(key, seconds).first->second;
}

/// What forward_work() moves, and back: fields and gradient in and out, every derivative (6 an MZI).
template <class Real>
MeshWork backward_work(const MeshTopology& topology, double words) {
  const double mzis = topology.mzi_count();
  return {mzis * words, backward_flop * mzis * words,
          sizeof(Real) * (8.0 * topology.ports * words + (4.0 + 6.0) * mzis)};
}

template <class Real>
void backward(benchmark::State& state, Real, const BackwardOptions& options, int threads = 1) {
  const MeshCase& c = mesh_case(state.range(0));
  Step<Real> step(c, state.range(0), state.range(1));
  BackwardResult<Real> result;
  for (auto _ : state) {
    result = step.engine.backward(step.inputs, step.outputs, step.gradient, threads, options);
    benchmark::DoNotOptimize(result.parameters.theta.data());
    benchmark::ClobberMemory();
  }
  count_work<Real>(state, backward_work<Real>(c.topology, static_cast<double>(state.range(1))));
  count_forward(state, forward_seconds(step, state.range(0), state.range(1)));
  state.SetLabel(result.compressed ? "compressed" : result.inverted ? "inverted" : "checkpoints");
}

template <class Real>
void forward_backward(benchmark::State& state, Real) {
  const MeshCase& c = mesh_case(state.range(0));
  Step<Real> step(c, state.range(0), state.range(1));
  for (auto _ : state) {
    step.outputs = step.inputs;
    step.engine.propagate(step.outputs);
    const auto result = step.engine.backward(step.inputs, step.outputs, step.gradient);
    benchmark::DoNotOptimize(result.parameters.theta.data());
    benchmark::ClobberMemory();
  }
  MeshWork work = backward_work<Real>(c.topology, static_cast<double>(state.range(1)));
  work.flop += forward_flop * work.mzi_fields;
  count_work<Real>(state, work);
  count_forward(state, forward_seconds(step, state.range(0), state.range(1)));
}

/// Reverse mode over forward, both in the kernels' own layout: no words copied in and out.
template <class Real>
void backward_blocks(benchmark::State& state, Real) {
  const MeshCase& c = mesh_case(state.range(0));
  const Step<Real> step(c, state.range(0), state.range(1));
  const auto inputs = in_kernel_layout(step.inputs), outputs = in_kernel_layout(step.outputs);
  FieldBlocks<Real> sent = inputs, input_gradient;
  const double forward_s = median_seconds([&] {
    step.engine.propagate(sent);  // again and again: without losses fields keep their size
    benchmark::DoNotOptimize(sent.data.data());
    benchmark::ClobberMemory();
  });
  constexpr BackwardOptions options;
  for (auto _ : state) {
    const auto result = step.engine.backward(inputs, outputs, inputs, input_gradient, 1, options);
    benchmark::DoNotOptimize(result.parameters.theta.data());
    benchmark::ClobberMemory();
  }
  count_work<Real>(state, backward_work<Real>(c.topology, static_cast<double>(state.range(1))));
  count_forward(state, forward_s);
}

auto with(BackwardOptions options, int threads = 1) {
  return [options, threads](benchmark::State& state, auto real) { backward(state, real, options, threads); };
}

const auto batches = over_ports_and_words(all_ports, {1, 64, 1024, 4096});
const auto large_batches = over_ports_and_words({8, 16, 64, 128}, {64, 1024, 4096});

[[maybe_unused]] const bool added =
    add_rows(
        "forward_backward", [](auto& state, auto real) { forward_backward(state, real); }, batches) &&
    add_rows("backward", with({}), batches) &&
    add_rows(
        "backward_blocks", [](auto& state, auto real) { backward_blocks(state, real); }, large_batches) &&
    add_rows("backward_uncompressed", with({.compress = false}), large_batches) &&
    add_rows("backward_checkpoints", with({.compress = false, .invert = false}),
             over_ports_and_words({64, 256}, {64, 1024})) &&
    add_rows("backward_two_threads", with({}, 2), [](auto* row) {
      over_ports_and_words({64, 128, 256}, {64, 1024})(row->UseRealTime());
    });

}  // namespace
}  // namespace optinc::bench
