#pragma once

#include "physics/mesh/engine/detail/backward_kernel.hpp"

namespace optinc {

/// Where the derivatives go: MeshGradientOf as plain arrays.
template <class Real>
struct GradientArrays {
  Real *theta, *phi, *alpha, *beta;                                                     ///< (MZIs)
  Real *theta_arm_loss_db, *phi_arm_loss_db, *theta_other_loss_db, *phi_other_loss_db;  ///< (MZIs)
  Real* output_phase;                                                                   ///< (ports)
  Real* idle_arm_loss_db;
};

/// Derivatives of the loss from the Gram sums of all words, by the chain rule at each MZI: Re trace((dT/dp) G)
/// for a parameter p. SIMD lanes are MZIs.
void gradient_of_sums(const MeshLayout& layout, const MeshParameters<float>& parameters,
                      const InverseMesh<float>& mesh, const GramSums<float>& sums,
                      const GradientArrays<float>& gradient);
void gradient_of_sums(const MeshLayout& layout, const MeshParameters<double>& parameters,
                      const InverseMesh<double>& mesh, const GramSums<double>& sums,
                      const GradientArrays<double>& gradient);

}  // namespace optinc
