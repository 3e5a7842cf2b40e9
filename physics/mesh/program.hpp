#pragma once

#include "physics/core/field.hpp"
#include "physics/devices/mzi.hpp"
#include "physics/mesh/topology.hpp"

namespace optinc {

/// What the operator sets on a mesh: phases of every MZI in topology order and a phase screen behind the last
/// column. U = diag(e^{i output_phase}) T_last .. T_0. All in rad.
struct MeshProgram {
  Vector theta;         ///< (MZIs)
  Vector phi;           ///< (MZIs)
  Vector output_phase;  ///< (ports)

  MziSettings mzi(int k) const { return {theta[k], phi[k]}; }
};

/// What fabrication and calibration made of one mesh; MZI k as in the topology. Perfect: all zeros.
struct MeshErrors {
  Vector alpha, beta;                         ///< splitter angle errors, rad (MZIs)
  Vector theta_offset, phi_offset;            ///< phase offsets, rad (MZIs)
  Vector theta_arm_loss_db, phi_arm_loss_db;  ///< loss of the heater arms, dB (MZIs)
  Vector output_offset;                       ///< phase offsets of the output screen, rad (ports)
  double other_arm_loss_db = 0.0;  ///< loss of every arm without heater; one theta and one phi stage per
                                   ///< column. Waveguides that pass a column without an MZI are dummies with
                                   ///< the same loss, so that equal arms give a uniform column loss.

  MziErrors mzi(int k) const {
    return {alpha[k],
            beta[k],
            theta_offset[k],
            phi_offset[k],
            theta_arm_loss_db[k],
            other_arm_loss_db,
            phi_arm_loss_db[k],
            other_arm_loss_db};
  }
};

/// The perfect mesh of a topology.
MeshErrors no_errors(const MeshTopology& topology);

/// Field factor that light meets in every column when all arms are alike: two arm stages of other_arm_loss_db.
double column_field_factor(const MeshErrors& errors);

}  // namespace optinc
