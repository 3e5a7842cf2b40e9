#pragma once

#include "physics/core/field.hpp"
#include "physics/random/stream.hpp"

namespace optinc {

/// Haar-distributed unitary (n, n): QR of a complex Ginibre matrix, phases of R's diagonal moved into Q
/// (Mezzadri 2007).
Matrix haar_unitary(int n, Stream& stream);

/// Haar-distributed real orthogonal matrix (n, n), the same way.
Eigen::MatrixXd haar_orthogonal(int n, Stream& stream);

}  // namespace optinc
