#pragma once

#include "onn/training/detail/epoch_loop.hpp"

namespace optinc::training {

/// The block's part of `w` as S U: U the orthogonal factor of its polar decomposition w = P U, the nearest
/// orthogonal matrix in the Frobenius norm, and S = diag(w U^T), the nearest diagonal behind this U; no s is
/// negative. Fills u, s and the block's part of layer.weight.
void project_block(Layer& layer, const MatrixF& w, std::size_t b);

/// The published scheme (OptINC, arXiv 2603.28290): Adam on every entry of every W, and on the biases; after
/// each `project_every` epochs every block is projected onto S U. First phase: squared error; second: the
/// loss with the dead zone. An epoch is evaluated, and the last one ends, with the projected network.
TrainingResult train_projected(const Network& shape, std::vector<Layer> layers, const EpochLoop& loop);

}  // namespace optinc::training
