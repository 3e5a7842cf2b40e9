#pragma once

#include <cstdint>

#include "onn/network.hpp"

namespace optinc {

/// The network with errors in place of devices: every U becomes U + E, E normal and real with relative
/// Frobenius norm `relative_error` on average (E_ij of rms relative_error / sqrt(n)). The same numbers, scaled,
/// at every `relative_error`. Weights are no longer orthogonal; forward() takes them.
Network with_matrix_errors(Network network, double relative_error, std::uint64_t seed, std::uint32_t chip);

}  // namespace optinc
