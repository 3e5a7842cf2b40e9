#include "experiments/models/built_in_models.hpp"

namespace optinc {

std::vector<StudyModel> built_in_models() {
  return {chip_study_model(),    waveform_study_model(),   tolerance_study_model(),
          cascade_study_model(), drift_study_model(),      comb_study_model(),
          mesh_study_model(),    mesh_drift_study_model(), learning_study_model()};
}

std::vector<std::string_view> chip_keys(std::initializer_list<std::string_view> more) {
  std::vector<std::string_view> keys = {
      "measure.words",
      "measure.arithmetic",
      "task",
      "network",
      "!network.above",
      "training",
      "chip",
      "fabrication",
      "!fabrication.heater_power_spread",  // of models that look at power
      "calibration",
      "crosstalk",
      "environment",
      "drift.imbalance_m",  // how phases answer to [environment]
      "drift.heater_per_k",
      "drift.splitter_rad_per_m",
      "parts",
      "laser",
      "modulator",
      "receiver",
      "converter",
      "splitter",
      "coupler",
      "fibre",
      "waveguide",
      "layout",
      "link",
      "neuron",
      "time",
      "noise",
      // of optinc budget and optinc compare-costs
      "!laser.power_w",
      "!time.clocked_receiver",
      "!time.clocked_receiver_j",
      "!laser.wall_plug_efficiency",
      "!laser.booster",
      "!laser.booster_w",
      "!laser.booster_efficiency",
      "!modulator.loss_db",
      "!modulator.driver",
      "!modulator.driver_j",
      "!modulator.drive_capacitance_f",
      "!modulator.v_pi_v",
      "!receiver.supply_power_w",
      "!converter.step_j",
      "!converter.delay_s",
      "!waveguide.delay_line_pitch_m",
      "!layout.modulator_area_m2",
      "!layout.receiver_area_m2",
  };
  keys.insert(keys.end(), more);
  return keys;
}

}  // namespace optinc
