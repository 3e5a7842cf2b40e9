#pragma once

#include <cstdint>

#include "onn/network/network.hpp"

namespace optinc {

/// The network with errors in place of devices: every U becomes U + E, E normal and real with relative
/// Frobenius norm `relative_error` on average (E_ij of rms relative_error / sqrt(n)). The same numbers, scaled,
/// at every `relative_error`. The errors act on what light carries, averages less `left_out` (dark_digit() of
/// the link: 1.5 with signed levels); receivers add the rest as it should be. Weights are no longer orthogonal;
/// forward() takes them.
Network with_matrix_errors(Network network, double relative_error, double left_out, std::uint64_t seed,
                           std::uint32_t chip);

}  // namespace optinc
