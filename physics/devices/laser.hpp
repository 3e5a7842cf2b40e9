#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "physics/core/field.hpp"
#include "physics/core/tangent.hpp"
#include "physics/core/warning.hpp"
#include "physics/random/stream.hpp"

namespace optinc {

/// Continuous-wave laser, the seed of all servers or one server's own. Defaults and ranges: typical of
/// distributed-feedback lasers at 1550 nm (assumed).
struct LaserSettings {
  double power_w = 19.953e-3;     ///< mean power; 13 dBm (10-20)
  double rin_db_per_hz = -150.0;  ///< relative intensity noise, one-sided, white (-140..-160)
  double linewidth_hz = 100e3;    ///< Lorentzian, full width at half maximum (10 kHz-5 MHz)
  double wavelength_m = 1550e-9;
  double wall_plug_efficiency = 0.1;  ///< optical over electrical power (0.05-0.3)
  double booster_w = 0.0;  ///< light that one booster gives; 0: lasers give all the light that is asked for
  double booster_efficiency = 0.1;                ///< of a booster: light over electrical power
  std::string_view device = "typical-dfb-laser";  ///< part that the values come from, but for those changed
  std::string_view booster = "no-booster";        ///< the same of the booster
};

/// Electrical power for so much light, and the boosters it takes.
struct LightSupply {
  double electrical_w = 0.0;
  int boosters = 0;
};

/// Light of one seed. Without boosters P / wall_plug_efficiency, however much it is. With them, light beyond
/// the seed's power comes from ceil(P / booster_w) boosters in parallel, behind one seed: power_w /
/// wall_plug_efficiency + P / booster_efficiency.
LightSupply light_supply(const LaserSettings& laser, double light_w);

/// Its electrical power. Real: double, or a number with derivatives.
template <class Real>
Real light_supply_w(const LaserSettings& laser, const Real& light_w) {
  if (laser.booster_w == 0 || !(light_w > Real(laser.power_w))) return light_w / laser.wall_plug_efficiency;
  return laser.power_w / laser.wall_plug_efficiency + light_w / laser.booster_efficiency;
}

/// Throws Error, naming the field, for a laser that cannot be (power or wavelength <= 0, RIN >= 0 dB/Hz,
/// negative linewidth).
void validate_laser(const LaserSettings& laser);

/// Legal values that no transceiver laser has, one sentence each: power over 20 dBm, RIN outside -165..-130
/// dB/Hz, linewidth over 10 MHz.
std::vector<Warning> laser_warnings(const LaserSettings& laser);

/// By how much light of a frequency `offset_hz` above is of another wavelength, m:
/// c / (c / lambda + f) - lambda = -lambda^2 f / (c + lambda f). Throws Error where no frequency is left.
double wavelength_change_m(double wavelength_m, double offset_hz);

/// Relative intensity noise in a bandwidth, rms of dP/P: sqrt(10^(RIN/10) B). Real: double, or a number with
/// derivatives.
template <class Real>
Real relative_intensity_noise(double rin_db_per_hz, const Real& bandwidth_hz) {
  using std::sqrt;
  return sqrt(std::pow(10.0, rin_db_per_hz / 10) * bandwidth_hz);
}

/// Variance of phi(t + tau) - phi(t) of one laser, rad^2: 2 pi Dnu |tau|, the phase being a Wiener process
/// (Schawlow and Townes; C. H. Henry 1986, J. Lightwave Technol. 4, 298).
double phase_walk_variance_rad2(double linewidth_hz, double elapsed_s);

/// Variance of the phase a laser has to its own copy delayed by tau_d, rad^2: 2 pi Dnu tau_d, at any time. The
/// mean of the beat falls to e^(-variance/2) = e^(-pi Dnu tau_d).
double self_heterodyne_phase_variance_rad2(double linewidth_hz, double delay_s);

/// A phase walk at equal steps, path[0] = 0 and path[k] - path[k-1] ~ N(0, 2 pi Dnu dt); path.size() - 1
/// normals. Throws Error for a negative linewidth or step.
void phase_walk_path_rad(double linewidth_hz, double step_s, std::span<double> path, Stream& stream);

}  // namespace optinc
