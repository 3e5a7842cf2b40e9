// The whole unit: words from servers through six layers to decisions, and the chips that do it. The published
// network 4-64-128-256-128-64-4; random weights take as long as trained ones.

#include <array>

#include <omp.h>

#include "experiments/models/learning/light_channel.hpp"
#include "onn/link/transmission.hpp"
#include "onn/task/codes.hpp"
#include "physics/random/haar.hpp"
#include "physics/random/stream.hpp"

#include "bench/rows.hpp"

namespace optinc::bench {
namespace {

const ErrorModel& model() {
  static const ErrorModel design_target = error_preset("design-target");
  return design_target;
}

ChipDesign published_design() {
  constexpr std::array hidden = {64, 128, 256, 128, 64};
  Network network = make_network(Task{4, 4}, hidden);
  Stream stream(1, Purpose::haar);
  for (SigmaULayer& layer : network.layers)
    for (std::size_t b = 0; b < layer.unitary.size(); ++b) {
      layer.unitary[b] = haar_orthogonal(layer.block_size(), stream);
      layer.sigma[b].setConstant(0.9);
    }
  return design_chip(network);
}

const ChipDesign& design() {
  static const ChipDesign published = published_design();
  return published;
}

/// Random codes of four servers, (words, 4).
Codes random_codes(Eigen::Index words) {
  Stream stream(1, Purpose::words);
  return Codes::NullaryExpr(words, design().task.servers, [&] { return stream.below(design().task.codes()); });
}

/// One thread, whatever OpenMP is set to, while it lives.
class OneThread {
 public:
  OneThread() { omp_set_num_threads(1); }
  ~OneThread() { omp_set_num_threads(before_); }
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;

 private:
  int before_ = omp_get_max_threads();
};

/// Words from the servers' codes to the outputs received, through a settled chip.
void words(benchmark::State& state, const NoiseSwitches& noise, Arithmetic arithmetic = Arithmetic::float64) {
  const OneThread alone;
  static const ChipState chip =
      programmed_chip(design(), fabricate(design(), model(), 1, 0), model(), Programming::uncorrected);
  const Codes codes = random_codes(state.range(0));
  const UnitHardware hardware;
  for (auto _ : state) {
    Eigen::MatrixXd outputs = transmit({design(), chip, hardware, noise, arithmetic}, codes, {});
    benchmark::DoNotOptimize(outputs.data());
    benchmark::ClobberMemory();
  }
  count_rate(state, "words/s", static_cast<double>(state.range(0)));
  count_rate(state, "MZI-fields/s", static_cast<double>(state.range(0)) * design().mzi_count());
}

/// A chip drawn, programmed and settled, ready for words: 41,664 MZIs.
void chips(benchmark::State& state, Programming programming) {
  const OneThread alone;
  design();  // designed before the clock starts
  std::uint32_t number = 0;
  for (auto _ : state) {
    ChipState chip = programmed_chip(design(), fabricate(design(), model(), 1, number++), model(), programming);
    benchmark::DoNotOptimize(chip.layers.data());
    benchmark::ClobberMemory();
  }
  count_rate(state, "chips/s", 1);
  count_rate(state, "MZIs/s", design().mzi_count());
}

/// Gradients of four servers averaged through one chip on all cores, as a step of training does: quantised,
/// sent, dequantised, with the noise of all receivers. `map`: the chip is tabulated first, every time, and
/// words are looked up; otherwise every word passes the meshes.
void gradients(benchmark::State& state, bool map) {
  static const ChipState chip =
      programmed_chip(design(), fabricate(design(), model(), 1, 0), model(), Programming::uncorrected);
  NoiseSwitches noise = NoiseSwitches::all();
  noise.lock = false;
  const UnitHardware hardware;
  Stream stream(2, Purpose::words);
  Eigen::MatrixXf held(state.range(0), design().task.servers);
  for (float& g : held.reshaped()) g = static_cast<float>(stream.normal());
  for (auto _ : state) {
    LightChannel channel;
    if (map)
      channel.average = map_average(tabulate_chip({design(), chip, hardware, noise}, {}), 0);
    else
      channel.average = [&](const Codes& codes, const StepContext&) -> CodeVector {
        return decide(design().task, transmit({design(), chip, hardware, noise}, codes, {}));
      };
    Eigen::VectorXf average = average_through(channel, held, {});
    benchmark::DoNotOptimize(average.data());
    benchmark::ClobberMemory();
  }
  count_rate(state, "gradients/s", static_cast<double>(state.range(0)));
}

const auto over_words = [](auto* row) {
  row->ArgNames({"words"})->ArgsProduct({all_words})->Unit(benchmark::kMicrosecond);
};
const auto over_gradients = [](std::int64_t count) {
  return [count](auto* row) {
    row->ArgName("elements")->Arg(count)->Unit(benchmark::kMillisecond)->UseRealTime();
  };
};
const auto once = [](auto* row) { row->Unit(benchmark::kMillisecond); };

[[maybe_unused]] const bool added =
    add_row(
        "optinc_words/noiseless", [](auto& state) { words(state, {}); }, over_words) &&
    add_row(
        "optinc_words/noisy", [](auto& state) { words(state, NoiseSwitches::all()); }, over_words) &&
    add_row(
        "optinc_words/noisy_float32",
        [](auto& state) { words(state, NoiseSwitches::all(), Arithmetic::float32); }, over_words) &&
    add_row(
        "optinc_chip/uncorrected", [](auto& state) { chips(state, Programming::uncorrected); }, once) &&
    add_row(
        "optinc_chip/corrected", [](auto& state) { chips(state, Programming::corrected); }, once) &&
    add_row(
        "optinc_gradients/map_made_anew", [](auto& state) { gradients(state, true); },
        over_gradients(1'000'000)) &&
    add_row(
        "optinc_gradients/meshes", [](auto& state) { gradients(state, false); }, over_gradients(65'536));

}  // namespace
}  // namespace optinc::bench
