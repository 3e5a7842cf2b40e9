#pragma once

#include "experiments/files/hdf5/hdf5.hpp"
#include "onn/network/network.hpp"

namespace optinc {

/// Writes a network into a group, one subgroup "layer0".. a layer (FORMAT.md, "Network").
void save_network(const Group& group, const Network& network);

/// The network of a group, bit for bit as saved. Throws Error, naming file and dataset, when one is missing or
/// of the wrong shape or type, holds a value that is not finite, or a block U with max |U U^T - I| > 1e-9.
Network load_network(const Group& group);

}  // namespace optinc
