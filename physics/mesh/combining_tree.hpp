#pragma once

#include "physics/mesh/program.hpp"
#include "physics/mesh/topology.hpp"

namespace optinc {

/// Binary tree that adds all inputs up coherently at port 0: N - 1 MZIs in ceil(log2 N) columns; column c joins
/// the ports p and p + 2^c, p a multiple of 2^(c+1), that are there. The rest of the light leaves by the other
/// ports. Throws Error outside 1..65536 ports.
///
///     0 ──╭──╮─╭──╮──╭──╮──  sum      column 0: (0,1) (2,3)
///     1 ──╰──╯─│──│──│──│──           column 1: (0,2)
///     2 ──╭──╮─╰──╯──│──│──           column 2: (0,4)
///     3 ──╰──╯───────│──│──
///     4 ─────────────╰──╯──
MeshTopology combining_tree_topology(int ports);

/// Phases with which a perfect tree has row 0 of its transfer matrix equal to the real weights over their norm,
/// w_j / |w|, (ports). An MZI that joins parts of norms a (upper) and b (lower) has sin(theta/2) = a / sqrt(a^2
/// + b^2). Throws Error unless the weights are finite and one is not 0.
MeshProgram program_combining_tree(const Vector& weights);

}  // namespace optinc
