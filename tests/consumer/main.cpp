// One noisy mesh: a Haar unitary of 16 ports on a Clements mesh whose splitters and phases err, and the
// fidelity that is left. Prints one line, which tests/install compares.
#include <fmt/format.h>

#include "physics/mesh/decomposition.hpp"
#include "physics/mesh/engine/mesh_engine.hpp"
#include "physics/random/haar.hpp"
#include "physics/variation/chip_errors.hpp"

int main() {
  using namespace optinc;
  constexpr int ports = 16;
  Stream stream(1, Purpose::haar);
  const Matrix target = haar_unitary(ports, stream);

  const MeshTopology topology = clements_topology(ports);
  ErrorModel model;
  model.sigma_eta_rad = 0.01;     // splitters
  model.sigma_phase_rad = 0.005;  // noise of every phase
  const MeshErrors errors = draw_mesh_errors(topology, model, {.seed = 1});

  Matrix reached = transfer_matrix(topology, decompose_clements(target), errors);
  const double fidelity = std::norm((target.adjoint() * reached).trace() / double(ports));
  const double loss = (reached.adjoint() * reached - Matrix::Identity(ports, ports)).norm();
  reached.resize(3 * ports, ports);  // frees here what the library allocated
  fmt::print("fidelity {:.9f} unitary {} align {}\n", fidelity, loss < 1e-12, alignof(Matrix2));
}
