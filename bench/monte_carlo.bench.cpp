// A Monte-Carlo chip: errors drawn, phases corrected or not, mesh settled, 64 words sent. Everything is
// counted.

#include <array>

#include <omp.h>

#include "physics/core/parallel.hpp"
#include "physics/mesh/correction.hpp"
#include "physics/mesh/engine/mesh_engine.hpp"
#include "physics/variation/chip_errors.hpp"

#include "bench/rows.hpp"
#include "bench/twin_time.hpp"

namespace optinc::bench {
namespace {

constexpr Eigen::Index words = 64;

/// What one thread needs to try chip after chip without allocating.
template <class Real>
struct Trial {
  explicit Trial(const MeshCase& c)
      : topology(&c.topology),
        program(c.program.template cast<Real>()),
        engine(c.topology),
        inputs(case_fields(c.topology.ports, words)),
        fields(inputs) {}

  /// `in_blocks`: fields stay in the kernels' own layout.
  void run(const ErrorModel& model, std::uint32_t chip, bool correct, bool in_blocks = false) {
    draw_mesh_errors(*topology, model, {1, chip, 0}, errors);
    if (correct)
      correct_splitters(engine.layout(), program, errors.alpha, errors.beta, Clipping::quadrature, corrected);
    engine.settle(correct ? corrected.program : program, errors);
    if (in_blocks) {
      blocks = input_blocks;
      engine.propagate(blocks);
      benchmark::DoNotOptimize(blocks.data.data());
    } else {
      fields = inputs;
      engine.propagate(fields);
      benchmark::DoNotOptimize(fields.re.data());
    }
    benchmark::ClobberMemory();
  }

  const MeshTopology* topology;
  MeshProgramOf<Real> program;
  CorrectedProgramOf<Real> corrected;
  MeshErrorsOf<Real> errors;
  MeshEngine<Real> engine;
  FieldBatchOf<Real> inputs, fields;
  FieldBlocks<Real> input_blocks = in_kernel_layout(inputs), blocks;
};

/// Every source of preset doped-heaters: eight normals and two exponentials an MZI.
const ErrorModel doped = error_preset("doped-heaters");

/// Splitters and phase offsets alone: four normals an MZI, all arms alike.
const ErrorModel four_normals = [] {
  ErrorModel model = doped;
  model.arm_loss_spread_db = model.sigma_phase_rad = 0.0;
  return model;
}();

template <class Real>
void chips(benchmark::State& state, Real, const ErrorModel& model, bool correct, bool in_blocks = false) {
  const MeshCase& c = mesh_case(state.range(0));
  Trial<Real> trial(c);
  std::uint32_t chip = 0;
  for (auto _ : state) trial.run(model, chip++, correct, in_blocks);
  count_rate(state, "chips/s", 1);
  count_rate(state, "MZI-fields/s", static_cast<double>(c.topology.mzi_count() * words));
  // the twin draws nothing and corrects nothing: it is given its errors
  count_twin(state, twin_time<Real>(state.range(0), words).from_parameters_s());
}

/// Drawing alone.
template <class Real>
void draw(benchmark::State& state, Real) {
  const MeshCase& c = mesh_case(state.range(0));
  MeshErrorsOf<Real> errors;
  std::uint32_t chip = 0;
  for (auto _ : state) {
    draw_mesh_errors(c.topology, doped, {1, chip++, 0}, errors);
    benchmark::DoNotOptimize(errors.alpha.data());
    benchmark::ClobberMemory();
  }
  count_rate(state, "MZIs/s", c.topology.mzi_count());
}

/// 32 chips an iteration, shared out to two threads.
template <class Real>
void chips_two_threads(benchmark::State& state, Real) {
  constexpr int threads = 2;
  constexpr std::int64_t chips_each_time = 32;
  const MeshCase& c = mesh_case(state.range(0));
  std::array trials = {Trial<Real>(c), Trial<Real>(c)};
  std::uint32_t first = 0;
  for (auto _ : state) {
    parallel_for(chips_each_time, threads, [&](std::int64_t i) {
      trials[static_cast<std::size_t>(omp_get_thread_num())].run(doped, first + static_cast<std::uint32_t>(i),
                                                                 false);
    });
    first += chips_each_time;
  }
  count_rate(state, "chips/s", chips_each_time);
  count_rate(state, "MZI-fields/s", static_cast<double>(chips_each_time * c.topology.mzi_count() * words));
}

[[maybe_unused]] const bool added =
    add_rows(
        "monte_carlo_chip", [](auto& state, auto real) { chips(state, real, doped, false); }, over_ports()) &&
    add_rows(
        "monte_carlo_chip_corrected", [](auto& state, auto real) { chips(state, real, doped, true); },
        over_ports()) &&
    add_rows(
        "monte_carlo_chip_blocks", [](auto& state, auto real) { chips(state, real, doped, false, true); },
        over_ports()) &&
    add_rows(
        "monte_carlo_chip_four_normals",
        [](auto& state, auto real) { chips(state, real, four_normals, false, true); }, over_ports()) &&
    add_rows(
        "monte_carlo_chip_four_normals_corrected",
        [](auto& state, auto real) { chips(state, real, four_normals, true, true); }, over_ports()) &&
    add_rows(
        "draw_mesh_errors", [](auto& state, auto real) { draw(state, real); }, over_ports()) &&
    add_rows(
        "monte_carlo_chip_two_threads", [](auto& state, auto real) { chips_two_threads(state, real); },
        [](auto* row) {
          over_ports({64, 128})(row->UseRealTime());
        });

}  // namespace
}  // namespace optinc::bench
