#pragma once

#include <cstdint>
#include <vector>

#include "onn/training/detail/layers.hpp"

// The forward pass of the float32 layers: what gradients are taken of, and what an epoch is evaluated by.

namespace optinc::training {

/// Noise that receivers add to every value of a layer, rms (layers); none: empty.
struct ReceiverNoise {
  std::vector<float> rms;
  std::uint64_t seed = 0;
  std::uint32_t step = 0;
};

/// Values of all layers for inputs x0 = a - shift, (inputs, words): x0 and what leaves every layer,
///
///   x_{l+1} = max(W_l x_l + b_l + noise, 0),   the last layer without the max.
///
/// `share`: of the batch, for its noise.
std::vector<MatrixF> forward(const std::vector<Layer>& layers, MatrixF x0, const ReceiverNoise& noise = {},
                             std::uint32_t share = 0);

}  // namespace optinc::training
