#pragma once

#include <numbers>

#include "experiments/config/study_config.hpp"

// Field tables of sections: light and noise.

namespace optinc {

template <Like<LinkSettings> S, class Visitor>
void visit_fields(S& s, Visitor&& visit) {
  visit(FieldInfo{"launch_power_w", "W", "power at unit P's input: one server, one lane, digit 3", 1e-9, 1},
        s.launch_power_w);
  visit(
      FieldInfo{"signal_full_scale_w", "W", "re-modulated power per neuron at the largest activation", 1e-9, 1},
      s.signal_full_scale_w);
  visit(FieldInfo{"lo_power_w", "W", "local oscillator per neuron", 1e-9, 1}, s.receiver.lo_power_w);
  visit(
      FieldInfo{"responsivity_a_per_w", "A/W", "photodiode responsivity", 0.01, 2, "Ge at 1550 nm: 0.8 to 1.1"},
      s.receiver.responsivity_a_per_w);
  visit(FieldInfo{"dark_current_a", "A", "photodiode dark current", 0, 1e-3, "Ge: 10 to 100 nA"},
        s.receiver.dark_current_a);
  visit(FieldInfo{"tia_noise_a_per_rthz", "A/sqrt(Hz)", "input-referred amplifier noise, its resistor included",
                  0, 1e-9, "Patel 2022, doi 10.1109/JSSC.2022.3218558"},
        s.receiver.tia_noise_a_per_rthz);
  visit(FieldInfo{"bandwidth_hz", "Hz", "receiver noise bandwidth", 1e3, 1e12,
                  "Patel 2022, doi 10.1109/JSSC.2022.3218558"},
        s.receiver.bandwidth_hz);
  visit(FieldInfo{"rin_db_per_hz", "dB/Hz", "relative intensity noise of the shared seed laser", -200, -80},
        s.receiver.rin_db_per_hz);
  visit(FieldInfo{"cmrr_db", "dB", "common-mode rejection of the balanced pair", 0, 120, "20 to 40 dB"},
        s.receiver.cmrr_db);
  visit(FieldInfo{"sigma_lock_rad", "rad", "residual phase-lock error of every server's fibre", 0,
                  std::numbers::pi},
        s.sigma_lock_rad);
  visit(switched_off("combiner", FieldInfo{"sigma_combiner", "1",
                                           "rms relative error of every weight of unit P's combiners", 0, 0.14,
                                           "splitter imbalance of 0.1 dB: 0.01"}),
        s.sigma_combiner);
  visit(switched_off("modulator leak",
                     FieldInfo{"modulator_leak", "1", "field of a modulator at its null, of full scale", 0, 0.9,
                               "extinction of 28 dB: 0.04, of 20 dB: 0.1"}),
        s.modulator_leak);
  visit(switched_off("level mismatch", FieldInfo{"level_mismatch", "1", "1 - RLM of the servers' PAM4 levels",
                                                 0, 0.9, "IEEE 802.3 asks for RLM of 0.92 to 0.95"}),
        s.level_mismatch);
  visit(FieldInfo{"signed_levels", "1", "servers send fields -1, -1/3, 1/3, 1 of full scale, not 0 to 1"},
        s.signed_levels);
  visit(
      switched_off("ADC", FieldInfo{"adc_bits", "bit",
                                    "converter of a server over digits -0.5 to 3.5; 0: none; from 2 on it has "
                                    "the digits' thresholds and changes no decided code",
                                    0, 24, "5 to 8"}),
      s.adc_bits);
}

template <Like<NoiseSwitches> S, class Visitor>
void visit_fields(S& s, Visitor&& visit) {
  visit(switched_off(
            "shot noise",
            FieldInfo{"shot", "1",
                      "shot noise of the photodiodes acts (in the variant noisy; where chips drift, always)"}),
        s.shot);
  visit(switched_off(
            "amplifier noise",
            FieldInfo{"tia", "1", "amplifier noise acts (in the variant noisy; where chips drift, always)"}),
        s.tia);
  visit(switched_off("intensity noise",
                     FieldInfo{"rin", "1",
                               "intensity noise of the seed laser acts (in the variant noisy; where "
                               "chips drift, always)"}),
        s.rin);
  visit(switched_off(
            "phase lock",
            FieldInfo{"lock", "1",
                      "phase-lock error of the fibres acts (in the variant noisy; where chips drift, always)"}),
        s.lock);
  visit(FieldInfo{"last_only", "1", "receivers are noisy at the servers alone, not at the neurons"},
        s.last_only);
}

}  // namespace optinc
