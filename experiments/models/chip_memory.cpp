#include "experiments/models/chip_memory.hpp"

#include <algorithm>
#include <numbers>

#include "experiments/models/foundry.hpp"
#include "experiments/study/points.hpp"
#include "onn/chip/chip_design.hpp"
#include "onn/task/words.hpp"

namespace optinc {
namespace {

using Layers = std::vector<SigmaULayer>;

/// The most of body(inputs, outputs) over all layers, and the sum of it.
template <class Body>
double most(const Layers& layers, Body body) {
  double found = 0.0;
  for (const SigmaULayer& l : layers)
    found = std::max<double>(found, body(static_cast<double>(l.inputs), static_cast<double>(l.outputs)));
  return found;
}
template <class Body>
double sum(const Layers& layers, Body body) {
  double total = 0.0;
  for (const SigmaULayer& l : layers)
    total += body(static_cast<double>(l.inputs), static_cast<double>(l.outputs));
  return total;
}

bool sweeps_crosstalk(const StudyConfig& config) {
  for (const SweepAxis& axis : config.sweeps)
    for (const SweptKey& key : axis.keys)
      if (key.key.starts_with("crosstalk.")) return true;
  return false;
}

/// Words of an epoch with their targets, and gradients.
double training_bytes(const StudyConfig& config, double weights, int threads) {
  if (config.network.source != "train") return 0.0;
  const auto words = static_cast<double>(config.training.words_per_epoch > 0
                                             ? static_cast<std::uint64_t>(config.training.words_per_epoch)
                                             : std::min(config.task.words(), max_evaluation_words));
  return sizeof(double) * (2.0 * config.task.digits * words + (2.0 * threads + 4.0) * weights);
}

/// The images of a gradient, and its elements along every path; every word of an eye.
double once_bytes(const StudyConfig& config, double all_words) {
  constexpr double image = 784, images = 70'000, classes = 10, an_element = 52;
  const auto asks = [&](std::string_view name) {
    return std::ranges::find(config.measure.once, name) != config.measure.once.end();
  };
  const double hidden = config.gradient.hidden;
  return (asks("gradient") ? sizeof(float) * image * images + an_element * (image + 1 + classes) * hidden
                           : 0.0) +
         (asks("eye") ? 3.0 * sizeof(double) * config.task.digits * all_words : 0.0);
}

}  // namespace

double crosstalk_memory_bytes(const StudyConfig& config) {
  const CrosstalkSettings& s = config.crosstalk;
  if (s.x0 == 0.0) return 0.0;
  const FloorPlanSettings& layout = config.hardware.layout;
  const double reach = 8 * s.d0_m, area = layout.mzi_length_m * layout.mzi_width_m / 2;  // of a heater
  const auto entries = [&](double inputs, double outputs) {
    const double n = std::min(inputs, outputs), heaters = n * n;  // two an MZI, one an output
    const double high = std::min(2 * reach, n * layout.mzi_width_m / 2);
    const double near = std::min(std::numbers::pi * reach * reach, 2 * reach * high);
    return heaters * std::min(heaters, 1 + near / area);
  };
  constexpr double stored = 12,
                   assembled = 44;  // value and index; the same and a list with room for twice as many
  const Layers layers = network_shape(config).layers;
  return 3 * stored * sum(layers, entries) + assembled * most(layers, entries);
}

double chip_memory_bytes(const StudyConfig& config, int threads) {
  constexpr double number = sizeof(double), block_words = 512;
  constexpr double numbers_an_mzi =
                       45,     // errors, known, imbalance; of two programs phases, settled form, parameters
      numbers_of_design = 45,  // once for the study: wiring, engine, program, and its file
      libraries = 12e6;        // that a study of meshes alone does not touch
  const Layers w = network_shape(config).layers;
  const double widest = most(w, [](double in, double out) { return std::max(in, out); });
  const auto all_words = static_cast<double>(std::min(config.task.words(), max_evaluation_words));
  const double mzis = sum(w, [](double in, double out) {
    const double n = std::min(in, out);
    return std::max(in, out) / n * (n * (n - 1) / 2 + n);
  });
  const double weights = sum(w, [](double in, double out) { return in * out; });
  const double chip =
      number * (numbers_an_mzi * mzis + 3 * 2 * weights);  // complex, of two programs, one underway
  // a design of its own; every word with its place in the order, and what training passes hold
  const double own_design =
      config.calibration.diagonal_epochs == 0
          ? 0.0
          : number * (all_words * (1 + config.task.digits) + 4 * (mzis + weights) + 2 * 4096 * widest);
  const bool every_word =
      config.measure.words == 0 || config.model == "drift";  // at its first and last instants
  const double words = std::max(every_word ? all_words : 0.0, static_cast<double>(config.measure.words));
  constexpr double tolerance_part = 4096;  // model tolerance draws all of them, and sends some at a time
  const double sent = config.model == "tolerance" ? std::min(words, tolerance_part) : words;
  // six fields of settled words, ten of the samples of unclocked ones
  const double fields =
      config.hardware.timing.sampling == Sampling::unclocked ? 10.0 * samples_per_symbol : 6.0;
  const double on_their_way = number * (sent * (config.task.servers + 4.0 * config.task.digits) + words - sent +
                                        fields * block_words * widest);
  double crosstalk = crosstalk_memory_bytes(config);
  const StudyPoints points(config);
  if (sweeps_crosstalk(config))
    for (std::size_t p = 0; p < points.size(); ++p)
      crosstalk = std::max(crosstalk, crosstalk_memory_bytes(points[p]));
  const double design = number * numbers_of_design * mzis;
  return libraries + design + training_bytes(config, weights, threads) + once_bytes(config, all_words) +
         field_memory_bytes(config, meshes_of(network_shape(config)), threads) +
         threads * (chip + own_design + on_their_way + crosstalk);
}

}  // namespace optinc
