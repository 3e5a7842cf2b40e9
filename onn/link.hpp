#pragma once

namespace optinc {

/// Optical powers and receiver of the chain server -> P -> layers -> T -> server: what the operator sets.
/// Defaults and sources: physics.md sections 10, 15 and 17 (receiver-ReLU scale).
struct LinkSettings {
  double launch_power_w = 1e-3;          ///< at unit P's input, one server, one digit lane, digit 3
  double signal_full_scale_w = 1e-4;     ///< re-modulated power per neuron at the layer's largest activation
  double lo_power_w = 1e-3;              ///< homodyne local oscillator per neuron
  double responsivity_a_per_w = 0.9;     ///< photodiode
  double dark_current_a = 30e-9;         ///< photodiode
  double tia_noise_a_per_rthz = 16.9e-12;///< input-referred, contains its resistor (Patel 2022)
  double bandwidth_hz = 32e9;            ///< receiver noise bandwidth (Patel 2022)
  double rin_db_per_hz = -150.0;         ///< relative intensity noise of the shared seed
  double cmrr_db = 30.0;                 ///< common-mode rejection of the balanced pair
  double sigma_lock_rad = 0.1;           ///< residual phase-lock error of every server's fibre
};

/// Which noise of the link acts; with all of them off the chain is the noiseless network.
struct NoiseSwitches {
  bool shot = false;
  bool tia = false;
  bool rin = false;
  bool lock = false;

  static constexpr NoiseSwitches all() { return {true, true, true, true}; }
};

}  // namespace optinc
