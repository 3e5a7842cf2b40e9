#include "onn/network/network.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "onn/task/codes.hpp"
#include "physics/core/check.hpp"

namespace optinc {

namespace {

constexpr Eigen::Index words_at_once = 4096;  // the signals of so many are kept

/// Calls use(layer number, what leaves it) for one layer after the other; every signal's values stay alive.
template <class Use>
void for_each_layer(const Network& network, const Eigen::Ref<const Eigen::MatrixXd>& averages, Use use) {
  const int lanes = static_cast<int>(averages.rows());
  std::vector<Eigen::MatrixXd> left;  // by layer
  for (std::size_t l = 0; l < network.layers.size(); ++l) {
    const SigmaULayer& layer = network.layers[l];
    Eigen::MatrixXd x(layer.inputs, averages.cols());
    std::size_t source = 0;
    int first = lanes;  // signal of `source`, which only moves on where reads ascend
    for (int i = 0; i < layer.inputs; ++i) {
      const int signal = layer.reads[static_cast<std::size_t>(i)];
      if (signal < lanes) {
        x.row(i) = averages.row(signal);
        continue;
      }
      if (signal < first) source = 0, first = lanes;
      while (signal >= first + network.layers[source].outputs) first += network.layers[source++].outputs;
      x.row(i) = left[source].row(signal - first);
    }
    left.push_back(layer.forward(layer.weight(), x));
    use(l, left.back());
  }
}

/// The signals of a layer's outputs, or of the lanes.
std::vector<int> count_up(int first, int count) {
  std::vector<int> signals(static_cast<std::size_t>(count));
  std::iota(signals.begin(), signals.end(), first);
  return signals;
}

/// MZI columns of a layer.
int columns_of(const SigmaULayer& layer) {
  const int n = layer.block_size();
  const int mesh = layer.wiring == Wiring::sum ? std::bit_width(static_cast<unsigned>(n - 1))
                   : n > 2                     ? n
                                               : n - 1;
  return mesh + (layer.attenuated ? 1 : 0);
}

}  // namespace

Eigen::MatrixXd LayerFunction::activation(const Eigen::Ref<const Eigen::MatrixXd>& z) const {
  if (ending != LayerEnd::receivers) return z;
  return z.cwiseMax(0.0).cwiseMin(ceiling).array() + offset;
}

Eigen::MatrixXd LayerFunction::forward(const Eigen::MatrixXd& weight, const Eigen::MatrixXd& x) const {
  return activation((weight * x).colwise() + bias);
}

Eigen::MatrixXd SigmaULayer::weight() const {
  if (wiring == Wiring::sum) return sigma[0][0] * unitary[0].row(0);
  Eigen::MatrixXd w(outputs, inputs);
  const int n = block_size();
  for (int b = 0; b < blocks(); ++b) {
    const auto k = static_cast<std::size_t>(b);
    const Eigen::MatrixXd block = sigma[k].asDiagonal() * unitary[k];
    if (tall())
      w.middleRows(b * n, n) = block;
    else
      w.middleCols(b * n, n) = block;
  }
  return w;
}

int Network::first_signal(std::size_t layer) const {
  int first = task.input_digits();
  for (std::size_t l = 0; l < layer; ++l) first += layers[l].outputs;
  return first;
}

bool Network::is_feed_forward() const {
  int first = 0, width = task.input_digits();
  for (std::size_t l = 0; l < layers.size(); ++l) {
    const SigmaULayer& layer = layers[l];
    const bool last = l + 1 == layers.size();
    if (layer.reads != count_up(first, width) || layer.wiring != Wiring::blocks || !layer.attenuated ||
        layer.ending != (last ? LayerEnd::servers : LayerEnd::receivers) || layer.offset != 0)
      return false;
    first += width;
    width = layer.outputs;
  }
  return true;
}

std::vector<int> Network::widths() const {
  std::vector<int> w;
  for (const auto& layer : layers) w.push_back(layer.inputs);
  if (!layers.empty()) w.push_back(layers.back().outputs);
  return w;
}

Network network_outline(const Task& task, std::span<const int> hidden) {
  constexpr std::size_t most_hidden = 999;  // files hold 1000 layers
  constexpr double most_weights = 1 << 27;  // 1 GiB
  validate_task(task);
  validate(hidden.size() <= most_hidden, "{} hidden layers (at most {}). Give fewer.", hidden.size(),
           most_hidden);
  std::vector<int> widths = {task.input_digits()};
  widths.insert(widths.end(), hidden.begin(), hidden.end());
  widths.push_back(task.output_digits());
  Network network{task, {}};
  double weights = 0.0;
  int first = 0;
  for (std::size_t l = 0; l + 1 < widths.size(); ++l) {
    const int in = widths[l], out = widths[l + 1];
    validate(in >= 1 && out >= 1 && std::max(in, out) % std::min(in, out) == 0,
             "layer widths {} and {} do not fit (of two neighbouring widths one must divide the other, for the "
             "weight is cut into square blocks). Choose {} and {}.",
             in, out, in, (out / std::max(in, 1) + 1) * std::max(in, 1));
    SigmaULayer layer;
    layer.outputs = out;
    layer.inputs = in;
    weights += static_cast<double>(in) * out;
    layer.reads = count_up(first, in);
    first += in;
    if (l + 2 == widths.size()) layer.ending = LayerEnd::servers;
    network.layers.push_back(std::move(layer));
  }
  validate(weights <= most_weights,
           "{:.0f} weights (at most {:.0f}, 1 GiB of them). Choose narrower or fewer layers.", weights,
           most_weights);
  return network;
}

Network make_network(const Task& task, std::span<const int> hidden) {
  Network network = network_outline(task, hidden);
  for (SigmaULayer& layer : network.layers) {
    const int n = layer.block_size();
    layer.unitary.assign(static_cast<std::size_t>(layer.blocks()), Eigen::MatrixXd::Identity(n, n));
    layer.sigma.assign(static_cast<std::size_t>(layer.blocks()), Eigen::VectorXd::Zero(n));
    layer.bias = Eigen::VectorXd::Zero(layer.outputs);
  }
  return network;
}

namespace {

/// Throws Error where blocks, sigmas and their sizes are not those of the layer's wiring.
void validate_blocks(const SigmaULayer& layer, std::size_t l) {
  const int n = layer.block_size();
  const auto blocks = static_cast<std::size_t>(layer.blocks());
  const bool sums = layer.wiring == Wiring::sum;
  const auto [less, more] = std::minmax(layer.outputs, layer.inputs);
  bool fits = (sums ? layer.outputs == 1 : more % less == 0) && layer.unitary.size() == blocks &&
              layer.sigma.size() == blocks;
  for (std::size_t b = 0; fits && b < blocks; ++b)
    fits =
        layer.unitary[b].rows() == n && layer.unitary[b].cols() == n && layer.sigma[b].size() == (sums ? 1 : n);
  validate(
      fits,
      "layer {} of {} inputs and {} outputs does not fit its wiring (square blocks, or a sum of one output). "
      "Correct the network.",
      l, layer.inputs, layer.outputs);
  for (std::size_t b = 0; !layer.attenuated && b < blocks; ++b)
    validate((layer.sigma[b].array() == layer.sigma[0][0]).all() && layer.sigma[0][0] > 0,
             "layer {} has no attenuators but sigmas that differ (one positive number everywhere). Set "
             "attenuated.",
             l);
}

/// Throws Error for layer l, before which there are so many signals.
void validate_layer(const SigmaULayer& layer, std::size_t l, int signals) {
  validate(layer.outputs >= 1 && layer.inputs >= 1 &&
               layer.reads.size() == static_cast<std::size_t>(layer.inputs) &&
               layer.bias.size() == layer.outputs,
           "layer {} of {} inputs and {} outputs reads {} signals and has {} biases (one each). Correct the "
           "network.",
           l, layer.inputs, layer.outputs, layer.reads.size(), layer.bias.size());
  for (const int signal : layer.reads)
    validate(signal >= 0 && signal < signals,
             "layer {} reads signal {} (0..{} come before it). Correct the network.", l, signal, signals - 1);
  validate(layer.ending == LayerEnd::receivers || (layer.offset == 0 && !std::isfinite(layer.ceiling)),
           "layer {} has an offset {} or a ceiling {} but no receivers of its own (0 and none). Correct the "
           "network.",
           l, layer.offset, layer.ceiling);
  validate(
      layer.ending != LayerEnd::light || layer.bias.isZero(0.0),
      "layer {} has a bias but no receivers (0: light alone cannot carry it). Give it to the layer behind.", l);
  validate_blocks(layer, l);
  validate(layer.ceiling > 0 && std::isfinite(layer.offset),
           "layer {}: ceiling {}, offset {} (ceiling > 0, both numbers). Correct the network.", l,
           layer.ceiling, layer.offset);
}

}  // namespace

void validate_network(const Network& network) {
  validate_task(network.task);
  int signals = network.task.input_digits(), digits = 0;
  for (std::size_t l = 0; l < network.layers.size(); ++l) {
    const SigmaULayer& layer = network.layers[l];
    validate_layer(layer, l, signals);
    signals += layer.outputs;
    if (layer.ending == LayerEnd::servers) digits += layer.outputs;
  }
  validate(digits == network.task.output_digits(),
           "{} outputs go to the servers (the task has {} digits). Correct the network.", digits,
           network.task.output_digits());
  const auto reads = signal_reads(network);
  for (const LayerEnd ending : {LayerEnd::servers, LayerEnd::light})
    for (std::size_t l = 0; l < network.layers.size(); ++l)
      for (int i = 0; network.layers[l].ending == ending && i < network.layers[l].outputs; ++i) {
        const int times = reads[static_cast<std::size_t>(network.first_signal(l) + i)];
        validate(
            ending == LayerEnd::light || times == 0,
            "output {} of layer {} goes to the servers and is read on the chip (never). Correct the network.",
            i, l);
        validate(ending == LayerEnd::servers || times == 1,
                 "light of layer {} is read {} times (once: nothing splits it). Read it once, or receive it.",
                 l, times);
      }
}

namespace {

/// Digits of the answers that electronics find without an error.
Eigen::MatrixXd answers_by_electronics(const Task& task, const Eigen::Ref<const Eigen::MatrixXd>& averages) {
  std::vector<std::uint64_t> totals(static_cast<std::size_t>(averages.cols()), 0);
  for (Eigen::Index w = 0; w < averages.cols(); ++w)
    for (Eigen::Index m = 0; m < averages.rows(); ++m) {
      std::uint64_t& total = totals[static_cast<std::size_t>(w)];
      total = 4 * total + static_cast<std::uint64_t>(std::llround(averages(m, w) * task.servers));
    }
  return digits_of(answers_to(task, totals), task.output_digits());
}

}  // namespace

Eigen::MatrixXd forward(const Network& network, const Eigen::Ref<const Eigen::MatrixXd>& averages) {
  if (network.task.adder != Adder::light) return answers_by_electronics(network.task, averages);
  Eigen::MatrixXd digits(network.task.output_digits(), averages.cols());
  for (Eigen::Index first = 0; first < averages.cols(); first += words_at_once) {
    const Eigen::Index words = std::min(words_at_once, averages.cols() - first);
    Eigen::Index row = 0;
    for_each_layer(network, averages.middleCols(first, words), [&](std::size_t l, const Eigen::MatrixXd& out) {
      if (network.layers[l].ending != LayerEnd::servers) return;
      digits.block(row, first, out.rows(), words) = out;
      row += out.rows();
    });
  }
  return digits;
}

Eigen::VectorXd largest_activations(const Network& network, const Eigen::Ref<const Eigen::MatrixXd>& averages) {
  Eigen::VectorXd largest = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(network.layers.size()));
  for (Eigen::Index first = 0; first < averages.cols(); first += words_at_once)
    for_each_layer(network, averages.middleCols(first, std::min(words_at_once, averages.cols() - first)),
                   [&](std::size_t l, const Eigen::MatrixXd& out) {
                     double& most = largest[static_cast<Eigen::Index>(l)];
                     most = std::max(most, out.cwiseAbs().maxCoeff());
                   });
  return largest;
}

std::vector<int> signal_reads(const Network& network) {
  std::vector<int> reads(static_cast<std::size_t>(network.first_signal(network.layers.size())), 0);
  for (const SigmaULayer& layer : network.layers)
    for (const int signal : layer.reads) ++reads[static_cast<std::size_t>(signal)];
  return reads;
}

std::int64_t mzi_count(const Network& network) {
  std::int64_t count = 0;
  for (const auto& layer : network.layers) {
    const std::int64_t n = layer.block_size();
    const std::int64_t mesh = layer.wiring == Wiring::sum ? n - 1 : n * (n - 1) / 2;
    const std::int64_t attenuators = !layer.attenuated ? 0 : layer.wiring == Wiring::sum ? 1 : n;
    count += layer.blocks() * (mesh + attenuators);
  }
  return count;
}

std::int64_t mzi_count_full_svd(const Network& network) {
  std::vector<bool> counts(network.layers.size(),
                           true);  // of V behind S U, only what has all inputs and outputs of W
  for (std::size_t l = 0; l < network.layers.size(); ++l) {
    const SigmaULayer& light = network.layers[l];
    if (light.ending != LayerEnd::light || light.wiring != Wiring::blocks) continue;
    const int first = network.first_signal(l);
    for (std::size_t v = l + 1; v < network.layers.size(); ++v) {
      const SigmaULayer& reader = network.layers[v];
      if (std::ranges::any_of(reader.reads, [&](int s) { return s >= first && s < first + light.outputs; }))
        counts[reader.inputs > reader.outputs ? l : v] = false;
    }
  }
  std::int64_t count = 0;
  for (std::size_t l = 0; l < network.layers.size(); ++l) {
    const std::int64_t out = network.layers[l].outputs, in = network.layers[l].inputs;
    if (counts[l]) count += out * (out - 1) / 2 + in * (in - 1) / 2 + std::min(out, in);
  }
  return count;
}

int mzi_depth(const Network& network) {
  std::vector<int> depth(static_cast<std::size_t>(network.task.input_digits()), 0);  // by signal
  for (const SigmaULayer& layer : network.layers) {
    int before = 0;
    for (const int signal : layer.reads) before = std::max(before, depth[static_cast<std::size_t>(signal)]);
    depth.insert(depth.end(), static_cast<std::size_t>(layer.outputs), before + columns_of(layer));
  }
  return *std::max_element(depth.begin(), depth.end());
}

}  // namespace optinc
