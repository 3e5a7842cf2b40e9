#pragma once

#include "physics/devices/receiver.hpp"

namespace optinc {

/// Optical powers of the chain server -> P -> layers -> T -> server, and its receivers: what the operator sets.
/// Defaults: assumed; 100 uW of signal on 1 mW of local oscillator at every receiver.
struct LinkSettings {
  double launch_power_w = 1e-3;       ///< at unit P's input: one server, one digit lane, digit 3
  double signal_full_scale_w = 1e-4;  ///< re-modulated power per neuron at its layer's largest activation
  double sigma_lock_rad = 0.1;        ///< rms residual phase-lock error of a server's fibre
  double sigma_combiner = 0.0;  ///< rms relative error of each input's weight in unit P's combiners (~ 0.01)
  double modulator_leak =
      0.0;  ///< field of a modulator at its null, of full scale: 10^(-extinction/20), 28 dB: 0.04
  double level_mismatch = 0.0;  ///< 1 - RLM of the servers' PAM4 levels: the inner two drawn together (~ 0.03)
  bool signed_levels = false;   ///< digits as fields -1, -1/3, 1/3, 1 of full scale instead of 0, 1/3, 2/3, 1
  int adc_bits = 0;             ///< of a server's converter over digits -0.5..3.5; 0: ideal comparators
  ReceiverSettings receiver;    ///< one at every neuron and at every output digit of every server
};

/// Which noise of the link acts; with all of them off the chain is the noiseless network.
struct NoiseSwitches {
  bool shot = false;
  bool tia = false;
  bool rin = false;
  bool lock = false;
  bool last_only = false;  ///< receivers are noisy at the servers alone, not at the neurons

  /// Every source of noise.
  static constexpr NoiseSwitches all() { return {true, true, true, true}; }
  /// Whether receivers draw anything.
  bool any_receiver_noise() const { return shot || tia || rin; }
};

/// Which receivers draw the noise that NoiseSwitches leave on: all, or the neurons' alone (servers' are silent,
/// and a caller draws their noise as often as it likes).
enum class NoisyReceivers { all, neurons };

/// Throws Error, naming field, value and range, for impossible settings.
void validate_link(const LinkSettings& settings);

}  // namespace optinc
