#include "physics/variation/arm_phases.hpp"

#include <cmath>

#include "physics/core/check.hpp"
#include "physics/core/units.hpp"

namespace optinc {
namespace {

/// The same angle in [-pi, pi].
double nearest_zero(double phase_rad) { return std::remainder(phase_rad, 2 * constants::pi); }

}  // namespace

void set_offsets(const MeshTopology& topology, const ArmPhases& arms, MeshErrors& errors) {
  const Eigen::Index ports = topology.ports, count = topology.columns() * ports;
  validate(
      arms.phi.size() == count && arms.theta.size() == count && arms.output.size() == ports,
      "arm phases of {}, {} and {} waveguides (the mesh has {} in each stage and {} outputs). Give as many.",
      arms.phi.size(), arms.theta.size(), arms.output.size(), count, ports);
  errors.phi_offset.resize(topology.mzi_count());
  errors.theta_offset.resize(topology.mzi_count());
  Vector port = Vector::Zero(ports), before;
  Eigen::Index k = 0;
  for (int c = 0; c < topology.columns(); ++c) {
    const auto phi = arms.phi.segment(c * ports, ports), theta = arms.theta.segment(c * ports, ports);
    before = port + phi;
    port = before + theta;
    for (const auto& [upper, lower] : topology.column(c)) {
      errors.phi_offset[k] = nearest_zero(before[upper] - before[lower]);
      errors.theta_offset[k] = nearest_zero(theta[upper] - theta[lower]);
      port[upper] = port[lower];
      ++k;
    }
  }
  errors.output_offset = (port + arms.output).unaryExpr([](double p) { return nearest_zero(p); });
}

}  // namespace optinc
