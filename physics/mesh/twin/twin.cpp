#include "physics/mesh/twin/twin.hpp"

#include <algorithm>

#include "physics/core/check.hpp"
#include "physics/core/units.hpp"
#include "physics/mesh/engine/mesh_engine.hpp"

namespace optinc {
namespace {

/// Field ratios of gains in dB.
Vector field_gains(const Vector& gain_db) {
  return gain_db.unaryExpr([](double db) { return field_ratio_of_loss_db(-db); });
}

/// Every loss of an arm.
std::vector<Vector*> arms_of(MeshErrors& e) {
  return {&e.theta_arm_loss_db, &e.phi_arm_loss_db, &e.theta_other_loss_db, &e.phi_other_loss_db};
}

template <class Values>
void require_readings(const TwinData& data, const std::vector<Values>& values, const char* name) {
  validate(values.size() == data.settings.size(), "{} of {} settings, phases of {} (one each). Give {}.", name,
           values.size(), data.settings.size(), data.settings.size());
  for (std::size_t s = 0; s < values.size(); ++s)
    validate(values[s].rows() == data.topology.ports && values[s].cols() == data.inputs.cols(),
             "{} of setting {}: {} x {} (outputs x words: {} x {}). Give this shape.", name, s,
             values[s].rows(), values[s].cols(), data.topology.ports, data.inputs.cols());
}

}  // namespace

MeshTwin nominal_twin(const MeshTopology& topology, double arm_loss_db) {
  const Vector ones = Vector::Ones(topology.mzi_count()), zeros = Vector::Zero(topology.ports);
  MeshTwin twin{no_errors(topology), ones, ones, zeros, zeros};
  for (Vector* arms : arms_of(twin.errors)) arms->setConstant(arm_loss_db);
  twin.errors.idle_arm_loss_db = arm_loss_db;
  return twin;
}

Matrix twin_fields(const MeshTopology& topology, const MeshTwin& twin, const MeshProgram& setting,
                   const Matrix& inputs) {
  MeshEngine<double> engine(topology);
  engine.settle({twin.theta_scale.cwiseProduct(setting.theta), twin.phi_scale.cwiseProduct(setting.phi),
                 setting.output_phase},
                twin.errors);
  FieldBatch fields(Matrix(field_gains(twin.input_gain_db).asDiagonal() * inputs));
  engine.propagate(fields);
  return field_gains(twin.output_gain_db).asDiagonal() * fields.complex();
}

MeshTwin canonical_losses(const MeshTopology& topology, const MeshTwin& twin, double arm_loss_db) {
  MeshTwin made = twin;
  MeshErrors& e = made.errors;
  Vector lost = Vector::Zero(topology.ports);  // of every port so far, beyond arm_loss_db an arm
  int k = 0;
  for (int c = 0; c < topology.columns(); ++c) {
    Vector behind = lost.array() + 2 * (twin.errors.idle_arm_loss_db - arm_loss_db);
    for (const PortPair& at : topology.column(c)) {
      const MziErrors was = twin.errors.mzi(k);
      const double upper = lost[at.upper] + was.phi_arm_loss_db, lower = lost[at.lower] + was.phi_other_loss_db;
      const double external = (upper - lower) / 2,
                   internal = (was.theta_arm_loss_db - was.theta_other_loss_db) / 2;
      e.phi_arm_loss_db[k] = arm_loss_db + external;
      e.phi_other_loss_db[k] = arm_loss_db - external;
      e.theta_arm_loss_db[k] = arm_loss_db + internal;
      e.theta_other_loss_db[k] = arm_loss_db - internal;
      behind[at.upper] = behind[at.lower] =
          (upper + lower + was.theta_arm_loss_db + was.theta_other_loss_db) / 2 - 2 * arm_loss_db;
      ++k;
    }
    lost = behind;
  }
  e.idle_arm_loss_db = arm_loss_db;
  made.output_gain_db -= lost;
  return made;
}

void raise_losses(const MeshTopology& topology, MeshTwin& twin) {
  double least = twin.errors.idle_arm_loss_db;
  for (const Vector* arms : arms_of(twin.errors))
    if (arms->size() > 0) least = std::min(least, arms->minCoeff());
  const double more = std::max(0.0, -least);
  for (Vector* arms : arms_of(twin.errors)) arms->array() += more;
  twin.errors.idle_arm_loss_db += more;
  twin.output_gain_db.array() += 2 * more * topology.columns();
}

void validate_twin_data(const TwinData& data) {
  validate_topology(data.topology);
  validate(!data.settings.empty(), "no settings (a twin is fitted to readings at known phases). Give some.");
  for (const MeshProgram& setting : data.settings) {
    validate_program(data.topology, setting);
    validate(setting.theta.allFinite() && setting.phi.allFinite() && setting.output_phase.allFinite(),
             "a phase of the settings is not finite (phases are known). Leave that setting out.");
  }
  validate(data.inputs.rows() == data.topology.ports && data.inputs.cols() >= 1,
           "inputs of {} x {} for a mesh of {} ports (ports x words). Give a row a port.", data.inputs.rows(),
           data.inputs.cols(), data.topology.ports);
  validate(data.inputs.allFinite(), "an input is not finite (what is sent is known). Leave that word out.");
  validate(data.powers_w.empty() != data.fields.empty(),
           "{} powers and fields (a twin is fitted to one of them). Give powers or fields.",
           data.fields.empty() ? "no" : "both");
  if (data.fields.empty())
    require_readings(data, data.powers_w, "powers");
  else
    require_readings(data, data.fields, "fields");
}

}  // namespace optinc
