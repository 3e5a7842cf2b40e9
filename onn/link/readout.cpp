#include "onn/link/readout.hpp"

#include <array>
#include <cmath>

#include "onn/link/levels.hpp"
#include "onn/link/receiver_variance.hpp"
#include "physics/core/check.hpp"
#include "physics/devices/pam4_levels.hpp"
#include "physics/devices/pam_decision.hpp"
#include "physics/devices/power_divider.hpp"

namespace optinc {
namespace {

constexpr std::array<double, 3> thresholds = {0.5, 1.5, 2.5};

/// Q(distance / rms); a step where there is no noise.
double tail(double distance, double rms) {
  return rms > 0 ? normal_tail(distance / rms) : distance < 0 ? 1.0 : 0.0;
}

}  // namespace

ServerOutput server_output(const ChipDesign& design, Eigen::Index digit) {
  for (const std::size_t l : design.server_layers()) {
    if (digit < design.layers[l].outputs) return {l, digit};
    digit -= design.layers[l].outputs;
  }
  throw Error("no such digit goes to the servers. Ask for one of the task's.");
}

double ReadoutNoise::variance(double y) const {
  const double v = y - bias, seed = intensity * v + leak;
  return white + shot * v * v + seed * seed;
}

ReadoutNoise readout_noise(const ChipDesign& design, const ChipState& chip, const LinkSettings& link,
                           const NoiseSwitches& noise, Eigen::Index digit) {
  const auto [layer, row] = server_output(design, digit);
  const ReceiverSettings& receiver = link.receiver;
  const double field_per_unit = readout_field_per_unit_sqrt_w(design, chip, link, digit);
  const double current_per_digit = homodyne_current_per_field(receiver) * field_per_unit;
  ReadoutNoise found;
  found.bias = receiver_biases(design, link)[layer][row];
  const ReceiverVariance variance = receiver_variance(receiver, noise);
  found.white = variance.dark_a2 / (current_per_digit * current_per_digit);
  found.shot = variance.per_watt_a2 * std::pow(field_per_unit / current_per_digit, 2);
  if (noise.rin) {  // one intensity noise on signal and leak alike; which diode is the stronger differs
    found.intensity = relative_intensity_noise(receiver);
    found.leak = (row % 2 == 0 ? 1 : -1) * lo_intensity_noise_a(receiver) / current_per_digit;
  }
  return found;
}

double readout_field_per_unit_sqrt_w(const ChipDesign& design, const ChipState& chip, const LinkSettings& link,
                                     Eigen::Index digit) {
  const std::size_t last = server_output(design, digit).layer;
  return fields_per_unit(design, link, nominal_factors(chip)).in[last] * chip.layers[last].nominal_factor *
         split_field_factor(design.task.servers);
}

double received_power_w(const ChipDesign& design, const ChipState& chip, const LinkSettings& link) {
  double sum = 0.0;
  for (Eigen::Index m = 0; m < design.task.output_digits(); ++m)
    sum += std::pow(pam4_full_scale_digit * readout_field_per_unit_sqrt_w(design, chip, link, m), 2);
  return sum / design.task.output_digits();
}

double readout_rms(const ChipDesign& design, const ChipState& chip, const LinkSettings& link,
                   const NoiseSwitches& noise, Eigen::Index digit, double y) {
  return std::sqrt(readout_noise(design, chip, link, noise, digit).variance(y));
}

double pam4_error_rate(const ChipDesign& design, const ChipState& chip, const LinkSettings& link,
                       const NoiseSwitches& noise) {
  double sum = 0.0;
  for (Eigen::Index m = 0; m < design.task.output_digits(); ++m) {
    std::vector<NoisyLevel> levels;
    bool silent = false;
    for (int d = 0; d < 4; ++d) {
      levels.push_back({static_cast<double>(d), readout_rms(design, chip, link, noise, m, d)});
      silent = silent || levels.back().rms == 0;
    }
    if (!silent) sum += symbol_error_rate(levels, thresholds);
  }
  return sum / design.task.output_digits();
}

double readout_error_rate(const ChipDesign& design, const ChipState& chip, const LinkSettings& link,
                          const NoiseSwitches& noise, const Eigen::Ref<const Eigen::MatrixXd>& y,
                          const Eigen::Ref<const Eigen::MatrixXd>& d) {
  validate(
      y.rows() == d.rows() && y.cols() == d.cols() && y.rows() == design.task.output_digits() && y.cols() > 0,
      "outputs ({}, {}) meet digits ({}, {}) (both are {} by words). Send the same words.", y.rows(), y.cols(),
      d.rows(), d.cols(), design.task.output_digits());
  double sum = 0.0;
  for (Eigen::Index m = 0; m < y.rows(); ++m) {
    const ReadoutNoise of_digit = readout_noise(design, chip, link, noise, m);
    for (Eigen::Index w = 0; w < y.cols(); ++w) {
      const double rms = std::sqrt(of_digit.variance(y(m, w)));
      if (d(m, w) > 0) sum += tail(y(m, w) - (d(m, w) - 0.5), rms);
      if (d(m, w) < 3) sum += tail(d(m, w) + 0.5 - y(m, w), rms);
    }
  }
  return sum / static_cast<double>(y.size());
}

}  // namespace optinc
