#pragma once

#include <map>
#include <optional>

#include <Eigen/Dense>

#include "onn/hardware/unit_hardware.hpp"
#include "onn/link/noise.hpp"
#include "physics/core/field.hpp"
#include "physics/random/stream.hpp"

// The slow twin of detail/receivers.hpp: one receiver after the other, in time by superposed steps.

namespace optinc {

/// A receiver, of a neuron or a server.
struct ReferenceReceiver {
  double phase_rad = 0.0;  ///< of its local oscillator
  int stronger_diode = 1;  ///< 1 or -1: sign of what the pair does not reject
  double offset_a = 0.0;   ///< at the input of its front end
};

/// What all receivers of a layer have in common.
struct ReceiverSurroundings {
  const UnitHardware& hardware;
  double overload_a;  ///< largest current that they pass on, of either sign; 0: any
  NoiseSwitches noise;
  Eigen::VectorXcd turn;       ///< factors of light against all oscillators, by word or sample
  Eigen::VectorXd seed_noise;  ///< dI/I of the seed laser, by word or sample
  /// The instant and the taps that were chosen, of which alone the reference makes use; none where words are
  /// not clocked.
  std::optional<ClockedChannel> channel;
};

/// Fields at a receiver, sqrt(W), one a word, or a sample of unclocked words; of modulators that are so much
/// late, s.
using LightParts = std::map<double, Eigen::VectorXcd>;

/// Its currents, A, of all parts of its light.
Eigen::VectorXd reference_currents_a(const LightParts& light, const ReferenceReceiver& receiver,
                                     const ReceiverSurroundings& around, Stream& stream);

}  // namespace optinc
