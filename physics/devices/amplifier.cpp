#include "physics/devices/amplifier.hpp"

#include <cmath>
#include <cstdint>
#include <numbers>

#include <boost/math/tools/toms748_solve.hpp>

#include "physics/core/check_values.hpp"
#include "physics/core/units.hpp"

namespace optinc {
namespace {

double ratio_of_db(double db) { return power_ratio_of_loss_db(-db); }

/// Root of ln G_0 - u - (e^u - 1) x in u = ln G; falls from ln G_0 at 0 to <= 0 at ln G_0.
double travelling_wave_gain(double g0, double x) {
  const double log_g0 = std::log(g0);
  if (x == 0) return g0;
  const auto excess = [&](double u) { return log_g0 - u - std::expm1(u) * x; };
  std::uintmax_t steps = 200;
  const auto bracket = boost::math::tools::toms748_solve(excess, 0.0, log_g0,
                                                         boost::math::tools::eps_tolerance<double>(52), steps);
  return std::exp((bracket.first + bracket.second) / 2);
}

}  // namespace

void validate_soa(const SoaSettings& s) {
  validate_not_negative("small_signal_gain_db", s.small_signal_gain_db);
  validate_positive("saturation_power_w", s.saturation_power_w);
  validate_not_negative("noise_figure_db", s.noise_figure_db);
  validate_positive("wavelength_m", s.wavelength_m);
  validate_field(std::isfinite(s.linewidth_enhancement), "linewidth_enhancement",
                 "{} (finite). Give a number, 0 for none.", s.linewidth_enhancement);
  validate_field(s.model != GainModel::travelling_wave || ratio_of_db(s.small_signal_gain_db) > 2,
                 "small_signal_gain_db",
                 "{} of a travelling-wave amplifier (> 3.0103, or no input leaves half of "
                 "it). Give "
                 "more gain, or model = lumped.",
                 s.small_signal_gain_db);
}

std::vector<Warning> soa_warnings(const SoaSettings& s) {
  std::vector<Warning> warnings;
  const double limit = 2 - 1 / ratio_of_db(s.small_signal_gain_db);
  if (ratio_of_db(s.noise_figure_db) < limit)
    warnings.push_back({"noise_figure_db",
                        fmt::format("noise_figure_db = {} is below the quantum limit {:.2f} dB of this gain",
                                    s.noise_figure_db, 10 * std::log10(limit))});
  if (s.noise_figure_db > 12)
    warnings.push_back({"noise_figure_db",
                        fmt::format("noise_figure_db = {} is over 12, higher than that of any amplifier sold",
                                    s.noise_figure_db)});
  if (s.small_signal_gain_db > 35)
    warnings.push_back(
        {"small_signal_gain_db", fmt::format("small_signal_gain_db = {} is over 35: facets would make it lase",
                                             s.small_signal_gain_db)});
  if (s.saturation_power_w > 0.5)
    warnings.push_back({"saturation_power_w",
                        fmt::format("saturation_power_w = {} is over 0.5 W (27 dBm)", s.saturation_power_w)});
  if (s.linewidth_enhancement < 0 || s.linewidth_enhancement > 15)
    warnings.push_back({"linewidth_enhancement",
                        fmt::format("linewidth_enhancement = {} is outside 0..15", s.linewidth_enhancement)});
  return warnings;
}

double soa_gain(const SoaSettings& s, double input_power_w) {
  validate_soa(s);
  validate_not_negative("input_power_w", input_power_w);
  const double g0 = ratio_of_db(s.small_signal_gain_db);
  if (s.model == GainModel::lumped)
    return 2 * g0 / (1 + std::sqrt(1 + 4 * g0 * input_power_w / s.saturation_power_w));
  const double p_s = s.saturation_power_w * (g0 - 2) / (g0 * std::numbers::ln2);
  return travelling_wave_gain(g0, input_power_w / p_s);
}

double small_signal_gain_db(const SoaSettings& s, double three_db_bandwidth_m, double wavelength_m) {
  validate_soa(s);
  validate_positive("three_db_bandwidth_m", three_db_bandwidth_m);
  return s.small_signal_gain_db - 3 * std::pow(2 * (wavelength_m - s.wavelength_m) / three_db_bandwidth_m, 2);
}

Complex soa_field_factor(const SoaSettings& s, double gain) {
  return std::polar(std::sqrt(gain), -s.linewidth_enhancement / 2 * std::log(gain));
}

double ase_density_w_per_hz(double noise_factor, double gain, double wavelength_m) {
  const double photon_j = constants::planck_j_s * constants::speed_of_light_m_per_s / wavelength_m;
  return photon_j * (noise_factor * gain - 1) / 2;
}

void add_ase(std::span<Complex> fields, double density_w_per_hz, double optical_bandwidth_hz, Stream& stream) {
  validate_not_negative("density_w_per_hz", density_w_per_hz);
  validate_not_negative("optical_bandwidth_hz", optical_bandwidth_hz);
  const double rms = std::sqrt(density_w_per_hz * optical_bandwidth_hz / 2);
  for (Complex& e : fields) {
    const double in_phase = stream.normal();
    e += rms * Complex(in_phase, stream.normal());
  }
}

double soa_amplify(const SoaSettings& s, std::span<Complex> fields, double optical_bandwidth_hz,
                   Stream& stream) {
  double power = 0.0;
  for (const Complex& e : fields) power += std::norm(e);
  if (!fields.empty()) power /= static_cast<double>(fields.size());
  const double gain = soa_gain(s, power);
  const Complex factor = soa_field_factor(s, gain);
  for (Complex& e : fields) e *= factor;
  add_ase(fields, ase_density_w_per_hz(ratio_of_db(s.noise_figure_db), gain, s.wavelength_m),
          optical_bandwidth_hz, stream);
  return gain;
}

double osnr_db(const SoaSettings& s, double input_power_w, double reference_bandwidth_hz) {
  validate_positive("input_power_w", input_power_w);
  validate_positive("reference_bandwidth_hz", reference_bandwidth_hz);
  const double gain = soa_gain(s, input_power_w);
  const double noise_w =
      2 * ase_density_w_per_hz(ratio_of_db(s.noise_figure_db), gain, s.wavelength_m) * reference_bandwidth_hz;
  return 10 * std::log10(gain * input_power_w / noise_w);
}

double beat_noise_w(double signal_power_w, double noise_power_w) {
  return std::sqrt(noise_power_w * (2 * signal_power_w + noise_power_w));
}

NoisyStage loss_stage(double loss_db) {
  validate_not_negative("loss_db", loss_db);
  return {power_ratio_of_loss_db(loss_db), power_ratio_of_loss_db(-loss_db)};
}

NoisyStage cascaded_stages(std::span<const NoisyStage> stages) {
  NoisyStage chain;
  for (const NoisyStage& stage : stages) {
    chain.noise_factor += (stage.noise_factor - 1) / chain.gain;
    chain.gain *= stage.gain;
  }
  return chain;
}

SoaSettings almae_2021_soa() {
  SoaSettings s;
  s.noise_figure_db = 6.5;
  return s;
}

}  // namespace optinc
