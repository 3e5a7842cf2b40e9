#include "physics/devices/front_end.hpp"

#include <cmath>

#include "physics/core/check_values.hpp"
#include "physics/core/units.hpp"
#include "physics/devices/lowpass.hpp"

namespace optinc {
namespace {

double ohm_of_dbohm(double dbohm) { return std::pow(10.0, dbohm / 20); }

}  // namespace

void validate_front_end(const FrontEnd& s) {
  if (const auto* amplifier = std::get_if<InputReferredNoise>(&s.noise)) {
    validate_not_negative("a_per_rthz", amplifier->a_per_rthz);
  } else {
    validate_positive("resistance_ohm", std::get<LoadResistor>(s.noise).resistance_ohm);
    validate_positive("temperature_k", std::get<LoadResistor>(s.noise).temperature_k);
  }
  validate_positive("bandwidth_hz", s.bandwidth_hz);
  validate_positive("transimpedance_ohm", s.transimpedance_ohm);
  validate_not_negative("supply_power_w", s.supply_power_w);
}

std::vector<Warning> front_end_warnings(const FrontEnd& s) {
  std::vector<Warning> warnings;
  const double density = input_noise_a_per_rthz(s);
  if (density < 1e-12 || density > 100e-12)
    warnings.push_back(
        {"noise", fmt::format("input noise of {:.3g} A/rtHz is outside 1-100 pA/rtHz, where fast receivers lie",
                              density)});
  if (s.bandwidth_hz > 150e9)
    warnings.push_back(
        {"bandwidth_hz",
         fmt::format("bandwidth_hz = {} is over 150 GHz, wider than any receiver", s.bandwidth_hz)});
  return warnings;
}

double input_noise_a_per_rthz(const FrontEnd& s) {
  if (const auto* amplifier = std::get_if<InputReferredNoise>(&s.noise)) return amplifier->a_per_rthz;
  const auto& resistor = std::get<LoadResistor>(s.noise);
  return std::sqrt(4 * constants::boltzmann_j_per_k * resistor.temperature_k / resistor.resistance_ohm);
}

double noise_bandwidth_ratio() {
  static const double per_hz = noise_bandwidth_hz(Lowpass{LowpassShape::bessel_thomson_4, 1.0});
  return per_hz;
}

double noise_bandwidth_hz(const FrontEnd& s) { return noise_bandwidth_ratio() * s.bandwidth_hz; }

double input_noise_a(const FrontEnd& s) { return input_noise_a_per_rthz(s) * std::sqrt(noise_bandwidth_hz(s)); }

FrontEnd patel_2022_receiver() { return {InputReferredNoise{16.9e-12}, 32e9, ohm_of_dbohm(63), 47e-3}; }

}  // namespace optinc
