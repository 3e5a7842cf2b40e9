#include "physics/mesh/combining_tree.hpp"

#include <cmath>

#include "physics/core/check.hpp"
#include "physics/core/units.hpp"
#include "physics/devices/phase_shifter.hpp"

namespace optinc {

MeshTopology combining_tree_topology(int ports) {
  validate(ports >= 1 && ports <= 65536, "a tree of {} ports (1..65536). Give one that is there.", ports);
  MeshTopology tree;
  tree.ports = ports;
  for (int reach = 1; reach < ports; reach *= 2) {
    for (int p = 0; p + reach < ports; p += 2 * reach) tree.mzis.push_back({p, p + reach});
    tree.column_begin.push_back(tree.mzi_count());
  }
  return tree;
}

MeshProgram program_combining_tree(const Vector& weights) {
  validate(weights.size() > 0 && weights.allFinite() && weights.norm() > 0,
           "{} weights to add up (finite, one of them not 0). Give some.", weights.size());
  const MeshTopology tree = combining_tree_topology(static_cast<int>(weights.size()));
  const Eigen::Index mzis = tree.mzi_count();
  MeshProgram program{Vector(mzis), Vector(mzis), Vector::Zero(weights.size())};
  // what a port carries: its part of the weighted sum over its norm, turned by a phase
  Vector norm = weights.cwiseAbs();
  Vector phase = (weights.array() < 0).select(constants::pi, Vector::Zero(weights.size()));
  for (Eigen::Index k = 0; k < mzis; ++k) {
    const auto [upper, lower] = tree.mzis[static_cast<std::size_t>(k)];
    // T_00 = i e^{i theta/2} e^{i phi} sin(theta/2), T_01 = i e^{i theta/2} cos(theta/2)
    const double theta = 2 * std::atan2(norm[upper], norm[lower]);
    program.theta[k] = norm[upper] + norm[lower] > 0 ? theta : 0.0;
    program.phi[k] = wrap_phase(phase[lower] - phase[upper]);
    phase[upper] = phase[lower] + program.theta[k] / 2 + constants::pi / 2;
    norm[upper] = std::hypot(norm[upper], norm[lower]);
  }
  program.output_phase[0] = wrap_phase(-phase[0]);
  return program;
}

}  // namespace optinc
