#include "onn/link/detail/reference_devices.hpp"

#include <algorithm>
#include <cmath>

#include "physics/core/units.hpp"
#include "physics/devices/modulator.hpp"
#include "physics/devices/power_divider.hpp"
#include "physics/random/stream.hpp"

namespace optinc {
namespace {

/// Level of a digit 0..3, between those of its neighbours where it is none of them.
double level_of(double digit, double mismatch) {
  const auto levels = levels_with_mismatch_ratio(1 - mismatch);
  const double below = std::min(std::floor(digit), 2.0);
  const auto k = static_cast<std::size_t>(below);
  return levels[k] + (digit - below) * (levels[k + 1] - levels[k]);
}

}  // namespace

Complex modulated(double level, double full_scale_w, const MzmSettings& modulator, bool linear) {
  MzmSettings lossless = modulator;
  lossless.insertion_loss_db = 0.0;
  const double within = std::clamp(level, -1.0, 1.0);  // a driver goes no further than V_pi
  const double drive_v = linear ? mzm_drive_v(lossless, AmplitudeLevel(within)) : within * modulator.v_pi_v;
  return std::sqrt(full_scale_w) * mzm_field_factor(lossless, drive_v);
}

Complex server_field(double digit, const UnitHardware& hardware) {
  const double level = level_of(digit, hardware.link.level_mismatch);
  return modulated((hardware.link.signed_levels ? 2 * level - 1 : level) * hardware.link.drive_depth,
                   hardware.link.launch_power_w, hardware.modulator, true);
}

double server_power_w(double digit, const UnitHardware& hardware) {
  MzmSettings lossless = hardware.modulator;
  lossless.insertion_loss_db = 0.0;
  const IntensityLevel level(level_of(digit, hardware.link.level_mismatch));
  return hardware.link.launch_power_w * std::norm(mzm_field_factor(lossless, mzm_drive_v(lossless, level)));
}

double server_lock_rms_rad(const UnitHardware& hardware) {
  const double delay_s =
      hardware.fibre.group_index * hardware.link.fibre_mismatch_m / constants::speed_of_light_m_per_s;
  return std::sqrt(hardware.link.sigma_lock_rad * hardware.link.sigma_lock_rad +
                   2 * constants::pi * hardware.laser.linewidth_hz * delay_s);
}

double tree_ratio(const UnitHardware& hardware, std::size_t ends) {
  int stages = 0;
  while ((std::size_t{1} << stages) < ends) ++stages;
  return field_ratio_of_loss_db(stages * hardware.splitter.stage_excess_loss_db);
}

double routing_ratio(const UnitHardware& hardware) {
  Waveguide guide = hardware.routing;
  guide.length_m += hardware.layout.mzi_length_m / 2 - hardware.layout.coupler_length_m;
  return field_ratio_of_loss_db(waveguide_loss_db(guide));
}

double waiting_ratio(const UnitHardware& hardware, double wait_s) {
  Waveguide line = hardware.routing;
  line.bends = 0;
  line.length_m = 1.0;
  line.length_m = wait_s / waveguide_delay_s(line, hardware.laser.wavelength_m);
  return field_ratio_of_loss_db(waveguide_loss_db(line));
}

double unit_t_ratio(const Task& task, const UnitHardware& hardware) {
  const int ends = hardware.link.destinations > 0 ? hardware.link.destinations : task.combined();
  const double split = split_field_factor(ends) * tree_ratio(hardware, static_cast<std::size_t>(ends));
  if (task.sends_sums() && ends < task.servers && hardware.owner.place == OwnerPlace::unit) return split;
  return split * field_ratio_of_loss_db(fibre_loss_db(hardware.fibre) +
                                        fibre_coupler_loss_db(hardware.coupler, hardware.laser.wavelength_m));
}

std::vector<Complex> lane_weights(const Task& task, const UnitHardware& hardware, const TransmissionSeed& seed,
                                  int lane) {
  Stream fabrication(seed.seed, Purpose::combiner_weight, seed.chip, static_cast<std::uint32_t>(lane));
  CombinerErrors errors;
  for (int n = 0; n < task.combined(); ++n)
    errors.weight.push_back(hardware.link.sigma_combiner * fabrication.normal());
  return combiner_weights(task.combined(), errors);
}

std::vector<double> lateness_s(const UnitHardware& hardware, const TransmissionSeed& seed, std::size_t group,
                               int modulators) {
  Stream fabrication(seed.seed, Purpose::modulator_skew, seed.chip, static_cast<std::uint32_t>(group),
                     seed.channel);
  const double together_s = hardware.timing.layer_skew_s * fabrication.normal();
  std::vector<double> late_s(static_cast<std::size_t>(modulators), 0.0);
  if (hardware.timing.sampling != Sampling::settled)
    for (double& of : late_s) of = together_s + hardware.timing.lane_skew_s * fabrication.normal();
  return late_s;
}

double neuron_ceiling(const ChipDesign& design, std::size_t layer, Eigen::Index neuron,
                      const LinkSettings& link, const TransmissionSeed& seed) {
  const LayerDesign& of = design.layers[layer];
  if (link.sigma_limiter == 0 && link.limiter_knee == 0) return of.ceiling;
  Stream fabrication(seed.seed, Purpose::limiter_spread, seed.chip, static_cast<std::uint32_t>(layer),
                     seed.channel);
  double drawn = 0.0;
  for (Eigen::Index j = 0; j <= neuron; ++j) drawn = fabrication.normal();
  return std::min(of.ceiling, of.largest_output - of.offset) * (1 + link.sigma_limiter * drawn);
}

double columns_m(const ChipDesign& design, std::size_t layer, const UnitHardware& hardware) {
  double before_m = 0.0;
  for (const LaneDesign& lane : design.layers[layer].lanes)
    if (lane.source >= 0 && !design.layers[static_cast<std::size_t>(lane.source)].received())
      before_m = std::max(before_m, columns_m(design, static_cast<std::size_t>(lane.source), hardware));
  return before_m + design.layers[layer].columns() * hardware.layout.mzi_length_m;
}

double linewidth_phase_rms_rad(const UnitHardware& hardware, double path_m) {
  const double delay_s = path_m * group_index(hardware.routing.index, hardware.laser.wavelength_m) /
                         constants::speed_of_light_m_per_s;
  return std::sqrt(2 * constants::pi * hardware.laser.linewidth_hz * delay_s);
}

}  // namespace optinc
