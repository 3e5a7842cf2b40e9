#pragma once

#include <numbers>
#include <string>
#include <type_traits>

#include "onn/hardware/unit_hardware.hpp"
#include "physics/core/rows.hpp"
#include "physics/devices/adc_rows.hpp"
#include "physics/devices/fibre_coupler_rows.hpp"
#include "physics/devices/laser_rows.hpp"
#include "physics/devices/modulator_rows.hpp"
#include "physics/devices/part_row.hpp"
#include "physics/devices/receiver_rows.hpp"
#include "physics/devices/splitter_tree_rows.hpp"
#include "physics/devices/waveguide_rows.hpp"

namespace optinc {

template <Like<HeaterSettings> S, class Visitor>
void visit_rows(S& s, Visitor&& visit) {
  Row heater = name_row("device", "Heater used by every phase shifter; optinc devices NAME shows its data",
                        heater_names());
  heater.part = "heater";
  std::string device = s.device;
  visit(heater, device);
  if constexpr (!std::is_const_v<S>)
    if (device != s.device) s = HeaterSettings(device);  // times and losses too, which are no keys
  visit(Row{"pi_power_w", "W", "Heater power for a phase shift of pi (default: that of heater.device)", 1e-9, 1,
            "undercut heaters: 1 mW; Harris 2014: 24.77 mW"},
        s.p_pi_w);
}

template <Like<RoutingSettings> S, class Visitor>
void visit_rows(S& s, Visitor&& visit) {
  visit_part(visit, s,
             part_row("device", "waveguide", "Waveguide between meshes; it sets the propagation loss"),
             s.device);
  visit(Row{"loss_db_per_cm", "dB/cm", "Propagation loss of the waveguides between meshes", 0, 100,
            "0.1 (wide rib) to 3 dB/cm"},
        s.loss_db_per_cm);
  visit(Row{"length_m", "m", "Waveguide length per layer, excluding its MZIs", 0, 1}, s.length_m);
  visit(Row{"delay_line_pitch_m", "m", "Spiral pitch of the delay lines", 0, 1e-3}, s.delay_line_pitch_m);
}

template <Like<LayoutSettings> S, class Visitor>
void visit_rows(S& s, Visitor&& visit) {
  visit(Row{"mzi_length_m", "m", "Length of an MZI on the die", 1e-6, 1e-2, "100 to 300 um"}, s.mzi_length_m);
  visit(Row{"mzi_width_m", "m", "Width of an MZI on the die (two ports)", 1e-6, 1e-2, "20 to 60 um"},
        s.mzi_width_m);
  visit(Row{"coupler_length_m", "m", "Length of a splitter on the die", 0, 1e-2}, s.coupler_length_m);
  visit(Row{"modulator_area_m2", "m2", "Area of a modulator on the die", 0, 1e-2, "5 mm x 0.1 mm"},
        s.modulator_area_m2);
  visit(Row{"receiver_area_m2", "m2", "Area of a receiver and its amplifier on the die", 0, 1e-2},
        s.receiver_area_m2);
}

template <Like<ThermalDie> S, class Visitor>
void visit_rows(S& s, Visitor&& visit) {
  visit(Row{"resistance_k_per_w", "K/W", "Thermal resistance from die to ambient", 1e-6, 1e6, "0.2 to 2 K/W"},
        s.resistance_k_per_w);
  visit(Row{"capacity_j_per_k", "J/K", "Heat capacity of the die", 1e-9, 1e6,
            "400 mm^2, 0.7 mm of silicon: 0.46 J/K"},
        s.capacity_j_per_k);
}

template <Like<LinkSettings> S, class Visitor>
void visit_rows(S& s, Visitor&& visit) {
  visit(Row{"launch_power_w", "W",
            "Launch power per server and digit lane at the input of unit P (for digit 3)", 1e-9, 1},
        s.launch_power_w);
  visit(Row{"signal_full_scale_w", "W",
            "Re-modulated optical power per neuron at full-scale activation, and per incoherent average "
            "at digit 3",
            1e-9, 100},
        s.signal_full_scale_w);
  visit(Row{"sigma_lock_rad", "rad", "RMS residual phase-lock error per server fibre", 0, std::numbers::pi},
        s.sigma_lock_rad);
  visit(
      Row{"lock_coherence_s", "s",
          "Time for which a server's phase error stays before another is drawn, where words come in "
          "succession, about 1/(2 pi B) of a lock of bandwidth B: 2e-6 of thermal shifters with 80 kHz "
          "(silicon-combiner-2024-lock); 0: drawn for every 512 words, as settled words' always is. Shares of "
          "words wrong stay the same on average, but words go wrong in bursts",
          0, 1},
      s.lock_coherence_s);
  visit(switched_off("oscillator phase", Row{"sigma_oscillator_rad", "rad",
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
  visit(Row{"oscillator_loop_hz", "Hz",
            "Bandwidth of the phase lock of each direct oscillator (first order); 0: its phase is set at "
            "calibration alone",
            0, 1e9, "1 to 1e4 Hz with heaters"},
        s.oscillator_loop_hz);
  visit(Row{"oscillator_dither_rad", "rad",
            "Amplitude of the dither by which the phase lock of each direct oscillator finds its phase", 0,
            std::numbers::pi / 2},
        s.oscillator_dither_rad);
  visit(Row{"fibre_mismatch_m", "m",
            "Path length of a server's light minus that of its local oscillator; with laser.linewidth_hz "
            "it adds a phase error",
            0, 1e5},
        s.fibre_mismatch_m);
  visit(switched_off("combiner",
                     Row{"sigma_combiner", "1", "RMS relative error of the combiner weights in unit P", 0, 0.14,
                         "0.01 for a splitter imbalance of 0.1 dB"}),
        s.sigma_combiner);
  visit(switched_off("limiter spread",
                     Row{"sigma_limiter", "1",
                         "RMS relative spread of the ceilings from neuron to neuron, as fabricated", 0, 0.14}),
        s.sigma_limiter);
  visit(switched_off(
            "soft limiters",
            or_zero({"limiter_knee", "1",
                     "Knee of the neurons' ceilings (Rapp's model): at an input that equals the ceiling, the "
                     "output is 6 dB x knee below the ceiling; 0: hard",
                     1e-3, 1, "amplifiers: 0.17 to 0.25, which is Rapp's p of 3 to 2"})),
        s.limiter_knee);
  visit(
      switched_off("level mismatch", Row{"level_mismatch", "1", "PAM4 level mismatch of the servers (1 - RLM)",
                                         0, 0.9, "IEEE 802.3 requires an RLM of 0.92 to 0.95"}),
      s.level_mismatch);
  visit(
      Row{"signed_levels", "1",
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
  visit(
      Row{"drive_depth", "1",
          "Depth of the drive of servers' modulators: field of their largest level, of full scale. Less light "
          "is sent, and drivers whose energy follows the swing take less",
          0.01, 1},
      s.drive_depth);
  visit(Row{"destinations", "1",
            "Number of servers among which unit T splits what the unit sends: 1 with digit sums for an owner "
            "of the words; 0: all of task.servers",
            0, 256},
        s.destinations);
  visit(Row{"check_block", "word",
            "Words of a block of digit sums that a check word follows; lanes whose sums disagree mod 4 with "
            "their check sum are sent again; 0: no checks",
            0, 4096},
        s.check_block);
  visit(Row{"cut_servers", "1",
            "Number of servers whose fibres are cut: no light of theirs arrives, while gains and the wanted "
            "answer stay those of all",
            0, 64},
        s.cut_servers);
  visit(
      Row{"late_servers", "1",
          "Number of servers whose words arrive late, with words that the others send late_words later", 0, 64},
      s.late_servers);
  visit(Row{"late_words", "word", "Words by which late_servers are late", 1, 1e9}, s.late_words);
}

template <Like<NeuronSettings> S, class Visitor>
void visit_rows(S& s, Visitor&& visit) {
  visit(Row{"oscillator_w", "W", "Local oscillator of the neurons' receivers; 0: receiver.lo_power_w", 0, 1},
        s.oscillator_w);
  visit(Row{"bandwidth_hz", "Hz", "Bandwidth of the neurons' receivers; 0: receiver.bandwidth_hz", 0, 1e12},
        s.bandwidth_hz);
  visit(Row{"equaliser_taps", "1", "Taps (an odd number) of the neurons' equalisers; 0: time.equaliser_taps", 0,
            99},
        s.equaliser_taps);
}

template <Like<OwnerSettings> S, class Visitor>
void visit_rows(S& s, Visitor&& visit) {
  visit_enum(
      visit, "place",
      "Where sums with one destination (link.destinations) are decided: at a server, to which they go and "
      "whose answers go back by fibre (server), or on the chip that adds (unit)",
      s.place);
  visit(Row{"launch_power_w", "W",
            "Power of an owner's modulators when it sends answers on by PAM4 (link.destinations); 0: "
            "link.launch_power_w",
            0, 1},
        s.launch_power_w);
  visit(Row{"oscillator_w", "W", "Local oscillator of the receivers of these answers; 0: receiver.lo_power_w",
            0, 1},
        s.oscillator_w);
  visit(Row{"converter_bits", "bit",
            "Effective bits of the converters of these answers; 0: converter.effective_bits", 0, 24},
        s.converter_bits);
  visit(Row{"drive_depth", "1", "Depth of the drive of an owner's modulators; 0: link.drive_depth", 0, 1},
        s.drive_depth);
  visit(Row{"bandwidth_hz", "Hz", "Bandwidth of the receivers of these answers; 0: receiver.bandwidth_hz", 0,
            1e12},
        s.bandwidth_hz);
  visit(Row{"equaliser_taps", "1", "Taps (an odd number) of their equalisers; 0: time.equaliser_taps", 0, 99},
        s.equaliser_taps);
}

template <Like<TimingSettings> S, class Visitor>
void visit_rows(S& s, Visitor&& visit) {
  visit_part(visit, s,
             part_row("clocked_receiver", "clocked receiver",
                      "Clock, sampler and equaliser of every clocked receiver; it sets the energy of a symbol"),
             s.clocked_receiver);
  visit_enum(visit, "sampling",
             "When receivers take their values: after everything has settled (settled), once per symbol "
             "behind an equaliser, held for the next symbol (clocked), or continuously, with sampling "
             "only at the servers (unclocked)",
             s.sampling);
  visit(Row{"symbol_rate_bd", "Bd", "Symbol rate of every lane; ignored for settled words, assumed in budgets",
            1e3, 1e12, "10 to 112 GBd"},
        s.symbol_rate_bd);
  visit(odd({"equaliser_taps", "1",
             "Taps (an odd number, one symbol apart) of the linear equaliser behind every clocked receiver; 1: "
             "no "
             "equaliser",
             1, 99}),
        s.equaliser_taps);
  visit(Row{"jitter_s", "s", "RMS jitter of every clocked receiver's sampling instants", 0, 1e-6}, s.jitter_s);
  visit_enum(visit, "sampler",
             "How a clocked receiver takes its sample: at an instant (track-and-hold), or as the mean over a "
             "symbol (integrate-and-dump)",
             s.sampler);
  visit(Row{"lane_skew_s", "s", "RMS timing skew of each modulator's light, servers' included", 0, 1e-6,
            "constant for a chip, at most a tenth of a symbol; 1e-12: 0.2 mm of fibre"},
        s.lane_skew_s);
  visit(Row{"layer_skew_s", "s", "RMS timing skew common to all modulators of a layer, or of a server", 0, 1e-6,
            "constant for a chip, at most a tenth of a symbol"},
        s.layer_skew_s);
  visit(Row{"clocked_receiver_j", "J", "Energy per symbol of a clocked receiver's clock, sampler and equaliser",
            0, 1e-6, "whole receivers of one bit per symbol: 0.35e-12 to 0.9e-12"},
        s.clocked_receiver_j);
}

/// Calls section(name, settings) for the settings of every device of a unit, in the order of a study's file.
template <Like<UnitHardware> S, class Section>
void visit_hardware(S& hardware, Section&& section) {
  section("laser", hardware.laser);
  section("modulator", hardware.modulator);
  section("receiver", hardware.receiver);
  section("converter", hardware.converter);
  section("heater", hardware.heater);
  section("splitter", hardware.splitter);
  section("coupler", hardware.coupler);
  section("fibre", hardware.fibre);
  section("waveguide", hardware.routing);
  section("layout", hardware.layout);
  section("die", hardware.die);
  section("link", hardware.link);
  section("neuron", hardware.neuron);
  section("owner", hardware.owner);
  section("time", hardware.timing);
}

}  // namespace optinc
