#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "physics/random/stream.hpp"

namespace optinc {

/// One 1:2 splitter, and K:1 or 1:K trees of it. By reciprocity a tree used backwards is a coherent combiner
/// with the same field factors as weights.
struct SplitterTree {
  int outputs = 4;                     ///< K, a power of two
  double stage_excess_loss_db = 0.28;  ///< of every 1:2 splitter
  double stage_imbalance_db = 0.1;     ///< standard deviation of the ratio of a splitter's two output powers
  std::string_view device = "zhang-2013-y-branch";  ///< part that the loss comes from, unless it was changed
};

/// 1:2 splitters in the tree, K - 1.
int splitters_of(const SplitterTree& tree);

/// Imbalance of every splitter, ~ N(0, stage_imbalance_db), (K - 1): the root first, then stage by stage, top
/// to bottom. Draws nothing where the spread is 0.
std::vector<double> draw_imbalance_db(const SplitterTree& tree, Stream& stream);

/// Field factor of every output, top to bottom, (K). A splitter with imbalance d dB sends r/(1+r) of the power
/// up and 1/(1+r) down, r = 10^(d/10), less its excess loss: balanced, every output carries
/// (1/sqrt K) 10^(-IL log2(K)/20), and whatever the imbalance the powers add up to the same.
/// Throws Error as validate_splitter_tree does, or where `imbalance_db` does not hold K - 1 numbers.
std::vector<double> splitter_tree_fields(const SplitterTree& tree, std::span<const double> imbalance_db);

/// What every output lacks of 1/K of the power in a balanced tree, dB: the excess loss of its log2(K) stages.
double splitter_tree_excess_db(const SplitterTree& tree);

/// Throws Error, naming the field: outputs no power of two, negative loss or spread.
void validate_splitter_tree(const SplitterTree& tree);

/// Y-branch of Zhang et al., Opt. Express 21, 1310 (2013): 0.28 +- 0.02 dB per splitter. The imbalance of 0.1
/// dB is assumed.
SplitterTree zhang_2013_y_branch_tree(int outputs);

}  // namespace optinc
