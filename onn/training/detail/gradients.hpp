#pragma once

#include <vector>

#include "onn/training/detail/forward.hpp"

// The loss of a batch and its gradients, in shares that add up in the same order on any number of threads.

namespace optinc::training {

// A batch is always cut into this many shares, summed in order: the result does not depend on the threads.
inline constexpr int shares = 4;

/// What one share of a batch adds to the gradients.
struct Gradients {
  std::vector<MatrixF> weight;
  std::vector<VectorF> bias;
  double loss = 0.0;
};

/// Forward and backward pass of one share. Gradients are of the sum over words of the loss per word.
void accumulate(const std::vector<Layer>& layers, const MatrixF& x0, const MatrixF& target, float dead_zone,
                const ReceiverNoise& noise, std::uint32_t share, Gradients& g);

/// Gradients of a batch, share by share on `threads` threads; returns the summed loss of its words.
double accumulate_batch(const std::vector<Layer>& layers, const MatrixF& inputs, const MatrixF& targets,
                        float dead_zone, const ReceiverNoise& noise, int threads,
                        std::vector<Gradients>& shares_of);

/// Room for the gradients of every share.
std::vector<Gradients> room_for_gradients(const std::vector<Layer>& layers);

/// Sum over the shares of the gradient of a layer's W, of a block's part of it, and of the layer's biases.
MatrixF weight_gradient(const std::vector<Gradients>& of, std::size_t l);
MatrixF block_gradient(const std::vector<Layer>& layers, const std::vector<Gradients>& of, std::size_t l,
                       std::size_t b);
VectorF bias_gradient(const std::vector<Gradients>& of, std::size_t l);

}  // namespace optinc::training
