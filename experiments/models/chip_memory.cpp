#include "experiments/models/chip_memory.hpp"

#include <algorithm>
#include <numbers>

#include "experiments/engine/config/points.hpp"
#include "experiments/models/foundry.hpp"
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
  constexpr double number = sizeof(double), block_words = 512, fields = 6;
  constexpr double numbers_an_mzi =
      80;  // errors, known, imbalance; of two programs phases, settled form, parameters
  const Layers w = network_shape(config).layers;
  const double widest = most(w, [](double in, double out) { return std::max(in, out); });
  const auto all_words = static_cast<double>(std::min(config.task.words(), max_evaluation_words));
  const double network = all_words * number * most(w, [](double in, double out) { return in + 2 * out; });
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
  const double words = std::max(all_words, static_cast<double>(config.measure.words));
  const double on_their_way =
      number * (words * (config.task.servers + 4.0 * config.task.digits) + fields * block_words * widest);
  double crosstalk = crosstalk_memory_bytes(config);
  if (sweeps_crosstalk(config))
    for (std::size_t p = 0; p < point_count(config); ++p)
      crosstalk = std::max(crosstalk, crosstalk_memory_bytes(config_at(config, p)));
  return network + field_memory_bytes(config, meshes_of(network_shape(config)), threads) +
         threads * (chip + own_design + on_their_way + crosstalk);
}

}  // namespace optinc
