#pragma once

#include "experiments/engine/config/study_config.hpp"
#include "experiments/engine/config/study_names.hpp"

// Field tables of sections: the chip and how it is operated.

namespace optinc {

/// Presets of [chip], and "custom" for values that no preset has.
inline std::span<const std::string_view> chip_preset_names() {
  static const std::vector<std::string_view> names = [] {
    std::vector<std::string_view> all(error_preset_names().begin(), error_preset_names().end());
    all.push_back("custom");
    return all;
  }();
  return names;
}

template <Like<ErrorModel> S, class Visitor>
void visit_fields(S& s, Visitor&& visit) {
  visit(FieldInfo{"preset", "1", "Named set of values for this section; keys set explicitly override it", 0, 0,
                  "custom: no preset, every key is set explicitly", chip_preset_names()},
        s.preset);
  visit(switched_off("splitters",
                     FieldInfo{"sigma_eta_rad", "rad", "RMS error of every splitter angle (ideal angle: pi/4)",
                               0, 0.5, "Mikkelsen 2014 (preset foundry: 0.02)"}),
        s.sigma_eta_rad);
  visit(FieldInfo{"rho_ab", "1", "Correlation between the two splitter errors of an MZI", -1, 1}, s.rho_ab);
  visit(switched_off("calibration",
                     FieldInfo{"sigma_cal_rad", "rad", "RMS phase error that remains after calibration", 0, 1}),
        s.sigma_cal_rad);
  visit(
      switched_off(
          "mean loss",
          FieldInfo{"mzi_loss_db", "dB", "Mean insertion loss of an MZI", 0, 10,
                    "preset foundry: 0.56, two couplers of 0.05 dB and two heaters of 0.23 dB (Harris 2014)"}),
      s.mzi_loss_db);
  visit(switched_off("loss spread", FieldInfo{"arm_loss_spread_db", "dB",
                                              "RMS spread of insertion loss between the arms of MZIs", 0, 3,
                                              "Harris 2014 (preset foundry: 0.13)"}),
        s.arm_loss_spread_db);
  visit(switched_off("DAC", FieldInfo{"dac_bits", "bit",
                                      "Resolution of the phase DAC over 2 pi; 0: no quantisation", 0, 24}),
        s.dac_bits);
  visit(switched_off("phase noise",
                     FieldInfo{"sigma_phase_rad", "rad",
                               "RMS phase noise per phase shifter; constant during a block of symbols", 0, 1}),
        s.sigma_phase_rad);
  visit(FieldInfo{"dac_voltage", "1",
                  "Whether DAC steps are uniform in heater voltage (true) or in phase (false)"},
        s.dac_voltage);
}

template <Like<CalibrationSettings> S, class Visitor>
void visit_fields(S& s, Visitor&& visit) {
  std::string policy(name_of(s.policy));
  visit(name_field("policy",
                   "Calibration policy: no calibration (none), perfect knowledge of the chip (oracle), "
                   "knowledge with errors (noisy), or noisy followed by in-situ optimisation (in-situ)",
                   names_of<CalibrationPolicy>()),
        policy);
  if constexpr (!std::is_const_v<S>) s.policy = value_of_name<CalibrationPolicy>(policy);
  visit(switched_off(
            "splitter estimate",
            FieldInfo{"sigma_estimate_rad", "rad",
                      "RMS error of the estimated splitter angles (policies noisy and in-situ)", 0, 0.5}),
        s.sigma_estimate_rad);
  visit(FieldInfo{"in_situ_steps", "1",
                  "Quasi-Newton steps per mesh under policy in-situ; each step uses the exact gradient of the "
                  "simulated chip",
                  0, 100000},
        s.in_situ_steps);
  visit(FieldInfo{"diagonal_epochs", "1",
                  "Epochs of retraining a chip's attenuations and biases on its measured mesh matrices, with "
                  "receiver noise scaled by training.noise; 0: no retraining",
                  0, 100000},
        s.diagonal_epochs);
  visit(FieldInfo{"diagonal_rate", "1",
                  "Peak learning rate when attenuations and biases are retrained (diagonal_epochs)", 1e-6, 1},
        s.diagonal_rate);
}

template <Like<CrosstalkSettings> S, class Visitor>
void visit_fields(S& s, Visitor&& visit) {
  visit(switched_off("crosstalk", FieldInfo{"x0", "1",
                                            "Thermal crosstalk at zero distance: temperature rise of a "
                                            "neighbour as a fraction of the heater's own rise",
                                            0, 0.99, "0.05 without trenches, a choice of this project"}),
        s.x0);
  visit(FieldInfo{"known", "1",
                  "Crosstalk strength that the correction assumes, as a fraction of the true strength; 0: no "
                  "correction, 1: exact",
                  0, 2},
        s.known);
  visit(FieldInfo{"d0_m", "m", "Distance over which thermal crosstalk falls by a factor of e", 1e-7, 150e-6,
                  "20 to 150 um, a choice of this project"},
        s.d0_m);
}

template <Like<Environment> S, class Visitor>
void visit_fields(S& s, Visitor&& visit) {
  visit(switched_off(
            "temperature",
            FieldInfo{
                "temperature_k", "K",
                "Change of the die temperature since calibration; in model drift, added to the simulated drift",
                -100, 100}),
        s.temperature_k);
  visit(
      switched_off(
          "wavelength",
          FieldInfo{
              "wavelength_m", "m",
              "Change of the laser wavelength since calibration; in model drift, added to the simulated drift",
              -1e-7, 1e-7}),
      s.wavelength_m);
}

}  // namespace optinc
