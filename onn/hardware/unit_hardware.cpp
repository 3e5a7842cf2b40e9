#include "onn/hardware/unit_hardware.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "physics/core/check_values.hpp"
#include "physics/core/names.hpp"
#include "physics/core/units.hpp"

namespace optinc {
namespace {

/// rms noise over values sent that equalisers are chosen for.
constexpr double equaliser_noise = 0.03;

struct NamedHeater {
  std::string_view name;
  ThermoOpticShifter (*make)();
};
constexpr std::array<NamedHeater, 7> heaters = {{{"harris-2014-heater", harris_2014_heater},
                                                 {"typical-metal-heater", typical_metal_heater},
                                                 {"typical-doped-silicon-heater", typical_doped_silicon_heater},
                                                 {"dave-2024-metal-clad-heater", dave_2024_metal_clad_heater},
                                                 {"chen-2024-slow-light-heater", chen_2024_slow_light_heater},
                                                 {"typical-undercut-heater", typical_undercut_heater},
                                                 {"lu-2015-suspended-heater", lu_2015_suspended_heater}}};

ThermoOpticShifter heater_of_name(std::string_view name) {
  for (const NamedHeater& heater : heaters)
    if (heater.name == name) return heater.make();
  refuse_name("heater", name, heater_names());
}

void validate_link(const LinkSettings& s) {
  validate_field(std::isfinite(s.launch_power_w) && s.launch_power_w > 0, "launch_power_w",
                 "{} (> 0 W). Try 1e-3.", s.launch_power_w);
  validate_field(std::isfinite(s.signal_full_scale_w) && s.signal_full_scale_w > 0, "signal_full_scale_w",
                 "{} (> 0 W). Try 1e-4.", s.signal_full_scale_w);
  validate_field(std::isfinite(s.sigma_lock_rad) && s.sigma_lock_rad >= 0, "sigma_lock_rad",
                 "{} (>= 0 rad). Try 0.1.", s.sigma_lock_rad);
  validate_field(std::isfinite(s.sigma_oscillator_rad) && s.sigma_oscillator_rad >= 0, "sigma_oscillator_rad",
                 "{} (>= 0 rad). Try 0.05.", s.sigma_oscillator_rad);
  validate_not_negative("oscillator_loop_hz", s.oscillator_loop_hz);
  validate_field(s.oscillator_dither_rad >= 0 && s.oscillator_dither_rad <= constants::pi / 2,
                 "oscillator_dither_rad", "{} (0 to pi/2 rad). Try 0.02.", s.oscillator_dither_rad);
  validate_field(
      s.oscillators == Oscillators::direct || (s.oscillator_loop_hz == 0 && s.oscillator_dither_rad == 0),
      "oscillators",
      "{} with oscillator_loop_hz = {} and oscillator_dither_rad = {} (only direct oscillators have a phase "
      "lock). Set link.oscillators = \"direct\", or both to 0.",
      name_of(s.oscillators), s.oscillator_loop_hz, s.oscillator_dither_rad);
  validate_field(s.oscillator_dither_rad == 0 || s.oscillator_loop_hz > 0, "oscillator_dither_rad",
                 "{} with oscillator_loop_hz = 0 (a dither is a phase lock's). Set link.oscillator_loop_hz, or "
                 "link.oscillator_dither_rad = 0.",
                 s.oscillator_dither_rad);
  validate_not_negative("fibre_mismatch_m", s.fibre_mismatch_m);
  validate_field(std::isfinite(s.sigma_combiner) && s.sigma_combiner >= 0 && s.sigma_combiner <= 0.14,
                 "sigma_combiner", "{} (0 to 0.14: a weight stays positive). Try 0.01.", s.sigma_combiner);
  validate_field(std::isfinite(s.sigma_limiter) && s.sigma_limiter >= 0 && s.sigma_limiter <= 0.14,
                 "sigma_limiter", "{} (0 to 0.14: a ceiling stays positive). Try 0.03.", s.sigma_limiter);
  validate_field(s.limiter_knee == 0 || (s.limiter_knee >= 1e-3 && s.limiter_knee <= 1), "limiter_knee",
                 "{} (0, hard, or 1e-3 to 1). Try 0.17.", s.limiter_knee);
  validate_field(s.level_mismatch >= 0 && s.level_mismatch <= 0.9, "level_mismatch",
                 "{} (0 to 0.9). Try 0.03.", s.level_mismatch);
  validate_field(s.averaging == Averaging::coherent || !s.signed_levels, "signed_levels",
                 "true with averaging = incoherent (an intensity has no sign). Set link.signed_levels = "
                 "false, or link.averaging = \"coherent\".");
}

void validate_timing(const TimingSettings& s) {
  validate_positive("symbol_rate_bd", s.symbol_rate_bd);
  validate_field(s.equaliser_taps >= 1 && s.equaliser_taps <= 99 && s.equaliser_taps % 2 == 1, "equaliser_taps",
                 "{} (odd, 1 to 99; 1 for no equaliser). Try 3.", s.equaliser_taps);
  validate_not_negative("jitter_s", s.jitter_s);
  for (const auto& [name, skew_s] :
       {std::pair("lane_skew_s", s.lane_skew_s), std::pair("layer_skew_s", s.layer_skew_s)})
    validate_field(skew_s >= 0 && (s.sampling == Sampling::settled || skew_s * s.symbol_rate_bd <= most_skew),
                   name, "{} at {} Bd (0 to a tenth of a symbol). Try 1e-12.", skew_s, s.symbol_rate_bd);
  validate_not_negative("clocked_receiver_j", s.clocked_receiver_j);
}

}  // namespace

HeaterSettings::HeaterSettings(std::string_view name)
    : ThermoOpticShifter(heater_of_name(name)), device(name) {}

std::span<const std::string_view> heater_names() {
  static const auto names = [] {
    std::array<std::string_view, heaters.size()> all;
    std::transform(heaters.begin(), heaters.end(), all.begin(), [](const NamedHeater& h) { return h.name; });
    return all;
  }();
  return names;
}

double lock_rms_rad(const UnitHardware& u) {
  if (u.link.averaging == Averaging::incoherent) return 0.0;
  const double sigma = u.link.sigma_lock_rad, mismatch_m = u.link.fibre_mismatch_m;
  if (mismatch_m == 0) return sigma;
  Fibre further = u.fibre;
  further.length_m = mismatch_m;
  const double walked = self_heterodyne_phase_variance_rad2(u.laser.linewidth_hz, fibre_delay_s(further));
  return std::sqrt(sigma * sigma + walked);
}

std::array<Lowpass, 2> stage_lowpasses(const UnitHardware& u) {
  return {{{LowpassShape::one_pole, u.modulator.bandwidth_hz},
           {LowpassShape::bessel_thomson_4, u.receiver.front_end.bandwidth_hz}}};
}

std::optional<ClockedChannel> stage_channel(const UnitHardware& u) {
  if (u.timing.sampling != Sampling::clocked) return std::nullopt;
  const auto [modulator, receiver] = stage_lowpasses(u);
  return clocked_channel(modulator, receiver, u.timing.symbol_rate_bd, u.timing.equaliser_taps, equaliser_noise,
                         u.timing.sampler);
}

double stage_noise_gain(const UnitHardware& u) {
  const auto channel = stage_channel(u);
  return channel ? channel->noise_gain() : 1.0;
}

void validate_hardware(const UnitHardware& u) {
  validate_laser(u.laser);
  validate_mzm(u.modulator);
  validate_receiver(u.receiver);
  validate_adc(u.converter);
  validate_thermo_optic(u.heater);
  validate_splitter_tree(u.splitter);
  fibre_coupler_loss_db(u.coupler, u.laser.wavelength_m);
  validate_fibre(u.fibre);
  validate_waveguide(u.routing);
  validate_not_negative("delay_line_pitch_m", u.routing.delay_line_pitch_m);
  validate_floor_plan(u.layout);
  validate_not_negative("modulator_area_m2", u.layout.modulator_area_m2);
  validate_not_negative("receiver_area_m2", u.layout.receiver_area_m2);
  validate_positive("resistance_k_per_w", u.die.resistance_k_per_w);
  validate_positive("capacity_j_per_k", u.die.capacity_j_per_k);
  validate_link(u.link);
  validate_timing(u.timing);
  validate_field(u.timing.sampling == Sampling::settled || u.link.averaging == Averaging::coherent, "sampling",
                 "{} with averaging = incoherent (the receivers of unit P are not simulated in time). Set "
                 "link.averaging = \"coherent\", or time.sampling = \"settled\".",
                 name_of(u.timing.sampling));
}

}  // namespace optinc
