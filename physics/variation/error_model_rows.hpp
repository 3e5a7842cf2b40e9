#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "physics/core/rows.hpp"
#include "physics/variation/error_model.hpp"

namespace optinc {

/// Presets of [chip], and "custom" for values that no preset has.
inline std::span<const std::string_view> chip_preset_names() {
  static const std::vector<std::string_view> names = names_or_custom(error_preset_names());
  return names;
}

template <Like<ErrorModel> S, class Visitor>
void visit_rows(S& s, Visitor&& visit) {
  Row preset{"preset",
             "1",
             "Chip preset: named set of values for this section; keys set explicitly override it",
             0,
             0,
             "custom: no preset, every key is set explicitly",
             chip_preset_names()};
  preset.former = former_error_presets();
  visit(preset, s.preset);
  visit(switched_off("splitters",
                     Row{"sigma_eta_rad", "rad", "RMS error of every splitter angle (ideal angle: pi/4)", 0,
                         100, "Mikkelsen 2014 (presets metal-heaters, doped-heaters: 0.02)"}),
        s.sigma_eta_rad);
  visit(Row{"rho_ab", "1", "Correlation between the two splitter errors of an MZI", -1, 1}, s.rho_ab);
  visit(switched_off("calibration",
                     Row{"sigma_cal_rad", "rad", "RMS phase error that remains after calibration", 0, 100}),
        s.sigma_cal_rad);
  visit(
      switched_off(
          "mean loss",
          Row{"mzi_loss_db", "dB", "Mean insertion loss of an MZI", 0, 1000,
              "preset doped-heaters: 0.56, two couplers of 0.05 dB and two heaters of 0.23 dB (Harris 2014)"}),
      s.mzi_loss_db);
  visit(switched_off(
            "loss spread",
            Row{"arm_loss_spread_db", "dB", "RMS spread of insertion loss between the arms of MZIs", 0, 1000,
                "preset doped-heaters: 0.13, which Harris 2014 gives over a wafer, couplers included"}),
        s.arm_loss_spread_db);
  visit(switched_off(
            "DAC", Row{"dac_bits", "bit", "Resolution of the phase DAC over 2 pi; 0: no quantisation", 0, 24}),
        s.dac_bits);
  visit(switched_off("phase noise",
                     Row{"sigma_phase_rad", "rad",
                         "RMS phase noise per phase shifter; constant during a block of symbols", 0, 100}),
        s.sigma_phase_rad);
  visit(Row{"dac_voltage", "1", "Whether DAC steps are uniform in heater voltage (true) or in phase (false)"},
        s.dac_voltage);
}

}  // namespace optinc
