#include "onn/readout.hpp"

#include <array>
#include <cmath>

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

double readout_field_per_unit_sqrt_w(const ChipDesign& design, const ChipState& chip,
                                     const LinkSettings& link) {
  const std::size_t last = design.layers.size() - 1;
  return field_per_unit_sqrt_w(design, link, last) * chip.layers[last].nominal_factor *
         split_field_factor(design.task.servers);
}

double received_power_w(const ChipDesign& design, const ChipState& chip, const LinkSettings& link) {
  const double field = pam4_full_scale_digit * readout_field_per_unit_sqrt_w(design, chip, link);
  return field * field;
}

double readout_rms(const ChipDesign& design, const ChipState& chip, const LinkSettings& link,
                   const NoiseSwitches& noise, Eigen::Index digit, double y) {
  const ReceiverSettings& receiver = link.receiver;
  const double field_per_unit = readout_field_per_unit_sqrt_w(design, chip, link);
  const double field = (y - design.layers.back().bias[digit]) * field_per_unit;
  const double current_per_field = homodyne_current_per_field(receiver);
  double variance = 0.0;
  if (noise.shot) variance += std::pow(shot_noise_a(receiver, field * field), 2);
  if (noise.tia) variance += std::pow(tia_noise_a(receiver), 2);
  if (noise.rin) {  // one intensity noise on signal and leak alike; which diode is the stronger differs
    const double leak = lo_intensity_noise_a(receiver);
    const double signal = current_per_field * field * relative_intensity_noise(receiver);
    variance += std::pow(digit % 2 == 0 ? signal + leak : signal - leak, 2);
  }
  return std::sqrt(variance) / (current_per_field * field_per_unit);
}

double pam4_error_rate(const ChipDesign& design, const ChipState& chip, const LinkSettings& link,
                       const NoiseSwitches& noise) {
  double sum = 0.0;
  for (Eigen::Index m = 0; m < design.task.digits; ++m) {
    std::vector<NoisyLevel> levels;
    bool silent = false;
    for (int d = 0; d < 4; ++d) {
      levels.push_back({static_cast<double>(d), readout_rms(design, chip, link, noise, m, d)});
      silent = silent || levels.back().rms == 0;
    }
    if (!silent) sum += symbol_error_rate(levels, thresholds);
  }
  return sum / design.task.digits;
}

double readout_error_rate(const ChipDesign& design, const ChipState& chip, const LinkSettings& link,
                          const NoiseSwitches& noise, const Eigen::Ref<const Eigen::MatrixXd>& y,
                          const Eigen::Ref<const Eigen::MatrixXd>& d) {
  validate(y.rows() == d.rows() && y.cols() == d.cols() && y.rows() == design.task.digits && y.cols() > 0,
           "outputs ({}, {}) meet digits ({}, {}) (both are {} by words). Send the same words.", y.rows(),
           y.cols(), d.rows(), d.cols(), design.task.digits);
  double sum = 0.0;
  for (Eigen::Index w = 0; w < y.cols(); ++w)
    for (Eigen::Index m = 0; m < y.rows(); ++m) {
      const double rms = readout_rms(design, chip, link, noise, m, y(m, w));
      if (d(m, w) > 0) sum += tail(y(m, w) - (d(m, w) - 0.5), rms);
      if (d(m, w) < 3) sum += tail(d(m, w) + 0.5 - y(m, w), rms);
    }
  return sum / static_cast<double>(y.size());
}

}  // namespace optinc
