#include "onn/link/readout.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "onn/link/detail/levels.hpp"
#include "onn/link/detail/stage_noise.hpp"
#include "onn/link/power_path.hpp"
#include "physics/core/check.hpp"
#include "physics/devices/pam4_levels.hpp"
#include "physics/devices/pam_decision.hpp"

namespace optinc {
namespace {

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

double ReadoutNoise::passed(double y) const { return bias + std::clamp(y - bias, -most, most); }

ReadoutNoise readout_noise(const LitUnit& unit, Eigen::Index digit) {
  const NoiseSwitches& noise = unit.noise;
  const auto [layer, row] = server_output(unit.design, digit);
  const ReceiverSettings& receiver = unit.hardware.receiver;
  const double field_per_unit = readout_field_per_unit_sqrt_w(unit, digit),
               gain = stage_noise_gain(unit.hardware);
  const StageNoise<double> of_stage =
      stage_noise(unit.hardware, noise, operating_values(unit.hardware), field_per_unit, gain * gain);
  ReadoutNoise found;
  found.bias = receiver_biases(unit.design, unit.hardware.link)[layer][row];
  if (receiver.overload_a > 0)
    found.most = receiver.overload_a / (homodyne_current_per_field(receiver) * field_per_unit);
  found.white = of_stage.white;
  if (noise.converter) found.white += std::pow(noise.scale * adc_noise(unit.hardware.converter), 2);
  found.shot = of_stage.shot;
  found.intensity = of_stage.intensity;  // one on signal and leak alike; which diode is the stronger differs
  found.leak = row % 2 == 0 ? of_stage.leaked : -of_stage.leaked;
  return found;
}

double readout_field_per_unit_sqrt_w(const LitUnit& unit, Eigen::Index digit) {
  const std::size_t last = server_output(unit.design, digit).layer;
  return fields_per_unit(unit.design, unit.hardware, nominal_factors(unit.chip)).received[last];
}

std::vector<double> receiver_powers_w(const LitUnit& unit) {
  const std::vector<double> field =
      fields_per_unit(unit.design, unit.hardware, nominal_factors(unit.chip)).received;
  std::vector<double> powers;
  for (std::size_t l = 0; l < field.size(); ++l) {
    const LayerDesign& layer = unit.design.layers[l];
    const double largest = layer.ending == LayerEnd::servers ? pam4_full_scale_digit : layer.largest_output;
    powers.push_back(layer.received() ? std::pow(largest * field[l], 2)
                                      : std::numeric_limits<double>::quiet_NaN());
  }
  return powers;
}

std::vector<double> receiver_currents_a(const ChipDesign& design, const ErrorModel& model,
                                        const UnitHardware& hardware) {
  std::vector<double> factors;
  for (const LayerDesign& layer : design.layers) factors.push_back(nominal_layer_factor(layer, model));
  const std::vector<double> field = fields_per_unit(design, hardware, factors).received;
  const std::vector<Eigen::VectorXd> biases = receiver_biases(design, hardware.link);
  std::vector<double> currents_a;
  for (std::size_t l = 0; l < field.size(); ++l) {
    const LayerDesign& layer = design.layers[l];
    const double least = biases[l].minCoeff(), most = biases[l].maxCoeff();
    const double largest = layer.ending == LayerEnd::servers ? std::max(pam4_full_scale_digit - least, most)
                                                             : layer.largest_output - layer.offset - least;
    const UnitHardware of_layer = layer_hardware(layer, hardware);
    currents_a.push_back(layer.received() ? homodyne_current_per_field(of_layer.receiver) * field[l] * largest
                                          : std::numeric_limits<double>::quiet_NaN());
  }
  return currents_a;
}

WeakestDigit weakest_digit(const LitUnit& unit) {
  const std::vector<double> powers = receiver_powers_w(unit);
  WeakestDigit weakest{0, std::numeric_limits<double>::infinity()};
  for (Eigen::Index m = 0; m < unit.design.task.output_digits(); ++m)
    if (const double power = powers[server_output(unit.design, m).layer]; power < weakest.power_w)
      weakest = {m, power};
  return weakest;
}

double readout_rms(const LitUnit& unit, Eigen::Index digit, double y) {
  return std::sqrt(readout_noise(unit, digit).variance(y));
}

double pam4_error_rate(const LitUnit& unit) {
  const ChipDesign& design = unit.design;
  const double spacing = design.task.level_spacing();
  const int steps = static_cast<int>(std::lround(pam4_full_scale_digit / spacing));
  std::vector<double> thresholds;
  for (int s = 0; s < steps; ++s) thresholds.push_back((s + 0.5) * spacing);
  double sum = 0.0;
  for (Eigen::Index m = 0; m < design.task.output_digits(); ++m) {
    std::vector<NoisyLevel> levels;
    bool silent = false;
    for (int s = 0; s <= steps; ++s) {
      const double level = s * spacing;
      levels.push_back({level, readout_rms(unit, m, level)});
      silent = silent || levels.back().rms == 0;
    }
    if (!silent) sum += symbol_error_rate(levels, thresholds);
  }
  return sum / design.task.output_digits();
}

double readout_error_rate(const LitUnit& unit, const Eigen::Ref<const Eigen::MatrixXd>& y,
                          const Eigen::Ref<const Eigen::MatrixXd>& d) {
  const ChipDesign& design = unit.design;
  validate(
      y.rows() == d.rows() && y.cols() == d.cols() && y.rows() == design.task.output_digits() && y.cols() > 0,
      "outputs ({}, {}) meet digits ({}, {}) (both are {} by words). Send the same words.", y.rows(), y.cols(),
      d.rows(), d.cols(), design.task.output_digits());
  const double half_way = design.task.level_spacing() / 2;
  double sum = 0.0;
  for (Eigen::Index m = 0; m < y.rows(); ++m) {
    const ReadoutNoise of_digit = readout_noise(unit, m);
    for (Eigen::Index w = 0; w < y.cols(); ++w) {
      const double rms = std::sqrt(of_digit.variance(y(m, w)));
      if (d(m, w) > 0) sum += tail(y(m, w) - (d(m, w) - half_way), rms);
      if (d(m, w) < pam4_full_scale_digit) sum += tail(d(m, w) + half_way - y(m, w), rms);
    }
  }
  return sum / static_cast<double>(y.size());
}

}  // namespace optinc
