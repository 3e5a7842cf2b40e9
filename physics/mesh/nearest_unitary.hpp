#pragma once

#include <string_view>

#include "physics/core/field.hpp"

namespace optinc {

/// Largest unitary_defect() of a matrix that meshes are programmed for.
inline constexpr double unitary_tolerance = 1e-6;

/// How far a square matrix is from unitary: the largest element of |U^H U - 1|.
double unitary_defect(const Matrix& matrix);

/// A unitary matrix, and how far it is from the one that was given.
struct NearestUnitary {
  Matrix unitary;
  double distance = 0.0;  ///< largest element of the difference
};

/// The nearest unitary matrix in Frobenius norm, the polar factor U V^H of the singular value decomposition
/// U S V^H (K. Fan, A. J. Hoffman, Proc. AMS 6, 111 (1955)). Throws Error unless the matrix is square, finite
/// and of full rank, its least singular value above 1e-6 of the largest: there is more than one otherwise.
NearestUnitary nearest_unitary(const Matrix& matrix);

/// Throws Error unless a matrix is square, finite and unitary to unitary_tolerance. The message says how far
/// the nearest unitary one is, and ends with `remedy`.
void validate_unitary(const Matrix& matrix,
                      std::string_view remedy = "Use its polar factor: u v of its SVD u s v.");

}  // namespace optinc
