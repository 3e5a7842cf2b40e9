#pragma once

#include <cstdint>
#include <vector>

#include "onn/training/detail/arrival.hpp"
#include "onn/training/detail/layers.hpp"
#include "onn/training/detail/unit_noise.hpp"

// The forward pass of the float32 layers: what gradients are taken of, and what an epoch is evaluated by.

namespace optinc::training {

/// The noise of one step; none where `unit` is null.
struct StepNoise {
  const UnitNoise* unit = nullptr;
  float scale = 1.0f;  ///< of every rms
  std::uint64_t seed = 0;
  std::uint32_t step = 0;

  /// Random numbers of the step's noise: of a share of its batch and a layer, or, `layer` = -1, of its inputs,
  /// of its limiters, or of how its light arrives.
  Stream stream(std::uint32_t share, int layer) const;
};

/// Stands for a layer where a step's limiters are drawn: beyond all layers, below the 1,024 of a share.
inline constexpr int limiters = 1000;
/// The same for how light arrives.
inline constexpr int arrivals = 1001;

/// What a forward pass leaves behind.
struct Values {
  std::vector<MatrixF> x;           ///< x_0 and what leaves every layer, (values, words)
  std::vector<MatrixF> driven;      ///< [layer], what drives modulators that follow a sine; others' are empty
  std::vector<NoiseSlopes> slopes;  ///< (layers); empty without noise
  std::vector<Arrival> arrivals;    ///< (layers); empty where light arrives as it was sent
  std::vector<VectorF> ceilings;  ///< of soft or unequal limiters, [layer](outputs); empty where they are hard
};

/// Values of all layers for inputs x0 = a - shift, (inputs, words):
///
///   x_{l+1} = min(max(W_l x_l + b_l + noise, 0), ceiling_l),   the last layer as it is, read by a converter,
///
/// or limited softly, at a ceiling of each neuron's own, as the noise's unit has it, and then sent along a sine
/// where the layer does; W_l x_l arrives as Arrival has it. `share`: of the batch, for its noise.
Values forward(const std::vector<Layer>& layers, MatrixF x0, const StepNoise& noise = {},
               std::uint32_t share = 0);

}  // namespace optinc::training
