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
  Eigen::VectorXcd turn;   ///< of light against all oscillators of a layer, by word or sample: factors
};

/// Fields at a receiver, sqrt(W), one a word, or a sample of unclocked words; of modulators that are so much
/// late, s.
using LightParts = std::map<double, Eigen::VectorXcd>;

/// Its currents, A, of all parts of its light. `seed_noise` is dI/I
/// of the seed laser, the same at all receivers of a layer. Of `channel`, only the instant and the taps that
/// were chosen count; none where words are not clocked.
Eigen::VectorXd reference_currents_a(const LightParts& light, const ReferenceReceiver& at,
                                     const UnitHardware& hardware, const NoiseSwitches& noise,
                                     const Eigen::VectorXd& seed_noise,
                                     const std::optional<ClockedChannel>& channel, Stream& stream);

}  // namespace optinc
