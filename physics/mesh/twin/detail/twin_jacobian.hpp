#pragma once

#include "physics/mesh/twin/twin_parameters.hpp"

namespace optinc {

/// Derivatives of all readings of one setting with respect to all parameters of a twin.
///
/// Every parameter of an MZI acts in one place. With the fields x in front of it, of every word, and the
/// adjoint rows lambda behind it, of every output, d(output) = lambda (dT/dp) x: one sweep forward for all
/// words and one back for all outputs give all derivatives. Powers: dP = 2 Re(conj(E) dE), (ports x words)
/// rows, word after word; fields: the real parts in the same order, then the imaginary ones.
///
/// `rows`: (readings, parameters), is written. Returns the fields at the outputs, (ports, words).
Matrix twin_jacobian(const MeshTopology& topology, const TwinParameters& parameters, const MeshTwin& twin,
                     const MeshProgram& setting, const Matrix& inputs, bool fields,
                     Eigen::Ref<Eigen::MatrixXd> rows);

}  // namespace optinc
