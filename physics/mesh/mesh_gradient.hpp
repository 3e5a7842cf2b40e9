#pragma once

#include "physics/mesh/program.hpp"

namespace optinc {

/// Derivatives of a real loss L of a mesh's output fields with respect to all that makes the mesh. The gradient
/// of a field a is dL/dRe(a) + i dL/dIm(a), so that dL = Re sum conj(gradient) da.
template <class Real>
struct MeshGradientOf {
  VectorOf<Real> theta, phi;   ///< of settings, and equally of their offsets, 1/rad (MZIs)
  VectorOf<Real> alpha, beta;  ///< of splitter angles, 1/rad (MZIs)
  VectorOf<Real> theta_arm_loss_db, phi_arm_loss_db;      ///< of heater arms, 1/dB (MZIs)
  VectorOf<Real> theta_other_loss_db, phi_other_loss_db;  ///< of arms without heater, 1/dB (MZIs)
  VectorOf<Real> output_phase;                            ///< 1/rad (ports)
  Real idle_arm_loss_db = 0;                              ///< of all dummy arms together, 1/dB

  /// The same derivatives in another precision.
  template <class Other>
  MeshGradientOf<Other> cast() const {
    return {rounded_to<Other>(theta),
            rounded_to<Other>(phi),
            rounded_to<Other>(alpha),
            rounded_to<Other>(beta),
            rounded_to<Other>(theta_arm_loss_db),
            rounded_to<Other>(phi_arm_loss_db),
            rounded_to<Other>(theta_other_loss_db),
            rounded_to<Other>(phi_other_loss_db),
            rounded_to<Other>(output_phase),
            static_cast<Other>(idle_arm_loss_db)};
  }
};
using MeshGradient = MeshGradientOf<double>;

/// All zeros.
MeshGradient no_gradient(const MeshTopology& topology);

/// Adds what MZI k contributes: Re trace((dT/dp) G) for each of its parameters p, with G = sum over words of
/// x lambda^H (2, 2) from the fields x in front of it and the adjoint fields lambda behind it.
void add_mzi_gradient(const MziDerivatives& derivatives, const Matrix2& gram, int k, MeshGradient& gradient);

/// The same with the gradient of the input fields.
struct ReferenceGradient : MeshGradient {
  Matrix fields;  ///< (ports, words)
};

/// Reverse mode, slow and obvious: stores the fields in front of every column on the way forward, then walks
/// back with the adjoint field lambda, which an MZI takes to T^H lambda; a parameter p of MZI k gets Re sum
/// over words of lambda^H (dT_k/dp) x = Re trace((dT_k/dp) G), G = sum x lambda^H (2, 2). Every faster path is
/// tested against it. `fields` at the inputs and `gradient` of L at the outputs: (ports, words). Throws Error
/// where shapes differ.
ReferenceGradient reference_mesh_gradient(const MeshTopology& topology, const MeshProgram& program,
                                          const MeshErrors& errors, const Matrix& fields,
                                          const Matrix& gradient);

}  // namespace optinc
