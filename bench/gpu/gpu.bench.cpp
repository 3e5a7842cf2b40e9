// The mesh on a GPU: fields that lie there already, chips, and what the host waits for. %fma: of the GPU's
// measured peak, at the 16 multiply-adds of a complex 2x2 on a vector (48 forward and back), whatever else a
// kernel does.

#include <cstdio>
#include <numeric>

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "onn/gpu/chips_gpu.hpp"
#include "onn/task/words.hpp"
#include "physics/core/parallel.hpp"
#include "physics/gpu/device_array.hpp"
#include "physics/gpu/mesh_gpu.hpp"
#include "physics/random/haar.hpp"

#include "bench/gpu/gpu_peak.hpp"
#include "bench/rows.hpp"

namespace optinc::bench {
namespace {

const GpuPeaks& gpu_peaks() {
  static const GpuPeaks measured = measure_gpu_peaks();
  return measured;
}

template <class Real>
void count_gpu(benchmark::State& state, double mzi_fields, double fma_each) {
  count_rate(state, "MZI-fields/s", mzi_fields);
  count_rate(state, "%fma",
             100 * mzi_fields * fma_each /
                 (sizeof(Real) == 4 ? gpu_peaks().f32_fma_per_s : gpu_peaks().f64_fma_per_s));
}

template <class Real>
MeshGpu<Real> settled_mesh(const MeshCase& c) {
  MeshGpu<Real> mesh(c.topology);
  mesh.settle(c.program.template cast<Real>(), c.errors.template cast<Real>());
  return mesh;
}

template <class Real>
void gpu_forward(benchmark::State& state, Real) {
  const MeshCase& c = mesh_case(state.range(0));
  const MeshGpu<Real> mesh = settled_mesh<Real>(c);
  GpuFields<Real> fields = mesh.upload(FieldBatchOf<Real>(case_fields(state.range(0), state.range(1))));
  constexpr int passes = 10;  // launched one behind the other
  for (auto _ : state) {
    for (int i = 0; i < passes; ++i) mesh.propagate(fields);
    mesh.wait();
  }
  count_gpu<Real>(state, 1.0 * passes * c.topology.mzi_count() * static_cast<double>(state.range(1)), 16);
}

/// Fields from the host and back.
template <class Real>
void gpu_forward_from_host(benchmark::State& state, Real) {
  const MeshCase& c = mesh_case(state.range(0));
  MeshGpu<Real> mesh(c.topology);
  const auto program = c.program.template cast<Real>();
  const auto errors = c.errors.template cast<Real>();
  FieldBatchOf<Real> fields(case_fields(state.range(0), state.range(1)));
  for (auto _ : state) {
    mesh.settle(program, errors);
    mesh.propagate(fields);
  }
  count_gpu<Real>(state, 1.0 * c.topology.mzi_count() * static_cast<double>(state.range(1)), 16);
}

template <class Real>
void gpu_forward_and_backward(benchmark::State& state, Real) {
  const MeshCase& c = mesh_case(state.range(0));
  const MeshGpu<Real> mesh = settled_mesh<Real>(c);
  const FieldBatchOf<Real> host(case_fields(state.range(0), state.range(1)));
  const GpuFields<Real> inputs = mesh.upload(host);
  GpuFields<Real> gradient = mesh.upload(host);
  for (auto _ : state) benchmark::DoNotOptimize(mesh.backward(inputs, gradient));
  count_gpu<Real>(state, 1.0 * c.topology.mzi_count() * static_cast<double>(state.range(1)), 48);
}

/// Chips drawn, settled, 64 words sent through each and compared with the perfect mesh.
template <class Real>
void gpu_chips(benchmark::State& state, Real, const ErrorModel& model) {
  const MeshCase& c = mesh_case(state.range(0));
  const MeshGpu<Real> mesh(c.topology);
  const auto program = c.program.template cast<Real>();
  const FieldBatchOf<Real> fields(case_fields(state.range(0), 64));
  const auto chips = static_cast<std::uint32_t>(state.range(1));
  std::uint32_t first = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(mesh.chip_deviations(program, model, {1, first, 0}, chips, fields));
    first += chips;
  }
  count_rate(state, "chips/s", chips);
  count_gpu<Real>(state, 64.0 * chips * c.topology.mzi_count(), 16);
}

ErrorModel four_normals() {
  ErrorModel model = error_preset("doped-heaters");
  model.arm_loss_spread_db = model.sigma_phase_rad = 0.0;
  return model;
}

/// A unit of four servers and eight bits, and what its words meet.
struct UnitCase {
  ChipDesign design;
  ErrorModel errors = error_preset("good-lab");
  UnitHardware hardware;
  NoiseSwitches noise = {.shot = true, .tia = true, .rin = true};

  ResponseTable table(std::uint32_t chip) const {
    const ChipState made =
        programmed_chip(design, fabricate(design, errors, 1, chip), errors, Programming::corrected);
    return tabulate_chip({design, made, hardware, noise}, {1, chip});
  }
};

const UnitCase& unit_case() {
  static const UnitCase unit = [] {
    Network network = make_network({4, 4}, std::vector<int>{64, 64});
    Stream stream(1, Purpose::test);
    for (SigmaULayer& layer : network.layers) {
      for (auto& u : layer.unitary) u = haar_orthogonal(layer.block_size(), stream);
      for (auto& sigma : layer.sigma) sigma.setConstant(0.3);
    }
    network.layers.back().bias.setConstant(1.3);
    return UnitCase{design_chip(network)};
  }();
  return unit;
}

/// The table of a chip of it, whose words noise moves now and then.
const ResponseTable& word_table() {
  static const ResponseTable table = unit_case().table(0);
  return table;
}

Codes every_word(const UnitCase& unit) {
  std::vector<std::uint64_t> numbers(unit.design.task.words());
  std::iota(numbers.begin(), numbers.end(), std::uint64_t{0});
  return codes_of_words(unit.design.task, numbers);
}

/// Chips of it fabricated, corrected and tabulated, and every word of the task looked up once: with the noise
/// of all receivers, and without any.
void gpu_whole_chips(benchmark::State& state) {
  UnitCase unit = unit_case();
  if (state.range(1) == 0) unit.noise = {};
  const ChipsGpu gpu(unit.design, unit.errors, Programming::corrected, unit.hardware, unit.noise);
  const Codes codes = every_word(unit);
  const CodeVector expected = CodeVector::Zero(codes.rows());
  const auto chips = static_cast<std::uint32_t>(state.range(0));
  TableSeed seed;
  for (auto _ : state) {
    benchmark::DoNotOptimize(gpu.wrong_words(codes, expected, seed, chips));
    seed.chip += chips;
  }
  count_rate(state, "chips/s", chips);
}

/// The same on the processor, chips shared out to all threads.
void whole_chips(benchmark::State& state) {
  UnitCase unit = unit_case();
  if (state.range(1) == 0) unit.noise = {};
  const Codes codes = every_word(unit);
  const auto chips = static_cast<std::uint32_t>(state.range(0));
  std::uint32_t first = 0;
  for (auto _ : state) {
    parallel_for(chips, [&](std::uint32_t c) {
      benchmark::DoNotOptimize(send_by_table(unit.table(first + c), codes, {1, first + c}).data());
    });
    first += chips;
  }
  count_rate(state, "chips/s", chips);
}

constexpr Eigen::Index looked_up = 1 << 22;

Codes word_codes() {
  Stream stream(2, Purpose::test);
  Codes codes(looked_up, word_table().task.servers);
  for (auto& code : codes.reshaped()) code = stream.below(256);
  return codes;
}

/// Codes of four servers that lie on the GPU, answers that stay there.
void gpu_words(benchmark::State& state) {
  const TableGpu table(word_table());
  const Codes codes = word_codes();
  gpu::DeviceArray<std::uint32_t> there, answers;
  there.set(codes.data(), static_cast<std::size_t>(codes.size()));
  answers.reserve(static_cast<std::size_t>(looked_up));
  TableSeed seed;
  for (auto _ : state) {
    table.send(there.data(), looked_up, seed, answers.data());
    gpu::wait();
    ++seed.use;
  }
  count_rate(state, "words/s", looked_up);
}

/// Codes from the host and answers to it.
void gpu_words_from_host(benchmark::State& state) {
  const TableGpu table(word_table());
  const Codes codes = word_codes();
  TableSeed seed;
  for (auto _ : state) {
    benchmark::DoNotOptimize(table.send(codes, seed).data());
    ++seed.use;
  }
  count_rate(state, "words/s", looked_up);
}

/// The same on all threads of the processor.
void words_by_table(benchmark::State& state) {
  const Codes codes = word_codes();
  TableSeed seed;
  for (auto _ : state) {
    benchmark::DoNotOptimize(send_by_table(word_table(), codes, seed).data());
    ++seed.use;
  }
  count_rate(state, "words/s", looked_up);
}

const auto by_the_wall = [](auto* row) { row->Unit(benchmark::kMicrosecond)->UseRealTime(); };

auto in_real_time(std::vector<std::int64_t> ports, std::vector<std::int64_t> others,
                  const char* other = "words") {
  return [=](auto* row) {
    row->ArgNames({"ports", other})->ArgsProduct({ports, others})->Unit(benchmark::kMicrosecond)->UseRealTime();
  };
}

[[maybe_unused]] const bool added =
    add_rows(
        "gpu_forward", [](auto& state, auto real) { gpu_forward(state, real); },
        in_real_time({16, 64, 128, 256, 512}, {64, 1024, 65536})) &&
    add_rows(
        "gpu_forward_from_host", [](auto& state, auto real) { gpu_forward_from_host(state, real); },
        in_real_time({64}, {64, 1024})) &&
    add_rows(
        "gpu_forward_and_backward", [](auto& state, auto real) { gpu_forward_and_backward(state, real); },
        in_real_time({16, 64, 128, 256}, {64, 1024, 16384})) &&
    add_rows(
        "gpu_chips", [](auto& state, auto real) { gpu_chips(state, real, error_preset("doped-heaters")); },
        in_real_time({16, 64, 128}, {100, 100000}, "chips")) &&
    add_rows(
        "gpu_chips_four_normals", [](auto& state, auto real) { gpu_chips(state, real, four_normals()); },
        in_real_time({64}, {100000}, "chips")) &&
    add_row("gpu_whole_chips", gpu_whole_chips,
            [](auto* row) {
              row->ArgNames({"chips", "noise"})
                  ->ArgsProduct({{1, 100, 2000}, {0, 1}})
                  ->Unit(benchmark::kMillisecond)
                  ->UseRealTime();
            }) &&
    add_row("whole_chips", whole_chips,
            [](auto* row) {
              row->ArgNames({"chips", "noise"})
                  ->ArgsProduct({{64}, {0, 1}})
                  ->Unit(benchmark::kMillisecond)
                  ->UseRealTime();
            }) &&
    add_row("gpu_words", gpu_words, by_the_wall) &&
    add_row("gpu_words_from_host", gpu_words_from_host, by_the_wall) &&
    add_row("words_by_table", words_by_table, by_the_wall);

}  // namespace
}  // namespace optinc::bench

int main(int argc, char** argv) {
  using namespace optinc;
  if (gpu_name().empty()) {
    std::puts("no GPU was found: nothing to measure");
    return 77;
  }
  benchmark::AddCustomContext("gpu", gpu_name());
  benchmark::AddCustomContext("fma_peak_f32_per_s", fmt::format("{:.4g}", bench::gpu_peaks().f32_fma_per_s));
  benchmark::AddCustomContext("fma_peak_f64_per_s", fmt::format("{:.4g}", bench::gpu_peaks().f64_fma_per_s));
  benchmark::AddCustomContext("copy_byte_per_s", fmt::format("{:.4g}", bench::gpu_peaks().copy_byte_per_s));
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
