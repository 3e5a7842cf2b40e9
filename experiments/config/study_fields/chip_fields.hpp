#pragma once

#include "experiments/config/study_config.hpp"
#include "experiments/config/study_names.hpp"

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
  visit(FieldInfo{"preset", "1", "fills the values of this section; keys given beside it go over it", 0, 0,
                  "custom: no preset, every key given", chip_preset_names()},
        s.preset);
  visit(switched_off("splitters",
                     FieldInfo{"sigma_eta_rad", "rad", "rms error of every splitter angle (ideal: pi/4)", 0,
                               0.5, "foundry 0.02: Mikkelsen 2014"}),
        s.sigma_eta_rad);
  visit(FieldInfo{"rho_ab", "1", "correlation of the two splitter errors of one MZI", -1, 1}, s.rho_ab);
  visit(switched_off("calibration",
                     FieldInfo{"sigma_cal_rad", "rad", "rms phase offset that calibration leaves", 0, 1}),
        s.sigma_cal_rad);
  visit(switched_off("mean loss", FieldInfo{"mzi_loss_db", "dB", "mean insertion loss of one MZI", 0, 10,
                                            "foundry: two 0.05 dB couplers and a 0.23 dB heater, Harris 2014"}),
        s.mzi_loss_db);
  visit(switched_off("loss spread",
                     FieldInfo{"arm_loss_spread_db", "dB", "rms spread of the loss of every heater arm", 0, 3,
                               "foundry 0.13: Harris 2014"}),
        s.arm_loss_spread_db);
  visit(switched_off("DAC", FieldInfo{"dac_bits", "bit",
                                      "resolution of the phase DAC over 2 pi, 0 for no quantisation", 0, 24}),
        s.dac_bits);
  visit(switched_off("phase noise", FieldInfo{"sigma_phase_rad", "rad",
                                              "rms phase noise, frozen for a block of symbols", 0, 1}),
        s.sigma_phase_rad);
  visit(FieldInfo{"dac_voltage", "1", "the DAC divides heater voltages, not phases into equal steps"},
        s.dac_voltage);
}

template <Like<CalibrationSettings> S, class Visitor>
void visit_fields(S& s, Visitor&& visit) {
  std::string policy(name_of(s.policy));
  visit(name_field("policy", "what is found out about a chip before it is programmed",
                   names_of<CalibrationPolicy>()),
        policy);
  if constexpr (!std::is_const_v<S>) s.policy = value_of_name<CalibrationPolicy>(policy);
  visit(switched_off(
            "splitter estimate",
            FieldInfo{"sigma_estimate_rad", "rad",
                      "rms error of the estimate of every splitter (policies noisy and in-situ)", 0, 0.5}),
        s.sigma_estimate_rad);
  visit(FieldInfo{"in_situ_steps", "1",
                  "quasi-Newton steps of policy in-situ, for every mesh, each with the exact gradient of the "
                  "true device",
                  0, 100000},
        s.in_situ_steps);
  visit(FieldInfo{"diagonal_epochs", "1",
                  "passes over every word for which each chip's attenuations and biases are trained again on "
                  "its measured meshes; 0: never",
                  0, 100000},
        s.diagonal_epochs);
  visit(FieldInfo{"diagonal_rate", "1", "peak step of that training", 1e-6, 1}, s.diagonal_rate);
}

template <Like<CrosstalkSettings> S, class Visitor>
void visit_fields(S& s, Visitor&& visit) {
  visit(
      switched_off("crosstalk",
                   FieldInfo{"x0", "1", "heat a heater gets at no distance, as a share of its giver's own rise",
                             0, 0.99, "0.05 without trenches, a choice of this project"}),
      s.x0);
  visit(FieldInfo{"known", "1", "share of x0 that the operator's inversion knows: 0 does nothing, 1 undoes it",
                  0, 2},
        s.known);
  visit(FieldInfo{"d0_m", "m", "distance over which it falls by e", 1e-7, 150e-6,
                  "20 to 150 um, a choice of this project"},
        s.d0_m);
  visit(FieldInfo{"mzi_length_m", "m", "length of an MZI on the die", 1e-6, 1e-2, "100 to 300 um"},
        s.plan.mzi_length_m);
  visit(FieldInfo{"mzi_width_m", "m", "its width, two ports", 1e-6, 1e-2, "20 to 60 um"}, s.plan.mzi_width_m);
  visit(FieldInfo{"coupler_length_m", "m", "length of a splitter", 0, 1e-2}, s.plan.coupler_length_m);
  visit(FieldInfo{"heater_length_m", "m", "length of a heater", 1e-7, 1e-2, "Harris 2014: 61.6 um"},
        s.plan.heater_length_m);
}

template <Like<Environment> S, class Visitor>
void visit_fields(S& s, Visitor&& visit) {
  visit(switched_off(
            "temperature",
            FieldInfo{"temperature_k", "K",
                      "temperature of the die less that of its calibration (model drift: besides what drifts)",
                      -100, 100}),
        s.temperature_k);
  visit(switched_off(
            "wavelength",
            FieldInfo{"wavelength_m", "m",
                      "wavelength of the laser less that of the calibration (model drift: besides what drifts)",
                      -1e-7, 1e-7}),
        s.wavelength_m);
}

}  // namespace optinc
