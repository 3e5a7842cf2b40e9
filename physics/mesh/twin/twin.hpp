#pragma once

#include <vector>

#include "physics/core/enum_names.hpp"
#include "physics/mesh/program.hpp"

namespace optinc {

/// The digital twin of a mesh on a bench: all that a model needs to predict what its detectors read.
struct MeshTwin {
  MeshErrors errors;
  Vector theta_scale, phi_scale;         ///< phase of a heater over the phase that was asked for, 1 (MZIs)
  Vector input_gain_db, output_gain_db;  ///< power that port couplers and detectors pass, may be > 0 (ports)
};

/// The kinds of parameters that a twin has. Losses have two forms: one number an MZI, or what the data can tell
/// of unequal arms, by how much the arm with the heater loses more than the other (see canonical_losses()).
enum class TwinKind {
  alpha,
  beta,
  theta_offset,
  phi_offset,
  theta_scale,
  phi_scale,
  mzi_loss,         ///< dB, half of it in each of the four arms
  theta_imbalance,  ///< dB
  phi_imbalance,    ///< dB
  output_offset,
  input_gain,
  output_gain
};

/// As reports and files name them.
template <>
inline constexpr EnumNames enum_names<TwinKind> = {
    "parameter of a twin",
    {"alpha", "beta", "theta_offset", "phi_offset", "theta_scale", "phi_scale", "mzi_loss", "theta_imbalance",
     "phi_imbalance", "output_offset", "input_gain", "output_gain"}};

/// What was measured of a mesh: at every setting, the same words are sent, and every output is read for each.
struct TwinData {
  MeshTopology topology;
  std::vector<MeshProgram> settings;      ///< phases that were asked for
  Matrix inputs;                          ///< fields that were sent, sqrt(W), (ports, words)
  std::vector<Eigen::MatrixXd> powers_w;  ///< of every setting, (ports, words); NaN: not read
  std::vector<Matrix> fields;             ///< sqrt(W), in place of powers, read against the phase of the inputs
};

/// The twin of a mesh without errors, whose arms all lose `arm_loss_db`.
MeshTwin nominal_twin(const MeshTopology& topology, double arm_loss_db = 0.0);

/// Fields that the twin predicts at the detectors, sqrt(W), (ports, words).
Matrix twin_fields(const MeshTopology& topology, const MeshTwin& twin, const MeshProgram& setting,
                   const Matrix& inputs);

/// The same mesh with losses in the form that measurements through its ports can tell: all arms lose
/// `arm_loss_db` in the mean of a pair, and as a loss common to both arms of a pair commutes with what lies
/// behind it up to the difference of the two ports at the next MZI, it is carried along the light to there and
/// at last into the gain of the outputs. twin_fields() stays what it was.
MeshTwin canonical_losses(const MeshTopology& topology, const MeshTwin& twin, double arm_loss_db = 0.0);

/// Adds the least loss to all arms alike, and the same to the gain of the outputs, so that no arm amplifies.
void raise_losses(const MeshTopology& topology, MeshTwin& twin);

/// Throws Error, naming it, where sizes do not agree, a number is not finite (a power may be NaN), there is no
/// setting, or not exactly one of powers and fields.
void validate_twin_data(const TwinData& data);

}  // namespace optinc
