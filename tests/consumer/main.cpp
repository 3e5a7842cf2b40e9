// What a program of somebody else's does with the installed libraries, by public headers alone:
//   chip  a carry chain without errors sends words of light; all answers are right. Its budget.
//   mesh  a Haar unitary of 16 ports on a Clements mesh whose splitters and phases err; the fidelity that is
//   left.
// tests/install compares the lines.
#include <fmt/format.h>
#include <optinc/onn/budget/budget.hpp>
#include <optinc/onn/link/transmission.hpp>
#include <optinc/onn/network/carry_chain.hpp>
#include <optinc/onn/task/words.hpp>
#include <optinc/physics/mesh/decomposition.hpp>
#include <optinc/physics/mesh/engine/mesh_engine.hpp>
#include <optinc/physics/random/haar.hpp>
#include <optinc/physics/variation/chip_errors.hpp>

using namespace optinc;

void print_chip() {
  const Task task{.rounding = Rounding::half_up};  // 4 servers, 8 bits
  const ChipDesign design = design_chip(carry_chain(task));
  const ErrorModel model;  // no errors
  const ChipState chip =
      programmed_chip(design, fabricate(design, model, 1, 0), model, Programming::uncorrected);
  const UnitHardware hardware;

  Stream stream(1, Purpose::test);
  const Codes codes = codes_of_words(task, draw_words(task, 1000, stream));
  const Eigen::MatrixXd digits = transmit(LitUnit{design, chip, hardware}, codes, {.seed = 1});
  const auto right = (decide(task, digits).array() == exact_answers(task, codes).array()).count();
  fmt::print("chip: {} MZIs, {} of {} words right\n", design.mzi_count(), right, codes.rows());

  const ChipBudget b = budget(design, model, hardware);
  for (const BudgetTable& table : {b.loss_db, b.static_power_w, b.symbol_power_w, b.delay_s, b.area_m2})
    fmt::print("{}: {:.3g} {}\n", table.name, table.total(), table.unit);
}

void print_mesh() {
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

int main() {
  print_chip();
  print_mesh();
}
