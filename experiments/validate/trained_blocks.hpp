#pragma once

#include <vector>

#include "onn/network/network.hpp"
#include "physics/core/field.hpp"
#include "physics/mesh/program.hpp"

namespace optinc {

/// Networks that laws train for themselves, once, from seed 1 whatever the seed of the run.
enum class TrainedTask {
  four_bit,   ///< 2-64-128-64-2, 169 words: about a second
  eight_bit,  ///< 4-64-128-256-128-64-4, 28,561 words: the published one, half a minute on two cores
};

/// A unitary block of a trained network, and its phases on a perfect rectangular mesh.
struct TrainedBlock {
  Matrix target;  ///< real orthogonal
  MeshProgram program;
};

/// The blocks of the network's largest size (64 or 128 ports); none where training did not get every word of
/// the task right. Trains at the first call, on all threads: call it outside of parallel loops.
const std::vector<TrainedBlock>& trained_blocks(TrainedTask task);

/// Ports of those blocks.
int trained_ports(TrainedTask task);

}  // namespace optinc
