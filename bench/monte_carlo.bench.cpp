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

// Drawing and correcting compute in double; what they give is rounded once.
template <class Real>
void draw(const MeshTopology& topology, const ErrorModel& model, const MeshAddress& address,
          MeshErrorsOf<Real>& out) {
  out = draw_mesh_errors(topology, model, address).template cast<Real>();
}
template <class Real>
MeshProgramOf<Real> corrected_program(const MeshCase& c, const MeshErrorsOf<Real>& errors) {
  return correct_splitters(c.topology, c.program, errors.alpha.template cast<double>(),
                           errors.beta.template cast<double>())
      .program.template cast<Real>();
}

/// What one thread needs to try chip after chip without allocating.
template <class Real>
struct Trial {
  explicit Trial(const MeshCase& c)
      : mesh(&c),
        program(c.program.template cast<Real>()),
        engine(c.topology),
        inputs(case_fields(c.topology.ports, words)),
        fields(inputs) {}

  void run(std::uint32_t chip, bool corrected) {
    static const ErrorModel model = error_preset("foundry");
    draw(mesh->topology, model, {1, chip, 0}, errors);
    if (corrected)
      engine.settle(corrected_program(*mesh, errors), errors);
    else
      engine.settle(program, errors);
    fields = inputs;
    engine.propagate(fields);
    benchmark::DoNotOptimize(fields.re.data());
    benchmark::ClobberMemory();
  }

  const MeshCase* mesh;
  MeshProgramOf<Real> program;
  MeshErrorsOf<Real> errors;
  MeshEngine<Real> engine;
  FieldBatchOf<Real> inputs, fields;
};

template <class Real>
void chips(benchmark::State& state, Real, bool corrected) {
  const MeshCase& c = mesh_case(state.range(0));
  Trial<Real> trial(c);
  std::uint32_t chip = 0;
  for (auto _ : state) trial.run(chip++, corrected);
  count_rate(state, "chips/s", 1);
  count_rate(state, "MZI-fields/s", static_cast<double>(c.topology.mzi_count() * words));
  // the twin draws nothing and corrects nothing: it is given its errors
  count_twin(state, twin_time<Real>(state.range(0), words).from_parameters_s());
}

/// 32 chips an iteration, shared out to two threads.
template <class Real>
void chips_two_threads(benchmark::State& state, Real) {
  constexpr int threads = 2, chips_each_time = 32;
  const MeshCase& c = mesh_case(state.range(0));
  std::array trials = {Trial<Real>(c), Trial<Real>(c)};
  std::uint32_t first = 0;
  for (auto _ : state) {
    parallel_for(chips_each_time, threads, [&](int i) {
      trials[static_cast<std::size_t>(omp_get_thread_num())].run(first + static_cast<std::uint32_t>(i), false);
    });
    first += chips_each_time;
  }
  count_rate(state, "chips/s", chips_each_time);
  count_rate(state, "MZI-fields/s", static_cast<double>(chips_each_time * c.topology.mzi_count() * words));
}

[[maybe_unused]] const bool added =
    add_rows(
        "monte_carlo_chip", [](auto& state, auto real) { chips(state, real, false); }, over_ports()) &&
    add_rows(
        "monte_carlo_chip_corrected", [](auto& state, auto real) { chips(state, real, true); }, over_ports()) &&
    add_rows(
        "monte_carlo_chip_two_threads", [](auto& state, auto real) { chips_two_threads(state, real); },
        [](auto* row) {
          over_ports({64, 128})(row->UseRealTime());
        });

}  // namespace
}  // namespace optinc::bench
