#pragma once

#include <cstddef>

#include "physics/mesh/engine/scaled_mesh.hpp"

namespace optinc {

/// Sends fields through a scaled mesh in place. Plane re (and im) holds port p's words at re + p stride; blocks
/// of two SIMD registers of words stay in L1/L2 while all columns pass. The best SIMD target of the machine is
/// chosen at run time; per word the arithmetic is the same on every target with FMA.
void propagate_scaled(const ScaledMesh<float>& mesh, float* re, float* im, std::size_t stride,
                      std::size_t words);
void propagate_scaled(const ScaledMesh<double>& mesh, double* re, double* im, std::size_t stride,
                      std::size_t words);

}  // namespace optinc
