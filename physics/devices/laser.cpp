#include "physics/devices/laser.hpp"

#include <algorithm>
#include <cmath>

#include "physics/core/check_values.hpp"
#include "physics/core/units.hpp"
#include "physics/devices/laser_rows.hpp"

namespace optinc {

using constants::pi;

void validate_laser(const LaserSettings& s) { validate_rows(s); }

LightSupply light_supply(const LaserSettings& s, double light_w) {
  if (s.booster_w == 0 || light_w <= s.power_w) return {light_supply_w(s, light_w), 0};
  return {light_supply_w(s, light_w), static_cast<int>(std::ceil(light_w / s.booster_w * (1 - 1e-12)))};
}

std::vector<Warning> laser_warnings(const LaserSettings& s) {
  std::vector<Warning> warnings;
  if (s.power_w > 0.1)
    warnings.push_back(
        {"power_w",
         fmt::format(
             "power_w = {} is over 0.1 W (20 dBm): silicon waveguides absorb two photons at a time there",
             s.power_w)});
  if (s.rin_db_per_hz < -165 || s.rin_db_per_hz > -130)
    warnings.push_back(
        {"rin_db_per_hz", fmt::format("rin_db_per_hz = {} is outside -165..-130, where transceiver lasers lie",
                                      s.rin_db_per_hz)});
  if (s.linewidth_hz > 10e6)
    warnings.push_back({"linewidth_hz", fmt::format("linewidth_hz = {} is over 10 MHz, wider than a DFB laser",
                                                    s.linewidth_hz)});
  return warnings;
}

double wavelength_change_m(double wavelength_m, double offset_hz) {
  validate_positive("wavelength_m", wavelength_m);
  const double product = wavelength_m * offset_hz, c = constants::speed_of_light_m_per_s;
  validate_field(c + product > 0, "offset_hz", "{} (light of {} m has {} Hz). Give an offset above -{}.",
                 offset_hz, wavelength_m, c / wavelength_m, c / wavelength_m);
  return -wavelength_m * product / (c + product);
}

double phase_walk_variance_rad2(double linewidth_hz, double elapsed_s) {
  return 2 * pi * linewidth_hz * std::abs(elapsed_s);
}

double self_heterodyne_phase_variance_rad2(double linewidth_hz, double delay_s) {
  return phase_walk_variance_rad2(linewidth_hz, delay_s);
}

void phase_walk_path_rad(double linewidth_hz, double step_s, std::span<double> path, Stream& stream) {
  validate_not_negative("linewidth_hz", linewidth_hz);
  validate_not_negative("step_s", step_s);
  if (path.empty()) return;
  const double step_rms = std::sqrt(phase_walk_variance_rad2(linewidth_hz, step_s));
  path[0] = 0.0;
  stream.normals(path.subspan(1));
  for (std::size_t k = 1; k < path.size(); ++k) path[k] = path[k - 1] + step_rms * path[k];
}

}  // namespace optinc
