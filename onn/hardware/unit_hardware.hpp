#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "physics/core/enum_names.hpp"
#include "physics/devices/adc.hpp"
#include "physics/devices/clocked_channel.hpp"
#include "physics/devices/fibre_coupler.hpp"
#include "physics/devices/laser.hpp"
#include "physics/devices/modulator.hpp"
#include "physics/devices/receiver.hpp"
#include "physics/devices/splitter_tree.hpp"
#include "physics/devices/thermo_optic_shifter.hpp"
#include "physics/devices/waveguide.hpp"
#include "physics/layout/floor_plan.hpp"
#include "physics/thermal/heaters.hpp"

/// \file unit_hardware.hpp What an OptINC unit is built from, described once: transmission, drift, crosstalk,
/// budget and cost all read this and nothing else. Only the statistics of the meshes stand elsewhere
/// (ErrorModel).

namespace optinc {

/// Heater of every phase shifter: one of the catalogue by its name, or that one with values of its own.
struct HeaterSettings : ThermoOpticShifter {
  std::string device;  ///< one of heater_names()

  /// Undercut: metal heaters would melt a large chip.
  HeaterSettings() : HeaterSettings("typical-undercut-heater") {}
  /// The heater of that name. Throws Error, naming the nearest, for an unknown one.
  explicit HeaterSettings(std::string_view name);
};

/// Heaters of the catalogue of devices.
std::span<const std::string_view> heater_names();

/// Waveguides between meshes, and the delay lines made of the same guide.
struct RoutingSettings : Waveguide {
  double delay_line_pitch_m = 5e-6;               ///< from turn to turn of a spiral; assumed
  std::string_view device = "soi-strip-500x220";  ///< part that the loss comes from, unless it was changed

  /// 5 mm of silicon strip.
  RoutingSettings() : Waveguide(soi_strip_500x220(5e-3)) {}
};

/// Areas of a chip: an MZI's box, and what converts light.
struct LayoutSettings : FloorPlanSettings {
  double modulator_area_m2 = 0.5e-6;  ///< 5 mm x 0.1 mm; assumed
  double receiver_area_m2 = 0.1e-6;   ///< two photodiodes and an amplifier; assumed
};

/// How light that is there before it is needed waits.
enum class Skew {
  delay_lines,  ///< all of it in waveguides on the chip
  at_servers,   ///< servers send each digit later by what all its readers wait; other light in waveguides
};

/// As users write them.
template <>
inline constexpr EnumNames enum_names<Skew> = {"skew", {"delay-lines", "at-servers"}};

/// How unit P averages the servers' digits.
enum class Averaging {
  coherent,    ///< fields of one seed laser meet in combiners, locked in phase
  incoherent,  ///< powers of a laser a server meet on a photodiode, whose current modulates fresh light
};

/// As users write them.
template <>
inline constexpr EnumNames enum_names<Averaging> = {"averaging", {"coherent", "incoherent"}};

/// How the local oscillators of receivers reach them from the seed laser.
enum class Oscillators {
  in_phase,       ///< idealised: nothing changes their phase against the light, and they cost nothing
  beside_signal,  ///< a guide as long as the light's way, which changes as that does and loses light
  direct,         ///< past the meshes: temperature, wavelength and linewidth change the phase; a phase shifter
                  ///< at each receiver, in a loop or set at calibration alone
};

/// As users write them.
template <>
inline constexpr EnumNames enum_names<Oscillators> = {"oscillators", {"in-phase", "beside-signal", "direct"}};

/// Light as the operator sets it, and what is left of the errors that locks and drivers make. Defaults:
/// assumed; 100 uW of signal on 1 mW of local oscillator at every receiver.
struct LinkSettings {
  double launch_power_w = 1e-3;       ///< at unit P's input: one server, one digit lane, digit 3
  double signal_full_scale_w = 1e-4;  ///< re-modulated power per neuron at its layer's largest activation, and
                                      ///< per lane of incoherent averages at digit 3
  double sigma_lock_rad = 0.1;        ///< rms residual phase-lock error of a server's fibre
  double lock_coherence_s = 0.0;  ///< for which that error stays (held_locks()); 0: drawn for every 512 words
  double sigma_oscillator_rad = 0.0;  ///< rms phase of a receiver's oscillator against its light, as a chip's
                                      ///< phase control leaves it; constant
  Oscillators oscillators = Oscillators::in_phase;
  double oscillator_loop_hz = 0.0;  ///< direct: bandwidth of each receiver's phase lock (first order); 0: none
  double oscillator_dither_rad = 0.0;  ///< direct: amplitude of the dither by which the lock finds its phase
  double fibre_mismatch_m = 0.0;       ///< by which a server's light goes further than its oscillator's
  double sigma_combiner = 0.0;  ///< rms relative error of each input's weight in unit P's combiners (~ 0.01)
  double sigma_limiter = 0.0;   ///< rms relative spread of neurons' ceilings, as fabricated
  double limiter_knee = 0.0;  ///< of every neuron's ceiling (see limited()); 0: hard. amplifiers: 0.17 to 0.25
  double level_mismatch = 0.0;   ///< 1 - RLM of the servers' PAM4 levels: the inner two drawn together (~ 0.03)
  bool signed_levels = false;    ///< digits as fields -1, -1/3, 1/3, 1 of full scale instead of 0, 1/3, 2/3, 1
  Skew skew = Skew::at_servers;  ///< servers can wait for nothing; a line of 1 ns loses 11 dB
  Averaging averaging = Averaging::coherent;
  double drive_depth = 1.0;  ///< of servers' modulators: field of the largest level, of full scale
  int destinations = 0;      ///< servers that unit T splits the answer for; 0: all of the task's
  int check_block = 0;       ///< words behind which sums of digits send a check word (checked_sums()); 0: none
  int cut_servers = 0;       ///< whose fibres are cut: of the first so many no light arrives, and nobody knows
  int late_servers = 0;      ///< behind these, so many whose words arrive with later ones of the others
  int late_words = 1;        ///< by which those are late
};

/// Receivers of neurons where they differ from those of servers. 0: as the servers'.
struct NeuronSettings {
  double oscillator_w = 0.0;  ///< as receiver.lo_power_w
  double bandwidth_hz = 0.0;  ///< as receiver.bandwidth_hz
  int equaliser_taps = 0;     ///< as time.equaliser_taps

  bool operator==(const NeuronSettings&) const = default;
};

/// Where the owner of a unit's sums decides them.
enum class OwnerPlace {
  server,  ///< a server: sums come to it, and its answers go back, by fibres and couplers
  unit,    ///< the chip that adds: sums need no way, answers one to every server
};

/// As users write them.
template <>
inline constexpr EnumNames enum_names<OwnerPlace> = {"owner place", {"server", "unit"}};

/// An owner of sums, and how it sends its answers on where that differs from how servers send to it: PAM4 needs
/// less light and fewer bits than 3N + 1 levels. 0: as the unit.
struct OwnerSettings {
  OwnerPlace place = OwnerPlace::server;
  double launch_power_w = 0.0;  ///< of the owner's modulators, as link.launch_power_w
  double oscillator_w = 0.0;    ///< of the servers' receivers of PAM4, as receiver.lo_power_w
  double converter_bits = 0.0;  ///< of their converters, as converter.effective_bits
  double drive_depth = 0.0;     ///< of the owner's modulators, as link.drive_depth
  double bandwidth_hz = 0.0;    ///< of the servers' receivers of PAM4, as receiver.bandwidth_hz
  int equaliser_taps = 0;       ///< of their equalisers, as time.equaliser_taps

  bool operator==(const OwnerSettings&) const = default;
};

/// When neurons and servers take their values.
enum class Sampling {
  settled,    ///< when everything has settled, as if words came slowly
  clocked,    ///< once a symbol, by a sampler with an equaliser behind it; a neuron's modulator holds the value
  unclocked,  ///< neurons pass on what they receive as it comes; servers sample once a symbol
};

/// As users write them.
template <>
inline constexpr EnumNames enum_names<Sampling> = {"sampling", {"settled", "clocked", "unclocked"}};

/// Words in time. Delay lines make lanes equal but for what is set here. Not simulated: edges of held levels
/// that jitter, and the order of a modulator's pole and its sine (the pole acts on the field).
struct TimingSettings {
  Sampling sampling = Sampling::settled;
  double symbol_rate_bd = 50e9;  ///< of every lane
  int equaliser_taps = 3;        ///< of every clocked receiver, one symbol apart; odd, 1: none
  double jitter_s = 0.0;         ///< rms of a clocked receiver's sampling instants, white, each its own
  Sampler sampler = Sampler::track_and_hold;  ///< of every clocked receiver
  double lane_skew_s =
      0.0;  ///< rms by which light of each modulator, servers' too, is late; constant for a chip
  double layer_skew_s = 0.0;  ///< the same, of all modulators of a layer, or of a server, together
  /// of a clocked receiver's clock, sampler and equaliser, for every symbol. Whole receivers of one bit
  /// a symbol take 0.35 to 0.9 pJ (14 to 50 mW at 40 to 56 Gb/s, reviewed by B. Razavi, "Low-Power Techniques
  /// for Wireline Systems").
  double clocked_receiver_j = 0.9e-12;
  std::string_view clocked_receiver = "typical-wireline-receiver";  ///< part that this energy comes from
};

/// Everything in one unit beside its meshes. Values without a source of their own are their devices' defaults.
struct UnitHardware {
  LaserSettings laser;    ///< the seed of all servers' and the chip's light; each server's own, too, where
                          ///< averaging is incoherent
  MzmSettings modulator;  ///< one a server and digit, one a read of a hidden neuron or an incoherent average
  ReceiverSettings receiver;  ///< one at every neuron and at every output digit of every server; its photodiode
                              ///< and amplifier, without an oscillator, at every incoherent average
  AdcSettings converter = {.full_scale = 2.0};        ///< one a digit at every server, over digits -0.5..3.5
  HeaterSettings heater;                              ///< of every phase shifter
  SplitterTree splitter;                              ///< every 1:2 splitter of every tree
  FibreCoupler coupler;                               ///< fibre to chip and back
  Fibre fibre = {.length_m = 10.0, .connectors = 2};  ///< server to chip, and back
  RoutingSettings routing;  ///< from a layer's inputs to its receivers, without meshes
  LayoutSettings layout;    ///< of the chip
  ThermalDie die;
  LinkSettings link;
  NeuronSettings neuron;
  OwnerSettings owner;
  TimingSettings timing;
};

/// The unit's hardware as its neurons' receivers are built: with the neurons' own settings.
UnitHardware neuron_hardware(const UnitHardware& unit);

/// Low-passes of a stage, from the drive of one modulator to the current of the next receiver: the modulator's
/// pole and the receiver's Bessel-Thomson response.
std::array<Lowpass, 2> stage_lowpasses(const UnitHardware& u);

/// Noise for which equalisers are chosen, of the values sent.
inline constexpr double equaliser_noise = 0.03;

/// The way of a value from one modulator to the sample of the next receiver: the modulator's pole, the
/// receiver's Bessel-Thomson response, sampling and equaliser; none where words are settled. Equalisers are
/// chosen for equaliser_noise.
std::optional<ClockedChannel> stage_channel(const UnitHardware& u);
/// Largest rms skew, of a symbol: six times it, of a lane and a layer together, are still less than a symbol.
inline constexpr double most_skew = 0.1;
/// Samples of a symbol in which unclocked words are simulated.
inline constexpr int samples_per_symbol = 16;

/// rms that its equaliser makes of receiver noise of rms 1; 1 where words are settled.
double stage_noise_gain(const UnitHardware& u);

/// Whether neurons' limiters are soft or unequal.
inline bool has_real_limiters(const LinkSettings& link) {
  return link.limiter_knee > 0 || link.sigma_limiter > 0;
}

/// rms phase of a server's light against its oscillator, rad: what the lock leaves, and what the seed's
/// linewidth makes of the mismatch of their ways, sqrt(sigma_lock^2 + 2 pi linewidth delay)
/// (self_heterodyne_phase_variance_rad2). 0 where averaging is incoherent: intensities have no phase.
double lock_rms_rad(const UnitHardware& hardware);

/// Throws Error, naming field, value and range, for what no device allows.
void validate_hardware(const UnitHardware& hardware);

}  // namespace optinc
