#pragma once

#include "physics/core/field.hpp"
#include "physics/devices/mzi.hpp"
#include "physics/mesh/topology.hpp"

namespace optinc {

/// What the operator sets on a mesh: phases of every MZI in topology order and a phase screen behind the last
/// column. U = diag(e^{i output_phase}) T_last .. T_0. All in rad.
template <class Real>
struct MeshProgramOf {
  VectorOf<Real> theta;         ///< (MZIs)
  VectorOf<Real> phi;           ///< (MZIs)
  VectorOf<Real> output_phase;  ///< (ports)

  /// What is set on MZI k.
  MziSettings mzi(int k) const { return {theta[k], phi[k]}; }

  /// The same phases, rounded once to another precision.
  template <class Other>
  MeshProgramOf<Other> cast() const {
    return {rounded_to<Other>(theta), rounded_to<Other>(phi), rounded_to<Other>(output_phase)};
  }
};
using MeshProgram = MeshProgramOf<double>;

/// What fabrication and calibration made of one mesh; MZI k as in the topology. Perfect: all zeros.
template <class Real>
struct MeshErrorsOf {
  VectorOf<Real> alpha, beta;                             ///< splitter angle errors, rad (MZIs)
  VectorOf<Real> theta_offset, phi_offset;                ///< phase offsets, rad (MZIs)
  VectorOf<Real> theta_arm_loss_db, phi_arm_loss_db;      ///< loss of the heater arms, dB (MZIs)
  VectorOf<Real> theta_other_loss_db, phi_other_loss_db;  ///< loss of the arms without heater, dB (MZIs)
  VectorOf<Real> output_offset;                           ///< phase offsets of the output screen, rad (ports)
  Real idle_arm_loss_db = 0;  ///< loss of a dummy arm, dB. A waveguide that passes a column without an MZI
                              ///< has one dummy for the theta stage and one for the phi stage, so that equal
                              ///< arms give a uniform column loss.

  /// What became of MZI k.
  MziErrors mzi(int k) const {
    return {alpha[k],
            beta[k],
            theta_offset[k],
            phi_offset[k],
            theta_arm_loss_db[k],
            theta_other_loss_db[k],
            phi_arm_loss_db[k],
            phi_other_loss_db[k]};
  }

  /// The same errors, rounded once to another precision.
  template <class Other>
  MeshErrorsOf<Other> cast() const {
    return {rounded_to<Other>(alpha),
            rounded_to<Other>(beta),
            rounded_to<Other>(theta_offset),
            rounded_to<Other>(phi_offset),
            rounded_to<Other>(theta_arm_loss_db),
            rounded_to<Other>(phi_arm_loss_db),
            rounded_to<Other>(theta_other_loss_db),
            rounded_to<Other>(phi_other_loss_db),
            rounded_to<Other>(output_offset),
            static_cast<Other>(idle_arm_loss_db)};
  }
};
using MeshErrors = MeshErrorsOf<double>;

/// Throws Error where one of them has not as many values as this mesh has MZIs or ports, naming it.
template <class Real>
void validate_program(const MeshTopology& topology, const MeshProgramOf<Real>& program);
template <class Real>
void validate_errors(const MeshTopology& topology, const MeshErrorsOf<Real>& errors);

/// The perfect mesh of a topology.
MeshErrors no_errors(const MeshTopology& topology);

/// Field factor of a column for light on an idle port: two dummy arms of idle_arm_loss_db.
double column_field_factor(const MeshErrors& errors);

}  // namespace optinc
