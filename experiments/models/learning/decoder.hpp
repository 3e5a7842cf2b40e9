#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <Eigen/Dense>

#include "experiments/models/learning/learning_task.hpp"
#include "experiments/models/learning/matrix.hpp"
#include "experiments/models/learning/text.hpp"

namespace optinc {

/// A causal language model of the LLaMA kind (Touvron et al. 2023). A token's embedding passes through layers
///   x <- x + Wo attention(norm(x)),   x <- x + W2 (silu(W1 norm(x)) * W3 norm(x)),
/// then a last norm and the output matrix give the logits of the next token. norm is root-mean-square
/// normalisation with a gain, x / sqrt(mean x^2 + 1e-5); attention is causal over `heads` heads of width /
/// heads, queries and keys turned by rotary position angles p 10000^(-2 i / head width) (Su et al. 2021);
/// silu(x) is x / (1 + e^-x). No layer has a bias, and input and output embeddings are two matrices.
struct DecoderShape {
  int vocabulary = 96;
  int layers = 2;
  int width = 64;  ///< a multiple of 2 heads
  int heads = 4;
  int hidden = 160;  ///< of the feed-forward layers
  int context = 64;  ///< tokens of a training example

  /// 2 vocabulary width + layers (4 width^2 + 3 width hidden + 2 width) + width.
  Eigen::Index parameters() const;
};

/// Throws Error unless widths are positive and the width is a multiple of 2 heads, the context 1..4096 tokens,
/// the vocabulary 2..65,536.
void validate_decoder(const DecoderShape& shape);

/// Start values: matrices normal with deviation 0.02, or for those that write into x (Wo, W2)
/// 0.02 / sqrt(2 layers) (Radford et al. 2019); the output matrix zero, so that the first loss is ln V; gains
/// one. Throws Error as validate_decoder.
Eigen::VectorXf decoder_start(const DecoderShape& shape, Stream& stream);

/// Sums over the tokens that were predicted.
struct DecoderSums {
  double loss = 0.0;       ///< -ln p (nats)
  std::int64_t right = 0;  ///< tokens whose logit was the largest
};

/// Loss of predicting targets[i], the token after tokens[i], sequences of `length` one after the other. Where
/// `gradient` is not null, adds to it the derivative of scale times the sum, shape (parameters). Real is float,
/// or double to check one against the other. Throws Error for a token or target beyond the vocabulary, tokens
/// that are not whole sequences, and parameters of another length.
template <class Real>
DecoderSums decoder_loss(const DecoderShape& shape, const VectorOf<Real>& parameters,
                         std::span<const std::uint16_t> tokens, std::span<const std::uint16_t> targets,
                         Eigen::Index length, Real scale, VectorOf<Real>* gradient);

/// The model on a text: example i is the `context` tokens from i context on and the ones after each; evaluated
/// on at most `test_tokens` from the beginning of the test text. The vocabulary of `shape` is the text's.
/// Throws Error unless shape and text fit and each part of the text holds one example.
LearningTask decoder_task(DecoderShape shape, std::shared_ptr<const TextData> data,
                          std::size_t test_tokens = 100'000);

}  // namespace optinc
