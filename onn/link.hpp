#pragma once

#include "physics/devices/receiver.hpp"

namespace optinc {

/// Optical powers of the chain server -> P -> layers -> T -> server, and its receivers: what the operator sets.
/// Defaults and sources: physics.md sections 7, 10, 15 and 17 (receiver-ReLU scale).
struct LinkSettings {
  double launch_power_w = 1e-3;       ///< at unit P's input: one server, one digit lane, digit 3
  double signal_full_scale_w = 1e-4;  ///< re-modulated power per neuron at its layer's largest activation
  double sigma_lock_rad = 0.1;        ///< rms residual phase-lock error of a server's fibre
  ReceiverSettings receiver;          ///< one at every neuron and at every output digit of every server
};

/// Which noise of the link acts; with all of them off the chain is the noiseless network.
struct NoiseSwitches {
  bool shot = false;
  bool tia = false;
  bool rin = false;
  bool lock = false;
  bool last_only = false;  ///< receivers are noisy at the servers alone, not at the neurons

  static constexpr NoiseSwitches all() { return {true, true, true, true}; }
  bool any_receiver_noise() const { return shot || tia || rin; }
};

/// Throws Error, naming field, value and range, for impossible settings.
void validate_link(const LinkSettings& settings);

}  // namespace optinc
