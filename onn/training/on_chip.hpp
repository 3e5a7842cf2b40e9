#pragma once

#include "onn/training/run.hpp"
#include "onn/training/settings.hpp"

namespace optinc {

/// Hardware-aware training through simulated meshes: goes on from a feed-forward network. Every step draws a
/// new chip, programs each mesh for it (local correction with its known splitters), lets it settle with all its
/// errors, reads the real part of its transfer matrix U~ as homodyne receivers do and sends the batch through S
/// U~ with the receivers' noise. The loss's gradient with respect to U~ goes back through the very mesh, MZI by
/// MZI (MeshEngine::backward), to its phases.
///
/// What is trained are the internal phases theta of the perfect mesh, S and the biases, by Adam. External
/// phases and the output screen follow theta so that the perfect mesh stays real orthogonal: an MZI puts e^{i
/// theta/2} on both outputs, which the next phi and at last the screen take away. The gradient takes this into
/// account; it takes the correction's own derivative for 1. Attenuators are those of the design. The scheme of
/// the settings is not looked at.
///
/// Throws Error for settings out of range, a network that is not
/// Network::is_feed_forward(), a kept state of another one, and when the loss is no longer finite.
TrainingResult train_on_chips(const Network& start, const TrainingSettings& settings, const TrainingUnit& unit,
                              const TrainingRun& run = {});

}  // namespace optinc
