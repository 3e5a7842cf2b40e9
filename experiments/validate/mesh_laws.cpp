#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "experiments/validate/laws.hpp"
#include "experiments/validate/random_mesh.hpp"
#include "physics/mesh/correction.hpp"
#include "physics/mesh/decomposition.hpp"
#include "physics/mesh/engine/mesh_engine.hpp"
#include "physics/variation/chip_errors.hpp"

namespace optinc {
namespace {

const LawAxis ports = {"N", "1", "ports of the mesh"};

/// A lossless mesh that has every error but loss: splitters 0.05 rad, phase offsets 0.1 rad.
RandomMesh lossless_mesh(double n, const LawTrial& trial) {
  ErrorModel model = splitter_errors(0.05);
  model.sigma_cal_rad = 0.1;
  return draw_random_mesh(HaarTarget::unitary, static_cast<int>(n), model, trial);
}

double largest_element(const Matrix& m) { return m.cwiseAbs().maxCoeff<Eigen::PropagateNaN>(); }

/// The mesh as light meets it from behind: columns in reverse, the splitters of each MZI exchanged.
RandomMesh from_behind(const RandomMesh& m) {
  RandomMesh back = m;
  back.topology.mzis.clear();
  back.topology.column_begin = {0};
  int k = 0;
  for (int c = m.topology.columns() - 1; c >= 0; --c) {
    for (int j = m.topology.column_begin[static_cast<std::size_t>(c)];
         j < m.topology.column_begin[static_cast<std::size_t>(c) + 1]; ++j, ++k) {
      back.topology.mzis.push_back(m.topology.mzis[static_cast<std::size_t>(j)]);
      back.program.theta[k] = m.program.theta[j];
      back.errors.theta_offset[k] = m.errors.theta_offset[j];
      back.errors.alpha[k] = m.errors.beta[j];
      back.errors.beta[k] = m.errors.alpha[j];
    }
    back.topology.column_begin.push_back(k);
  }
  return back;
}

double reciprocity_defect(double n, const LawTrial& trial) {
  RandomMesh m = lossless_mesh(n, trial);
  for (Vector* at_one_end :
       {&m.program.phi, &m.program.output_phase, &m.errors.phi_offset, &m.errors.output_offset})
    at_one_end->setZero();  // else the mirrored mesh had them on the other side of its MZIs
  const RandomMesh back = from_behind(m);
  return largest_element(transfer_matrix(m.topology, m.program, m.errors).transpose() -
                         transfer_matrix(back.topology, back.program, back.errors));
}

double power_defect(double n, const LawTrial& trial) {
  const RandomMesh m = lossless_mesh(n, trial);
  Stream stream = trial.stream(Purpose::test);
  Matrix sent(m.topology.ports, 8);
  for (auto& e : sent.reshaped()) {
    const double re = stream.normal();
    e = Complex(re, stream.normal());
  }
  MeshEngine<double> engine(m.topology);
  engine.settle(m.program, m.errors);
  FieldBatch fields(sent);
  engine.propagate(fields);
  const Eigen::VectorXd in = sent.colwise().squaredNorm(), out = fields.power_w().transpose();
  return ((out - in).cwiseAbs().array() / in.array()).maxCoeff<Eigen::PropagateNaN>();
}

Measure clements_error(HaarTarget kind) {
  return largest_of([kind](double n, const LawTrial& trial) {
    const RandomMesh m = draw_random_mesh(kind, static_cast<int>(n), {}, trial);
    return relative_error(transfer_matrix(m.topology, m.program, no_errors(m.topology)), m.target);
  });
}

double reck_error(double n, const LawTrial& trial) {
  const MeshTopology t = reck_topology(static_cast<int>(n));
  const Matrix target = haar_target(HaarTarget::unitary, static_cast<int>(n), trial);
  return relative_error(transfer_matrix(t, decompose_reck(target), no_errors(t)), target);
}

/// Largest error of the corrected meshes in which no MZI clips; NaN unless half of all are such.
Measured error_without_clips(double n, const Effort& effort) {
  constexpr double clipped = -1.0;
  const auto errors = run_trials(
      [](double ports_, const LawTrial& trial) {
        const RandomMesh m =
            draw_random_mesh(HaarTarget::unitary, static_cast<int>(ports_), splitter_errors(0.02), trial);
        const auto c = correct_splitters(m.topology, m.program, m.errors.alpha, m.errors.beta);
        return c.clipped > 0 ? clipped
                             : relative_error(transfer_matrix(m.topology, c.program, m.errors), m.target);
      },
      n, effort);
  const auto exact =
      errors.size() - static_cast<std::size_t>(std::count(errors.begin(), errors.end(), clipped));
  if (2 * exact < errors.size()) return {std::numeric_limits<double>::quiet_NaN(), 0.0, {}};
  return {*std::max_element(errors.begin(), errors.end()), 0.0, {}};
}

}  // namespace

std::vector<Law> mesh_laws() {
  const std::vector<LawPoint> few = {{4, 20}, {16, 20}, {64, 10}, {128, 5}};
  const auto clements = [](double n) { return clements_topology(static_cast<int>(n)); };
  return {
      {.row = "1",
       .name = "mesh unitary",
       .kind = LawKind::conservation,
       .formula = "U^H U = 1, lossless, splitters 0.05 rad, offsets 0.1 rad",
       .quantity = "max |U^H U - 1|",
       .expected = constant(0),
       .absolute_tolerance = 1e-12,
       .measure = largest_of([](double n, const LawTrial& trial) {
         const RandomMesh m = lossless_mesh(n, trial);
         const Matrix u = transfer_matrix(m.topology, m.program, m.errors);
         return largest_element(u.adjoint() * u - Matrix::Identity(u.rows(), u.cols()));
       }),
       .axis = ports,
       .points = few},
      {.row = "1",
       .name = "mesh power",
       .kind = LawKind::conservation,
       .formula = "sum P_out = sum P_in, of fields sent through",
       .quantity = "relative change of the power",
       .expected = constant(0),
       .absolute_tolerance = 1e-12,
       .measure = largest_of(power_defect),
       .axis = ports,
       .points = few},
      {.row = "1",
       .name = "mesh reciprocal",
       .kind = LawKind::conservation,
       .formula = "U^T is the mesh back to front (theta alone)",
       .quantity = "max |U^T - U_back|",
       .expected = constant(0),
       .absolute_tolerance = 1e-12,
       .measure = largest_of(reciprocity_defect),
       .axis = ports,
       .points = few},
      {.row = "4",
       .name = "Clements reconstruction",
       .formula = "U(decompose(U)) = U, Haar unitary",
       .quantity = "largest E",
       .expected = constant(0),
       .absolute_tolerance = 1e-11,
       .measure = clements_error(HaarTarget::unitary),
       .axis = ports,
       .points = few},
      {.row = "4",
       .name = "Clements reconstruction, orthogonal",
       .formula = "U(decompose(U)) = U, Haar orthogonal",
       .quantity = "largest E",
       .expected = constant(0),
       .absolute_tolerance = 1e-11,
       .measure = clements_error(HaarTarget::orthogonal),
       .axis = ports,
       .points = few},
      {.row = "4",
       .name = "Reck reconstruction",
       .formula = "U(decompose(U)) = U, Haar unitary",
       .quantity = "largest E",
       .expected = constant(0),
       .absolute_tolerance = 1e-11,
       .measure = largest_of(reck_error),
       .axis = ports,
       .points = {{4, 20}, {16, 20}, {64, 10}}},
      {.row = "4",
       .name = "Clements MZIs",
       .formula = "N(N-1)/2",
       .quantity = "MZIs",
       .expected = [](double n) { return n * (n - 1) / 2; },
       .measure = value_of([=](double n) { return static_cast<double>(clements(n).mzi_count()); }),
       .axis = ports,
       .points = {{4}, {15}, {128}}},
      {.row = "4",
       .name = "Clements depth",
       .formula = "N",
       .quantity = "columns of MZIs",
       .expected = [](double n) { return n; },
       .measure = value_of([=](double n) { return static_cast<double>(clements(n).columns()); }),
       .axis = ports,
       .points = {{4}, {15}, {128}}},
      {.row = "4",
       .name = "Reck depth",
       .formula = "2N - 3",
       .quantity = "columns of MZIs",
       .expected = [](double n) { return 2 * n - 3; },
       .measure =
           value_of([](double n) { return static_cast<double>(reck_topology(static_cast<int>(n)).columns()); }),
       .axis = ports,
       .points = {{4}, {15}, {128}}},
      {.row = "5",
       .name = "correction without clips",
       .formula = "E = 0 where no MZI clips, sigma = 0.02",
       .quantity = "largest E of unclipped meshes",
       .expected = constant(0),
       .absolute_tolerance = 1e-11,
       .measure = error_without_clips,
       .axis = ports,
       .points = {{4, 300}, {8, 300}, {12, 300}}},
  };
}

}  // namespace optinc
