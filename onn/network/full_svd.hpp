#pragma once

#include <span>
#include <vector>

#include "onn/network/network.hpp"

namespace optinc {

/// The left factors V, (n, n), of a layer's square blocks.
using LeftFactors = std::vector<Eigen::MatrixXd>;

/// A feed-forward network whose layers `full` (numbers from 1) are built by full SVD, W_b = V_b S_b U_b for
/// every square block b, instead of being approximated by S_b U_b. Such a layer becomes two: S U, whose light
/// meets no receiver, and behind it meshes V without attenuators, with the layer's receivers, biases and
/// ceiling. `left`: the V of each of these layers; without it V = 1, which leaves the network's function as it
/// is. Of an outline (network_outline()) it makes an outline. Throws Error for numbers that are no layer's, and
/// for a network that is not Network::is_feed_forward().
Network with_full_svd(const Network& network, std::span<const int> full,
                      std::span<const LeftFactors> left = {});

}  // namespace optinc
