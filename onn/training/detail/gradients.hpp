#pragma once

#include <vector>

#include "onn/training/detail/forward.hpp"

// The loss of a batch and its gradients, in shares that add up in the same order on any number of threads.

namespace optinc::training {

// A batch is always cut into this many shares, summed in order: the result does not depend on the threads.
inline constexpr int shares = 4;

/// First word of share k of so many, and that of the next.
inline std::pair<Eigen::Index, Eigen::Index> share_of(Eigen::Index words, int k) {
  return {words * k / shares, words * (k + 1) / shares};
}

/// What one share of a batch adds to the gradients.
struct Gradients {
  std::vector<MatrixF> weight;
  std::vector<VectorF> bias;
  std::vector<float> gain;  ///< by each layer's gain, through its noise alone
  double loss = 0.0;
};

/// Forward and backward pass of one share. Gradients are of the sum over words of the loss per word.
void accumulate(const std::vector<Layer>& layers, const MatrixF& x0, const MatrixF& target, float dead_zone,
                const StepNoise& noise, std::uint32_t share, Gradients& g);

/// Gradients of a batch, share by share on `threads` threads; returns the summed loss of its words.
double accumulate_batch(const std::vector<Layer>& layers, const MatrixF& inputs, const MatrixF& targets,
                        float dead_zone, const StepNoise& noise, int threads,
                        std::vector<Gradients>& shares_of);

/// Room for the gradients of every share.
std::vector<Gradients> room_for_gradients(const std::vector<Layer>& layers);

/// Sum over the shares of the gradient of a layer's W, of a block's part of it, of the layer's biases.
MatrixF weight_gradient(const std::vector<Gradients>& of, std::size_t l);
MatrixF block_gradient(const std::vector<Layer>& layers, const std::vector<Gradients>& of, std::size_t l,
                       std::size_t b);
VectorF bias_gradient(const std::vector<Gradients>& of, std::size_t l);

/// Gradient of a layer's largest sigma that goes through the layer's noise alone.
struct GainGradient {
  std::size_t block = 0;
  Eigen::Index row = 0;
  float value = 0.0f;
};

/// That of every layer, times `factor`.
std::vector<GainGradient> gain_gradients(const std::vector<Layer>& layers, const std::vector<Gradients>& of,
                                         float factor);

/// Gradient of block b's sigma: through S U, of gradient `g`, whose U is `u`, and through the noise of its
/// layer.
VectorF sigma_gradient(const MatrixF& g, const MatrixF& u, const GainGradient& gain, std::size_t b);

}  // namespace optinc::training
