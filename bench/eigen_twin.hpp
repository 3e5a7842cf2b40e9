#pragma once

#include <complex>
#include <vector>

#include "physics/mesh/program.hpp"

namespace optinc::bench {

/// Fields as the naive twin keeps them: (ports, words), complex, the words of a port next to each other.
template <class Real>
using TwinFields = Eigen::Matrix<std::complex<Real>, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// A mesh as somebody writes it first: a 2x2 matrix for every MZI.
template <class Real>
struct EigenTwin {
  std::vector<Eigen::Matrix<std::complex<Real>, 2, 2>> mzis;  ///< topology order
  std::complex<Real> idle_factor = 1;  ///< of a waveguide that passes a column without an MZI
  Eigen::Matrix<std::complex<Real>, Eigen::Dynamic, 1> output;  ///< output screen (ports)
};

/// Sets the twin up, in `Real`: T = DC(pi/4+beta) diag(g_u e^{i theta}, g_l) DC(pi/4+alpha) diag(h_u e^{i phi},
/// h_l) of every MZI as a product of its parts (convention: physics/core/field.hpp).
template <class Real>
EigenTwin<Real> settle_twin(const MeshProgram& program, const MeshErrors& errors);

/// Sends fields (ports, words) through it in place: MZI by MZI, two rows replaced by their two sums. It is what
/// the fast paths are measured against: same compiler, flags and precision, Eigen's own vectorisation over the
/// words, and nothing else. The topology must be the one the twin was settled for.
template <class Real>
void propagate_twin(const MeshTopology& topology, const EigenTwin<Real>& twin, TwinFields<Real>& fields);

/// Largest error of an element of the twin's transfer matrix against reference_transfer_matrix(), over a
/// rectangular and a triangular mesh of 9 ports (an odd number: waveguides that pass a column idle) with
/// unequal losses and errors on everything, in units of eps x columns. A right twin is below 4.
template <class Real>
double twin_error();

}  // namespace optinc::bench
