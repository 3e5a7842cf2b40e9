#include "onn/transmission.hpp"

#include <cmath>

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

FieldBatch apply_transfer(const Matrix& transfer, const FieldBatch& in) {
  const Eigen::MatrixXd re = transfer.real(), im = transfer.imag();
  FieldBatch out;
  out.re = re * in.re;
  out.im = im * in.re;
  if (!in.im.isZero(
          0.0)) {  // re-modulated light is in phase with the seed: only unit P's output has two quadratures
    out.re -= im * in.im;
    out.im += re * in.im;
  }
  return out;
}

/// Activations (neurons, words), rectified, on light again: in phase at the layer's full scale, and the leak of
/// a modulator's null in quadrature.
FieldBatch remodulated(const Eigen::MatrixXd& values, double largest, const LinkSettings& link) {
  const double full_scale = std::sqrt(link.signal_full_scale_w);
  FieldBatch light(values.rows(), values.cols());
  light.re = full_scale / largest * values.cwiseMax(0.0);
  if (link.modulator_leak > 0)
    light.im = (link.modulator_leak * full_scale) *
               (1 - (values.cwiseMax(0.0) / largest).array().square()).max(0.0).sqrt().matrix();
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
      const double power = fields.re(p, w) * fields.re(p, w) + fields.im(p, w) * fields.im(p, w);
      const double rms = std::sqrt(at_no_signal + per_watt * power + tia * tia);
      const double leak = p % 2 == 0 ? lo_leak : -lo_leak;
      current(p, w) += seed_noise * (current(p, w) + leak) + rms * stream.normal();
    }
  }
  return current;
}

Eigen::MatrixXd transmit_block(const ChipDesign& design, const ChipState& chip, const LinkSettings& link,
                               const NoiseSwitches& noise, const CombinerWeights& chip_combiners,
                               const Eigen::Ref<const Codes>& codes, const TransmissionSeed& seed,
                               std::uint32_t block) {
  const std::uint32_t later = seed.instant << instant_bit;
  std::vector<double> lock_phase(static_cast<std::size_t>(design.task.servers), 0.0);
  double visibility = 1.0;
  if (noise.lock) {
    Stream stream(seed.seed, Purpose::lock_error, seed.chip, later + block);
    for (double& phase : lock_phase) phase = link.sigma_lock_rad * stream.normal();
    visibility = std::exp(-link.sigma_lock_rad * link.sigma_lock_rad / 2);
  }
  // one stream for the chip's neurons, which all servers share, and one for each server's own receiver
  Stream neurons(seed.seed, Purpose::receiver_noise, seed.chip, later + block * 128);
  Stream server(seed.seed, Purpose::receiver_noise, seed.chip, later + block * 128 + 1 + seed.server);

  const double current_per_field = homodyne_current_per_field(link.receiver);
  FieldBatch fields = unit_p(design.task, link, chip_combiners, codes, lock_phase);
  Eigen::MatrixXd values;
  for (std::size_t l = 0; l < design.layers.size(); ++l) {
    const bool last = l + 1 == design.layers.size();
    FieldBatch out = apply_transfer(chip.layers[l].transfer, fields);
    double gain =
        1.0 / (field_per_unit_sqrt_w(design, link, l) * chip.layers[l].nominal_factor * current_per_field);
    if (l == 0) gain /= visibility;
    if (last) {  // unit T
      const double arm = split_field_factor(design.task.servers);
      out.re *= arm;
      out.im *= arm;
      gain /= arm;
    }
    values = (gain * detect(out, link.receiver, last || !noise.last_only ? noise : NoiseSwitches{},
                            last ? server : neurons))
                 .colwise() +
             design.layers[l].bias;
    if (last) break;
    fields = remodulated(values, design.layers[l + 1].largest_input, link);
  }
  if (link.adc_bits > 0) read_by_converter(link.adc_bits, values);
  return values;
}

}  // namespace

double field_per_unit_sqrt_w(const ChipDesign& design, const LinkSettings& link, std::size_t layer) {
  if (layer == 0)  // N equal digits leave unit P with sqrt(N) times the field of one
    return std::sqrt(static_cast<double>(design.task.servers)) * pam4_field_sqrt_w(1.0, link.launch_power_w);
  return std::sqrt(link.signal_full_scale_w) / design.layers[layer].largest_input;
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
  Eigen::MatrixXd outputs(design.task.digits, codes.rows());
  const Eigen::Index blocks = (codes.rows() + block_words - 1) / block_words;
  parallel_for(blocks, [&](Eigen::Index i) {
    const Eigen::Index first = i * block_words, words = std::min(block_words, codes.rows() - first);
    outputs.middleCols(first, words) =
        transmit_block(design, chip, link, noise, weights, codes.middleRows(first, words), seed,
                       static_cast<std::uint32_t>(i));
  });
  return outputs;
}

}  // namespace optinc
