#include "onn/transmission.hpp"

#include <cmath>
#include <limits>

#include "onn/unit_p.hpp"
#include "physics/core/check.hpp"
#include "physics/core/parallel.hpp"
#include "physics/devices/adc.hpp"
#include "physics/devices/modulator.hpp"
#include "physics/devices/power_divider.hpp"
#include "physics/random/stream.hpp"

namespace optinc {
namespace {

constexpr Eigen::Index block_words = 512;
// streams below this bit are the blocks of one instant: 6e6 words make 11,719 of 128 streams each
constexpr unsigned instant_bit = 21;

/// Transfer matrix as two real planes.
struct TransferPlanes {
  Eigen::MatrixXd re, im;
};

/// Fields behind a layer. Re-modulated light is in phase with the seed, so that only unit P's output has two
/// quadratures; of what leaves, receivers see the quadrature by its shot noise alone: `whole` asks for it.
FieldBatch apply_transfer(const TransferPlanes& transfer, const FieldBatch& in, bool whole) {
  const bool in_phase = in.im.isZero(0.0);
  FieldBatch out;
  out.re.noalias() = transfer.re * in.re;
  if (!in_phase) out.re.noalias() -= transfer.im * in.im;
  if (whole) out.im.noalias() = transfer.im * in.re;
  if (whole && !in_phase) out.im.noalias() += transfer.re * in.im;
  return out;
}

/// Values (neurons, words) on light again: in phase, `largest` at full scale, and the leak of a modulator's
/// null in quadrature.
FieldBatch remodulated(const FieldBatch::Plane& values, double largest, const LinkSettings& link) {
  const double full_scale = std::sqrt(link.signal_full_scale_w);
  FieldBatch light(values.rows(), values.cols());
  light.re = full_scale / largest * values;
  if (link.modulator_leak > 0)
    light.im =
        (link.modulator_leak * full_scale) * (1 - (values / largest).array().square()).max(0.0).sqrt().matrix();
  return light;
}

/// What a server's converter makes of outputs in digits.
void read_by_converter(int bits, Eigen::MatrixXd& digits) {
  const AdcSettings adc = {.bits = bits, .full_scale = 2.0, .effective_bits = static_cast<double>(bits)};
  for (double& y : digits.reshaped()) y = 1.5 + adc_quantise(adc, y - 1.5);
}

/// Homodyne currents (ports, words), A, of fields against the local oscillator, with the noise that is switched
/// on.
FieldBatch::Plane detect(const FieldBatch& fields, const ReceiverSettings& receiver, const NoiseSwitches& noise,
                         Stream& stream) {
  FieldBatch::Plane current = homodyne_current_per_field(receiver) * fields.re;
  if (!noise.any_receiver_noise()) return current;
  const double tia = noise.tia ? tia_noise_a(receiver) : 0.0;
  const double lo_leak = noise.rin ? lo_intensity_noise_a(receiver) / relative_intensity_noise(receiver) : 0.0;
  const double rin = noise.rin ? relative_intensity_noise(receiver) : 0.0;
  // shot noise variance is linear in the signal power
  const double at_no_signal = noise.shot ? std::pow(shot_noise_a(receiver, 0.0), 2) : 0.0;
  const double per_watt = noise.shot ? std::pow(shot_noise_a(receiver, 1.0), 2) - at_no_signal : 0.0;
  for (Eigen::Index w = 0; w < current.cols(); ++w) {
    // Signal and local oscillator stem from one seed, whose intensity noise is the same on all ports of a
    // symbol. It scales every signal, and what a pair does not reject of the oscillator adds to it; which diode
    // of a pair is the stronger differs from pair to pair.
    const double seed_noise = rin > 0 ? rin * stream.normal() : 0.0;
    for (Eigen::Index p = 0; p < current.rows(); ++p) {
      double shot = at_no_signal;
      if (per_watt > 0)
        shot += per_watt * (fields.re(p, w) * fields.re(p, w) + fields.im(p, w) * fields.im(p, w));
      const double rms = std::sqrt(shot + tia * tia);
      const double leak = p % 2 == 0 ? lo_leak : -lo_leak;
      current(p, w) += seed_noise * (current(p, w) + leak) + rms * stream.normal();
    }
  }
  return current;
}

/// What a layer does to light that all words share.
struct LayerPath {
  TransferPlanes transfer;          ///< of the chip's meshes
  double gain = 1.0;                ///< from current to value
  Eigen::VectorXd bias;             ///< what receivers add: the network's, and what signed levels leave out
  std::vector<double> lane_factor;  ///< (inputs): split, and dimmed to the weakest lane's field per unit
  bool as_it_is = false;  ///< the inputs are all outputs of one layer (or of unit P), in order, undimmed
};

std::vector<LayerPath> layer_paths(const ChipDesign& design, const ChipState& chip, const LinkSettings& link,
                                   const NoiseSwitches& noise) {
  const double visibility = noise.lock ? std::exp(-link.sigma_lock_rad * link.sigma_lock_rad / 2) : 1.0;
  const std::vector<double> units =
      input_fields_per_unit_sqrt_w(design, link, nominal_factors(chip), visibility);
  std::vector<LayerPath> paths(design.layers.size());
  const std::vector<Eigen::VectorXd> biases = receiver_biases(design, link);
  std::vector<double> unit_out(design.layers.size());
  for (std::size_t l = 0; l < design.layers.size(); ++l) {
    const LayerDesign& layer = design.layers[l];
    LayerPath& path = paths[l];
    path.transfer = {chip.layers[l].transfer.real(), chip.layers[l].transfer.imag()};
    path.as_it_is = true;
    for (int i = 0; i < layer.inputs; ++i) {
      const LaneDesign& lane = layer.lanes[static_cast<std::size_t>(i)];
      const bool from_p = lane.source < 0;
      const auto source = static_cast<std::size_t>(std::max(lane.source, 0));
      const double unit =
          from_p ? visibility * lane_field_per_unit_sqrt_w(design.task, link, lane.copies) : unit_out[source];
      path.lane_factor.push_back(units[l] / unit * (from_p ? split_field_factor(lane.copies) : 1.0));
      path.as_it_is = path.as_it_is && lane.source == layer.lanes[0].source && lane.row == i &&
                      path.lane_factor.back() == 1.0;
    }
    const Eigen::Index of_source = layer.lanes[0].source < 0
                                       ? design.task.input_digits()
                                       : design.layers[static_cast<std::size_t>(layer.lanes[0].source)].outputs;
    path.as_it_is = path.as_it_is && layer.inputs == of_source;
    unit_out[l] = layer.received() ? std::sqrt(link.signal_full_scale_w) / layer.largest_output
                                   : units[l] * chip.layers[l].nominal_factor;
    path.bias = biases[l];
    path.gain = 1.0 / (units[l] * chip.layers[l].nominal_factor * homodyne_current_per_field(link.receiver));
    if (layer.ending == LayerEnd::servers) path.gain /= split_field_factor(design.task.servers);
  }
  return paths;
}

/// Fields at the inputs of a layer.
FieldBatch gathered(const LayerDesign& layer, const LayerPath& path, const FieldBatch& unit_p_lanes,
                    const std::vector<FieldBatch>& light, const std::vector<bool>& received) {
  FieldBatch in(layer.inputs, unit_p_lanes.words());
  for (int i = 0; i < layer.inputs; ++i) {
    const LaneDesign& lane = layer.lanes[static_cast<std::size_t>(i)];
    const FieldBatch& from = lane.source < 0 ? unit_p_lanes : light[static_cast<std::size_t>(lane.source)];
    const double factor = path.lane_factor[static_cast<std::size_t>(i)];
    // a modulator is dimmed by its drive, which leaves the leak of its null as it is
    const bool by_drive = lane.source >= 0 && received[static_cast<std::size_t>(lane.source)];
    in.re.row(i) = factor * from.re.row(lane.row);
    in.im.row(i) = (by_drive ? 1.0 : factor) * from.im.row(lane.row);
  }
  return in;
}

Eigen::MatrixXd transmit_block(const ChipDesign& design, const LinkSettings& link, const NoiseSwitches& noise,
                               const CombinerWeights& chip_combiners, const std::vector<LayerPath>& paths,
                               const Eigen::Ref<const Codes>& codes, const TransmissionSeed& seed,
                               std::uint32_t block) {
  const std::uint32_t later = seed.instant << instant_bit;
  std::vector<double> lock_phase(static_cast<std::size_t>(design.task.servers), 0.0);
  if (noise.lock) {
    Stream stream(seed.seed, Purpose::lock_error, seed.chip, later + block);
    for (double& phase : lock_phase) phase = link.sigma_lock_rad * stream.normal();
  }
  // one stream for the chip's neurons, which all servers share, and one for each server's own receiver
  Stream neurons(seed.seed, Purpose::receiver_noise, seed.chip, later + block * 128);
  Stream server(seed.seed, Purpose::receiver_noise, seed.chip, later + block * 128 + 1 + seed.server);

  const FieldBatch lanes = unit_p(design.task, link, chip_combiners, codes, lock_phase);
  std::vector<FieldBatch> light(design.layers.size());
  std::vector<bool> received;
  for (const LayerDesign& layer : design.layers) received.push_back(layer.received());
  Eigen::MatrixXd answer(design.task.output_digits(), codes.rows());
  Eigen::Index digit = 0;
  for (std::size_t l = 0; l < design.layers.size(); ++l) {
    const LayerDesign& layer = design.layers[l];
    const int source = layer.lanes[0].source;
    const FieldBatch& whole = source < 0 ? lanes : light[static_cast<std::size_t>(source)];
    const bool last = layer.ending == LayerEnd::servers;
    const NoiseSwitches acting = last || !noise.last_only ? noise : NoiseSwitches{};
    const FieldBatch made =
        paths[l].as_it_is ? FieldBatch() : gathered(layer, paths[l], lanes, light, received);
    FieldBatch out =
        apply_transfer(paths[l].transfer, paths[l].as_it_is ? whole : made, !layer.received() || acting.shot);
    if (!layer.received()) {
      light[l] = std::move(out);
      continue;
    }
    if (last) {  // unit T
      const double arm = split_field_factor(design.task.servers);
      out.re *= arm;
      out.im *= arm;
    }
    const FieldBatch::Plane values =
        (paths[l].gain * detect(out, link.receiver, acting, last ? server : neurons)).colwise() + paths[l].bias;
    if (!last) {
      light[l] = remodulated(values.cwiseMax(0.0).cwiseMin(layer.ceiling).array() + layer.offset,
                             layer.largest_output, link);
      continue;
    }
    answer.middleRows(digit, values.rows()) = values;
    digit += values.rows();
  }
  if (link.adc_bits > 0) read_by_converter(link.adc_bits, answer);
  return answer;
}

}  // namespace

double lane_field_per_unit_sqrt_w(const Task& task, const LinkSettings& link, int copies) {
  // N equal digits leave unit P with sqrt(N) times the field of one
  const double full_scale = link.signed_levels ? pam4_full_scale_digit / 2 : pam4_full_scale_digit;
  return std::sqrt(task.servers * link.launch_power_w) / full_scale * split_field_factor(copies);
}

std::vector<double> nominal_factors(const ChipState& chip) {
  std::vector<double> factors;
  for (const LayerState& layer : chip.layers) factors.push_back(layer.nominal_factor);
  return factors;
}

std::vector<double> input_fields_per_unit_sqrt_w(const ChipDesign& design, const LinkSettings& link,
                                                 std::span<const double> nominal_factors, double visibility) {
  std::vector<double> in, out;
  for (std::size_t l = 0; l < design.layers.size(); ++l) {
    const LayerDesign& layer = design.layers[l];
    double least = std::numeric_limits<double>::infinity();
    for (const LaneDesign& lane : layer.lanes)
      least = std::min(least, lane.source < 0
                                  ? visibility * lane_field_per_unit_sqrt_w(design.task, link, lane.copies)
                                  : out[static_cast<std::size_t>(lane.source)]);
    in.push_back(least);
    out.push_back(layer.received() ? std::sqrt(link.signal_full_scale_w) / layer.largest_output
                                   : least * nominal_factors[l]);
  }
  return in;
}

std::vector<Eigen::VectorXd> receiver_biases(const ChipDesign& design, const LinkSettings& link) {
  std::vector<Eigen::VectorXd> biases, left_out;  // left_out: value that a layer's light lacks
  for (const LayerDesign& layer : design.layers) {
    Eigen::VectorXd lacking(layer.inputs);
    for (int i = 0; i < layer.inputs; ++i) {
      const LaneDesign& lane = layer.lanes[static_cast<std::size_t>(i)];
      lacking[i] =
          lane.source < 0 ? dark_digit(link) : left_out[static_cast<std::size_t>(lane.source)][lane.row];
    }
    const Eigen::VectorXd shift = layer.weight * lacking;
    biases.push_back(layer.bias + shift);
    left_out.push_back(layer.received() ? Eigen::VectorXd::Zero(layer.outputs) : shift);
  }
  return biases;
}

Eigen::MatrixXd transmit(const ChipDesign& design, const ChipState& chip, const LinkSettings& link,
                         const NoiseSwitches& noise, const Codes& codes, const TransmissionSeed& seed) {
  validate_link(link);
  validate(codes.cols() == design.task.servers,
           "codes of {} servers meet a unit for {} (one column per server). "
           "Send (words, {}).",
           codes.cols(), design.task.servers, design.task.servers);
  validate(seed.server < static_cast<std::uint32_t>(design.task.servers),
           "received at server {} of {} (0..{}). "
           "Choose one of them.",
           seed.server, design.task.servers, design.task.servers - 1);
  validate(seed.instant < (std::uint32_t{1} << (32 - instant_bit)),
           "instant {} of a chip's life (0..{}: each has noise of its own). Take fewer.", seed.instant,
           (std::uint32_t{1} << (32 - instant_bit)) - 1);
  const CombinerWeights weights = draw_combiners(design.task, link, seed.seed, seed.chip);
  const std::vector<LayerPath> paths = layer_paths(design, chip, link, noise);
  Eigen::MatrixXd outputs(design.task.output_digits(), codes.rows());
  const Eigen::Index blocks = (codes.rows() + block_words - 1) / block_words;
  parallel_for(blocks, [&](Eigen::Index i) {
    const Eigen::Index first = i * block_words, words = std::min(block_words, codes.rows() - first);
    outputs.middleCols(first, words) =
        transmit_block(design, link, noise, weights, paths, codes.middleRows(first, words), seed,
                       static_cast<std::uint32_t>(i));
  });
  return outputs;
}

}  // namespace optinc
