#pragma once

#include <numbers>

#include "experiments/config/study_config.hpp"

// Field tables of sections: light and noise.

namespace optinc {

template <Like<LinkSettings> S, class Visitor>
void visit_fields(S& s, Visitor&& visit) {
  visit(FieldInfo{"launch_power_w", "W",
                  "Launch power per server and digit lane at the input of unit P (for digit 3)", 1e-9, 1},
        s.launch_power_w);
  visit(FieldInfo{"signal_full_scale_w", "W", "Re-modulated optical power per neuron at full-scale activation",
                  1e-9, 1},
        s.signal_full_scale_w);
  visit(FieldInfo{"lo_power_w", "W", "Local-oscillator power per receiver", 1e-9, 1}, s.receiver.lo_power_w);
  visit(
      FieldInfo{"responsivity_a_per_w", "A/W", "Photodiode responsivity", 0.01, 2, "Ge at 1550 nm: 0.8 to 1.1"},
      s.receiver.responsivity_a_per_w);
  visit(FieldInfo{"dark_current_a", "A", "Photodiode dark current", 0, 1e-3, "Ge: 10 to 100 nA"},
        s.receiver.dark_current_a);
  visit(FieldInfo{"tia_noise_a_per_rthz", "A/sqrt(Hz)",
                  "Input-referred current noise of the transimpedance amplifier, including its resistor", 0,
                  1e-9, "Patel 2022, doi 10.1109/JSSC.2022.3218558"},
        s.receiver.tia_noise_a_per_rthz);
  visit(FieldInfo{"bandwidth_hz", "Hz", "Receiver noise bandwidth", 1e3, 1e12,
                  "Patel 2022, doi 10.1109/JSSC.2022.3218558"},
        s.receiver.bandwidth_hz);
  visit(FieldInfo{"rin_db_per_hz", "dB/Hz", "Relative intensity noise of the shared seed laser", -200, -80},
        s.receiver.rin_db_per_hz);
  visit(FieldInfo{"cmrr_db", "dB", "Common-mode rejection ratio of the balanced photodiodes", 0, 120,
                  "20 to 40 dB"},
        s.receiver.cmrr_db);
  visit(
      FieldInfo{"sigma_lock_rad", "rad", "RMS residual phase-lock error per server fibre", 0, std::numbers::pi},
      s.sigma_lock_rad);
  visit(switched_off("combiner",
                     FieldInfo{"sigma_combiner", "1", "RMS relative error of the combiner weights in unit P", 0,
                               0.14, "0.01 for a splitter imbalance of 0.1 dB"}),
        s.sigma_combiner);
  visit(switched_off("modulator leak",
                     FieldInfo{"modulator_leak", "1",
                               "Residual field of a modulator at its null, as a fraction of full scale", 0, 0.9,
                               "0.04 for an extinction ratio of 28 dB, 0.1 for 20 dB"}),
        s.modulator_leak);
  visit(switched_off("level mismatch",
                     FieldInfo{"level_mismatch", "1", "PAM4 level mismatch of the servers (1 - RLM)", 0, 0.9,
                               "IEEE 802.3 requires an RLM of 0.92 to 0.95"}),
        s.level_mismatch);
  visit(
      FieldInfo{
          "signed_levels", "1",
          "Whether digits are sent as fields -1, -1/3, 1/3, 1 (true) or 0, 1/3, 2/3, 1 (false) of full scale"},
      s.signed_levels);
  visit(switched_off(
            "ADC",
            FieldInfo{
                "adc_bits", "bit",
                "ADC resolution at a server for levels of -0.5 to 3.5 digits; 0: ideal comparators; with 2 or "
                "more bits every decision threshold is resolved and no decoded digit changes",
                0, 24, "5 to 8"}),
        s.adc_bits);
}

template <Like<NoiseSwitches> S, class Visitor>
void visit_fields(S& s, Visitor&& visit) {
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
                                             "Enable phase-lock errors of the server fibres (in variant noisy, "
                                             "and in all variants with drift)"}),
        s.lock);
  visit(FieldInfo{"last_only", "1", "Apply receiver noise only at the servers, not at the neurons"},
        s.last_only);
}

}  // namespace optinc
