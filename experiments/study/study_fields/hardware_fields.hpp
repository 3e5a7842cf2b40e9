#pragma once

#include <numbers>

#include "experiments/study/study_config.hpp"

// Field tables of sections: the devices of a unit, its light and its noise.

namespace optinc {

template <Like<LaserSettings> S, class Visitor>
void visit_fields(S& s, Visitor&& visit) {
  visit(FieldInfo{"power_w", "W", "Power of the shared seed laser", 1e-6, 1, "default 13 dBm; 10 to 20 dBm"},
        s.power_w);
  visit(FieldInfo{"rin_db_per_hz", "dB/Hz", "Relative intensity noise of the seed laser", -200, -80},
        s.rin_db_per_hz);
  visit(FieldInfo{"linewidth_hz", "Hz", "Linewidth of the seed laser (Lorentzian, full width at half maximum)",
                  0, 1e9, "10 kHz to 5 MHz"},
        s.linewidth_hz);
  visit(FieldInfo{"wavelength_m", "m", "Wavelength of the seed laser", 1.2e-6, 1.7e-6}, s.wavelength_m);
  visit(FieldInfo{"wall_plug_efficiency", "1",
                  "Wall-plug efficiency of every laser (optical over electrical power)", 1e-4, 1},
        s.wall_plug_efficiency);
}

template <Like<MzmSettings> S, class Visitor>
void visit_fields(S& s, Visitor&& visit) {
  visit(FieldInfo{"v_pi_v", "V", "Half-wave voltage of a modulator", 0.1, 100, "1 to 7 V"}, s.v_pi_v);
  visit(
      FieldInfo{"loss_db", "dB", "Insertion loss of a modulator at full drive", 0, 30, "3 to 6 dB in silicon"},
      s.insertion_loss_db);
  visit(switched_off(
            "modulator leak",
            FieldInfo{"leak", "1", "Residual field of a modulator at its null, as a fraction of full scale", 0,
                      0.9, "0.04 for an extinction ratio of 28 dB, 0.1 for 20 dB"}),
        s.leak);
  visit(FieldInfo{"bandwidth_hz", "Hz", "3 dB bandwidth of a modulator (one pole)", 1e6, 1e12, "20 to 110 GHz"},
        s.bandwidth_hz);
  visit(FieldInfo{"linearised", "1",
                  "Whether the drive of a modulator compensates its sine response (true) or is proportional to "
                  "the level (false); servers set their four levels in any case"},
        s.linearised);
  visit(
      FieldInfo{
          "drive_capacitance_f", "F",
          "Effective load capacitance C of a modulator driver; a symbol takes C V^2 at a swing of V volts", 0,
          1e-9, "62.5 fF: 1 pJ at 4 V; O/E/O: 1 to 3 pJ per symbol"},
      s.drive_capacitance_f);
}

template <Like<ReceiverSettings> S, class Visitor>
void visit_fields(S& s, Visitor&& visit) {
  visit(FieldInfo{"lo_power_w", "W", "Local-oscillator power per receiver", 1e-9, 1}, s.lo_power_w);
  visit(
      FieldInfo{"responsivity_a_per_w", "A/W", "Photodiode responsivity", 0.01, 2, "Ge at 1550 nm: 0.8 to 1.1"},
      s.photodiode.responsivity_a_per_w);
  visit(FieldInfo{"dark_current_a", "A", "Photodiode dark current", 0, 1e-3, "Ge: 10 to 100 nA"},
        s.photodiode.dark_current_a);
  visit(FieldInfo{"tia_noise_a_per_rthz", "A/sqrt(Hz)",
                  "Input-referred current noise of the transimpedance amplifier, including its resistor", 0,
                  1e-9, "Patel 2022, doi 10.1109/JSSC.2022.3218558"},
        std::get<InputReferredNoise>(s.front_end.noise).a_per_rthz);
  visit(FieldInfo{"bandwidth_hz", "Hz", "3 dB bandwidth of a receiver (Bessel-Thomson, fourth order)", 1e3,
                  1e12, "Patel 2022, doi 10.1109/JSSC.2022.3218558"},
        s.front_end.bandwidth_hz);
  visit(FieldInfo{"cmrr_db", "dB", "Common-mode rejection ratio of the balanced photodiodes", 0, 120,
                  "20 to 40 dB"},
        s.cmrr_db);
  visit(FieldInfo{"offset_a", "A", "RMS offset current of the homodyne receivers' amplifiers", 0, 1,
                  "constant for a chip; shifts thresholds"},
        s.offset_a);
  visit(or_zero({"overload_a", "A", "Largest current that an amplifier passes on, of either sign; 0: no limit",
                 1e-12, 1, "1e-3"}),
        s.overload_a);
  visit(FieldInfo{"supply_power_w", "W", "Supply power of a receiver amplifier", 0, 100,
                  "Patel 2022, doi 10.1109/JSSC.2022.3218558"},
        s.front_end.supply_power_w);
}

template <Like<AdcSettings> S, class Visitor>
void visit_fields(S& s, Visitor&& visit) {
  visit(FieldInfo{"bits", "bit",
                  "Nominal resolution of a server's converter over the range of -0.5 to 3.5 digits", 1, 24,
                  "5 to 8"},
        s.bits);
  visit(FieldInfo{"effective_bits", "bit",
                  "Effective number of bits (ENOB) of a server's converter; its noise follows from it", 0.1, 24,
                  "4.5 to 5.5 above 50 GS/s"},
        s.effective_bits);
  visit(FieldInfo{"step_j", "J", "Converter energy per conversion step (Walden figure of merit)", 0, 1e-9,
                  "typical above 30 GS/s: 30 to 300 fJ"},
        s.step_j);
  visit(FieldInfo{"delay_s", "s", "Pipeline delay of a converter", 0, 1e-3}, s.delay_s);
}

template <Like<HeaterSettings> S, class Visitor>
void visit_fields(S& s, Visitor&& visit) {
  std::string device = s.device;
  visit(name_field("device", "Heater used by every phase shifter; optinc devices NAME shows its data",
                   heater_names()),
        device);
  if constexpr (!std::is_const_v<S>)
    if (device != s.device) s = HeaterSettings(device);
  visit(FieldInfo{"pi_power_w", "W", "Heater power for a phase shift of pi (default: that of heater.device)",
                  1e-9, 1, "undercut heaters: 1 mW; Harris 2014: 24.77 mW"},
        s.p_pi_w);
}

template <Like<SplitterTree> S, class Visitor>
void visit_fields(S& s, Visitor&& visit) {
  visit(FieldInfo{"loss_db", "dB", "Excess loss of a 1:2 splitter in any splitter tree", 0, 10,
                  "Zhang 2013: 0.28 dB"},
        s.stage_excess_loss_db);
}

template <Like<FibreCoupler> S, class Visitor>
void visit_fields(S& s, Visitor&& visit) {
  visit(FieldInfo{"loss_db", "dB", "Loss of one coupling between fibre and chip", 0, 30,
                  "edge coupler: 1 to 2 dB"},
        s.loss_db);
}

template <Like<Fibre> S, class Visitor>
void visit_fields(S& s, Visitor&& visit) {
  visit(FieldInfo{"length_m", "m", "Length of each fibre between a server and the unit", 0, 1e6}, s.length_m);
  visit(FieldInfo{"connectors", "1", "Connectors per fibre, 0.3 dB each", 0, 100}, s.connectors);
}

template <Like<RoutingSettings> S, class Visitor>
void visit_fields(S& s, Visitor&& visit) {
  visit(FieldInfo{"loss_db_per_cm", "dB/cm", "Propagation loss of the waveguides between meshes", 0, 100,
                  "0.1 (wide rib) to 3 dB/cm"},
        s.loss_db_per_cm);
  visit(FieldInfo{"length_m", "m", "Waveguide length per layer, excluding its MZIs", 0, 1}, s.length_m);
  visit(FieldInfo{"delay_line_pitch_m", "m", "Spiral pitch of the delay lines", 0, 1e-3}, s.delay_line_pitch_m);
}

template <Like<LayoutSettings> S, class Visitor>
void visit_fields(S& s, Visitor&& visit) {
  visit(FieldInfo{"mzi_length_m", "m", "Length of an MZI on the die", 1e-6, 1e-2, "100 to 300 um"},
        s.mzi_length_m);
  visit(FieldInfo{"mzi_width_m", "m", "Width of an MZI on the die (two ports)", 1e-6, 1e-2, "20 to 60 um"},
        s.mzi_width_m);
  visit(FieldInfo{"coupler_length_m", "m", "Length of a splitter on the die", 0, 1e-2}, s.coupler_length_m);
  visit(FieldInfo{"modulator_area_m2", "m2", "Area of a modulator on the die", 0, 1e-2, "5 mm x 0.1 mm"},
        s.modulator_area_m2);
  visit(FieldInfo{"receiver_area_m2", "m2", "Area of a receiver and its amplifier on the die", 0, 1e-2},
        s.receiver_area_m2);
}

template <Like<ThermalDie> S, class Visitor>
void visit_fields(S& s, Visitor&& visit) {
  visit(FieldInfo{"resistance_k_per_w", "K/W", "Thermal resistance from die to ambient", 1e-6, 1e6,
                  "0.2 to 2 K/W"},
        s.resistance_k_per_w);
  visit(FieldInfo{"capacity_j_per_k", "J/K", "Heat capacity of the die", 1e-9, 1e6,
                  "400 mm^2, 0.7 mm of silicon: 0.46 J/K"},
        s.capacity_j_per_k);
}

template <Like<LinkSettings> S, class Visitor>
void visit_fields(S& s, Visitor&& visit) {
  visit(FieldInfo{"launch_power_w", "W",
                  "Launch power per server and digit lane at the input of unit P (for digit 3)", 1e-9, 1},
        s.launch_power_w);
  visit(FieldInfo{"signal_full_scale_w", "W",
                  "Re-modulated optical power per neuron at full-scale activation, and per incoherent average "
                  "at digit 3",
                  1e-9, 1},
        s.signal_full_scale_w);
  visit(
      FieldInfo{"sigma_lock_rad", "rad", "RMS residual phase-lock error per server fibre", 0, std::numbers::pi},
      s.sigma_lock_rad);
  visit(switched_off("oscillator phase", FieldInfo{"sigma_oscillator_rad", "rad",
                                                   "RMS phase error of each receiver's local oscillator that "
                                                   "the chip's phase control leaves, constant in time",
                                                   0, std::numbers::pi}),
        s.sigma_oscillator_rad);
  visit_enum(
      visit, "oscillators",
      "How local oscillators reach the receivers: idealised, always in phase with the light (in-phase); in "
      "a guide as long as the light's way through the meshes (beside-signal); or past the meshes, so that "
      "temperature, wavelength and linewidth change their phase (direct)",
      s.oscillators);
  visit(FieldInfo{"oscillator_loop_hz", "Hz",
                  "Bandwidth of the phase lock of each direct oscillator (first order); 0: its phase is set at "
                  "calibration alone",
                  0, 1e9, "1 to 1e4 Hz with heaters"},
        s.oscillator_loop_hz);
  visit(FieldInfo{"oscillator_dither_rad", "rad",
                  "Amplitude of the dither by which the phase lock of each direct oscillator finds its phase",
                  0, std::numbers::pi / 2},
        s.oscillator_dither_rad);
  visit(FieldInfo{"fibre_mismatch_m", "m",
                  "Path length of a server's light minus that of its local oscillator; with laser.linewidth_hz "
                  "it adds a phase error",
                  0, 1e5},
        s.fibre_mismatch_m);
  visit(switched_off("combiner",
                     FieldInfo{"sigma_combiner", "1", "RMS relative error of the combiner weights in unit P", 0,
                               0.14, "0.01 for a splitter imbalance of 0.1 dB"}),
        s.sigma_combiner);
  visit(switched_off(
            "limiter spread",
            FieldInfo{"sigma_limiter", "1",
                      "RMS relative spread of the ceilings from neuron to neuron, as fabricated", 0, 0.14}),
        s.sigma_limiter);
  visit(switched_off(
            "soft limiters",
            or_zero({"limiter_knee", "1",
                     "Knee of the neurons' ceilings (Rapp's model): at an input that equals the ceiling, the "
                     "output is 6 dB x knee below the ceiling; 0: hard",
                     1e-3, 1, "amplifiers: 0.17 to 0.25, which is Rapp's p of 3 to 2"})),
        s.limiter_knee);
  visit(switched_off("level mismatch",
                     FieldInfo{"level_mismatch", "1", "PAM4 level mismatch of the servers (1 - RLM)", 0, 0.9,
                               "IEEE 802.3 requires an RLM of 0.92 to 0.95"}),
        s.level_mismatch);
  visit(
      FieldInfo{
          "signed_levels", "1",
          "Whether digits are sent as fields -1, -1/3, 1/3, 1 (true) or 0, 1/3, 2/3, 1 (false) of full scale"},
      s.signed_levels);
  visit_enum(
      visit, "skew",
      "How early digits are delayed until their carries arrive: by delay lines on the chip (delay-lines), "
      "or by the servers, which send them later (at-servers)",
      s.skew);
  visit_enum(visit, "averaging",
             "How unit P averages: fields of one seed laser, locked in phase, in combiners (coherent), or "
             "powers of a laser per server on a photodiode that modulates fresh light (incoherent)",
             s.averaging);
}

template <Like<TimingSettings> S, class Visitor>
void visit_fields(S& s, Visitor&& visit) {
  visit_enum(visit, "sampling",
             "When receivers take their values: after everything has settled (settled), once per symbol "
             "behind an equaliser, held for the next symbol (clocked), or continuously, with sampling "
             "only at the servers (unclocked)",
             s.sampling);
  visit(FieldInfo{"symbol_rate_bd", "Bd",
                  "Symbol rate of every lane; ignored for settled words, assumed in budgets", 1e3, 1e12,
                  "10 to 112 GBd"},
        s.symbol_rate_bd);
  visit(odd({"equaliser_taps", "1",
             "Taps (an odd number, one symbol apart) of the linear equaliser behind every clocked receiver; 1: no "
             "equaliser",
             1, 99}),
        s.equaliser_taps);
  visit(FieldInfo{"jitter_s", "s", "RMS jitter of every clocked receiver's sampling instants", 0, 1e-6},
        s.jitter_s);
  visit_enum(visit, "sampler",
             "How a clocked receiver takes its sample: at an instant (track-and-hold), or as the mean over a "
             "symbol (integrate-and-dump)",
             s.sampler);
  visit(FieldInfo{"lane_skew_s", "s", "RMS timing skew of each modulator's light, servers' included", 0, 1e-6,
                  "constant for a chip, at most a tenth of a symbol; 1e-12: 0.2 mm of fibre"},
        s.lane_skew_s);
  visit(FieldInfo{"layer_skew_s", "s", "RMS timing skew common to all modulators of a layer, or of a server", 0,
                  1e-6, "constant for a chip, at most a tenth of a symbol"},
        s.layer_skew_s);
  visit(FieldInfo{"clocked_receiver_j", "J",
                  "Energy per symbol of a clocked receiver's clock, sampler and equaliser", 0, 1e-6,
                  "whole receivers of one bit per symbol: 0.35e-12 to 0.9e-12"},
        s.clocked_receiver_j);
}

template <Like<NoiseSettings> S, class Visitor>
void visit_fields(S& s, Visitor&& visit) {
  visit(FieldInfo{"set", "1",
                  "Named set of noise: receivers and locks alone (receivers), or also modulators of 28 dB "
                  "extinction, levels of RLM 0.97, combiner weights off by 1 % and oscillators off by 0.05 rad "
                  "(full); keys set explicitly override it",
                  0, 0, "custom: no set, every key is set explicitly", noise_set_names()},
        s.set);
  visit(switched_off(
            "shot noise",
            FieldInfo{"shot", "1",
                      "Enable photodiode shot noise (in variant noisy, and in all variants with drift)"}),
        s.shot);
  visit(switched_off(
            "amplifier noise",
            FieldInfo{"tia", "1", "Enable amplifier noise (in variant noisy, and in all variants with drift)"}),
        s.tia);
  visit(switched_off(
            "intensity noise",
            FieldInfo{
                "rin", "1",
                "Enable intensity noise of the seed laser (in variant noisy, and in all variants with drift)"}),
        s.rin);
  visit(switched_off("phase lock", FieldInfo{"lock", "1",
                                             "Enable phase-lock errors of the server fibres, and linewidth and "
                                             "dither of direct oscillators (in variant noisy, "
                                             "and in all variants with drift)"}),
        s.lock);
  visit(switched_off("converter",
                     FieldInfo{"converter", "1",
                               "Enable quantisation and noise of the servers' converters; without them, ideal "
                               "comparators decide (in variant noisy, and in all variants with drift)"}),
        s.converter);
  visit(FieldInfo{"jitter", "1",
                  "Enable jitter of clocked receivers (in variant noisy, and in all variants with drift)"},
        s.jitter);
  visit(FieldInfo{"last_only", "1", "Apply receiver noise only at the servers, not at the neurons"},
        s.last_only);
}

}  // namespace optinc
