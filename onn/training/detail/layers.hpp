#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "onn/network/network.hpp"
#include "onn/training/detail/adam.hpp"
#include "physics/devices/modulator.hpp"
#include "physics/random/stream.hpp"

// The layers of a network in training: blocks S U in float32 with their optimiser's state, from a network and
// back to one.

namespace optinc::training {

inline constexpr float quarter_turn = 1.57079633f;  // a modulator's sine at full scale, rad
inline constexpr float input_shift = 1.5f;          // centre of the digits 0..3; layers read a - shift

/// One square block S U with its optimiser state.
struct Block {
  MatrixF u;
  VectorF s;
  Moments u_moments, s_moments;
  MatrixF perturbed_u = {};  ///< U with the error of the step under way, in place of u; empty without one
};

/// A layer as trainers see it: blocks Sigma U side by side or one above the other, or any weights.
struct Layer {
  int outputs, inputs;
  bool tall;
  std::vector<Block> blocks;
  VectorF bias;
  Moments bias_moments;
  MatrixF weight;  ///< S U of all blocks, rebuilt after every step, or itself trained
  float ceiling = std::numeric_limits<float>::infinity();  ///< of what leaves it
  bool sine = false;                   ///< what leaves it as x is sent as C sin(pi/2 x/C), C the ceiling
  bool full_svd = false;               ///< W is not held to S U, its blocks lie idle
  Moments weight_moments = Moments();  ///< where W itself is trained

  /// Where the layer's gain stands, the diagonal element of largest magnitude, which attenuators pass as it
  /// is: (block, row), the first of equals.
  std::pair<std::size_t, Eigen::Index> largest_sigma() const;
  /// Its magnitude.
  float gain() const;
  /// Rows of one block.
  int size() const { return std::min(outputs, inputs); }
  /// The part of a matrix (outputs, inputs) that is block b's.
  template <class M>
  auto part(M& w, std::size_t b) const {
    const int n = size(), at = static_cast<int>(b) * n;
    return tall ? w.block(at, 0, n, n) : w.block(0, at, n, n);
  }
};

/// Haar-random matrices, and sigmas for which weights have variance `variance` / inputs; that of 2 stays the
/// same through ReLU.
std::vector<Layer> initial_layers(const Network& shape, std::uint64_t seed, double variance = 2.0);

/// Has modulators behind hidden layers follow their sine where these do.
void follow(std::vector<Layer>& layers, const MzmSettings& modulator);

/// Frees layers (numbers from 1) of S U: their W itself is trained.
void set_free(std::vector<Layer>& layers, std::span<const int> full_svd);

/// The layers of a network that is there: its first bias without the shift of the inputs.
std::vector<Layer> layers_of(const Network& network);

/// W of block b from its S and U.
void rebuild_weight(Layer& layer, std::size_t b);

/// An error of an (n, n) orthogonal matrix of relative Frobenius norm `noise`: independent normals of rms
/// noise/sqrt(n).
MatrixF relative_noise(Eigen::Index n, double noise, Stream stream);

/// (layer, block) of every block that is trained, largest first: threads that share them out end at about the
/// same time.
std::vector<std::pair<std::size_t, std::size_t>> blocks_largest_first(const std::vector<Layer>& layers);

/// The float64 network, its input a instead of a - shift: b_0 <- b_0 - W_0 shift. Layers of full SVD become two
/// (with_full_svd()).
Network finished(const Network& shape, const std::vector<Layer>& layers);

}  // namespace optinc::training
