#include "onn/hardware/unit_hardware.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>
#include <utility>

#include "onn/hardware/unit_hardware_rows.hpp"
#include "physics/core/check_values.hpp"
#include "physics/core/names.hpp"
#include "physics/core/units.hpp"

namespace optinc {
namespace {

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
  validate_rows(s);
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
  validate_field(s.averaging == Averaging::coherent || s.drive_depth == 1, "drive_depth",
                 "{} with averaging = incoherent (the photodiodes of unit P are set to full drive). Set "
                 "link.drive_depth = 1, or link.averaging = \"coherent\".",
                 s.drive_depth);
  validate_field(s.averaging == Averaging::coherent || !s.signed_levels, "signed_levels",
                 "true with averaging = incoherent (an intensity has no sign). Set link.signed_levels = "
                 "false, or link.averaging = \"coherent\".");
}

void validate_timing(const TimingSettings& s) {
  validate_rows(s);
  for (const auto& [name, skew_s] :
       {std::pair("lane_skew_s", s.lane_skew_s), std::pair("layer_skew_s", s.layer_skew_s)})
    validate_field(s.sampling == Sampling::settled || skew_s * s.symbol_rate_bd <= most_skew, name,
                   "{} at {} Bd (0 to a tenth of a symbol). Try 1e-12.", skew_s, s.symbol_rate_bd);
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

UnitHardware neuron_hardware(const UnitHardware& unit) {
  UnitHardware own = unit;
  own.neuron = {};
  if (unit.neuron.oscillator_w > 0) own.receiver.lo_power_w = unit.neuron.oscillator_w;
  if (unit.neuron.bandwidth_hz > 0) own.receiver.front_end.bandwidth_hz = unit.neuron.bandwidth_hz;
  if (unit.neuron.equaliser_taps > 0) own.timing.equaliser_taps = unit.neuron.equaliser_taps;
  return own;
}

std::array<Lowpass, 2> stage_lowpasses(const UnitHardware& u) {
  return {{{LowpassShape::one_pole, u.modulator.bandwidth_hz},
           {LowpassShape::bessel_thomson_4, u.receiver.front_end.bandwidth_hz}}};
}

std::optional<ClockedChannel> stage_channel(const UnitHardware& u) {
  if (u.timing.sampling != Sampling::clocked) return std::nullopt;
  const auto [modulator, receiver] = stage_lowpasses(u);
  using Key = std::tuple<double, double, double, int, Sampler>;
  const Key key = {modulator.bandwidth_hz, receiver.bandwidth_hz, u.timing.symbol_rate_bd,
                   u.timing.equaliser_taps, u.timing.sampler};
  // asked for many times, found in milliseconds: the neurons' and the servers' last
  thread_local std::array<std::pair<Key, std::optional<ClockedChannel>>, 2> last;
  if (!last[0].second || last[0].first != key) std::swap(last[0], last[1]);
  if (!last[0].second || last[0].first != key)
    last[0] = {key, clocked_channel(modulator, receiver, u.timing.symbol_rate_bd, u.timing.equaliser_taps,
                                    equaliser_noise, u.timing.sampler)};
  return last[0].second;
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
  validate_rows(u.heater);
  validate_thermo_optic(u.heater);
  validate_splitter_tree(u.splitter);
  fibre_coupler_loss_db(u.coupler, u.laser.wavelength_m);
  validate_fibre(u.fibre);
  validate_waveguide(u.routing);
  validate_rows(u.routing);
  validate_floor_plan(u.layout);
  validate_rows(u.layout);
  validate_rows(u.die);
  validate_link(u.link);
  validate_rows(u.neuron);
  validate_field(u.neuron.equaliser_taps % 2 == 1 || u.neuron.equaliser_taps == 0, "equaliser_taps",
                 "{} (must be odd, or 0: as time.equaliser_taps). Give an odd number.",
                 u.neuron.equaliser_taps);
  validate_field(
      (u.neuron.bandwidth_hz == 0 && u.neuron.equaliser_taps == 0) ||
          (u.timing.lane_skew_s == 0 && u.timing.layer_skew_s == 0) || u.timing.sampling == Sampling::settled,
      "lane_skew_s",
      "{}, layer_skew_s = {} with neuron.bandwidth_hz or neuron.equaliser_taps (light that is late is "
      "followed to receivers that are all alike). Set both to 0, or those of neurons.",
      u.timing.lane_skew_s, u.timing.layer_skew_s);
  validate_rows(u.owner);
  validate_field(u.owner.converter_bits <= u.converter.bits, "converter_bits",
                 "{} of converters of {} bits (converter.bits). Give at most as many.", u.owner.converter_bits,
                 u.converter.bits);
  validate_field(u.owner.equaliser_taps % 2 == 1 || u.owner.equaliser_taps == 0, "equaliser_taps",
                 "{} (must be odd, or 0: as time.equaliser_taps). Give an odd number.", u.owner.equaliser_taps);
  validate_timing(u.timing);
  validate_field(u.timing.sampling == Sampling::settled || u.link.averaging == Averaging::coherent, "sampling",
                 "{} with averaging = incoherent (the receivers of unit P are not simulated in time). Set "
                 "link.averaging = \"coherent\", or time.sampling = \"settled\".",
                 name_of(u.timing.sampling));
}

}  // namespace optinc
