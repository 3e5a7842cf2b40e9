// Validation row 1 and the laws of lossy meshes; the reference mesh against a product typed here, and the fast
// path against the reference.

#include "physics/core/check.hpp"
#include "physics/devices/coupler.hpp"
#include "physics/mesh/decomposition.hpp"
#include "physics/mesh/engine/mesh_engine.hpp"
#include "physics/mesh/reference_mesh.hpp"
#include "physics/random/haar.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/meshes.hpp"

using namespace optinc;
using namespace optinc::testing;

namespace {

using constants::pi;

double field_of_db(double db) { return std::pow(10.0, -db / 20); }

/// Both paths to a transfer matrix, so that each law is asked of both.
std::vector<Matrix> both_matrices(const MeshTopology& t, const MeshProgram& p, const MeshErrors& e) {
  return {reference_transfer_matrix(t, p, e), transfer_matrix(t, p, e)};
}

/// Transfer of MZI k from input to output (forward) or back, as the chain of its parts.
Matrix2 chain(const MeshProgram& p, const MeshErrors& e, int k, bool forward) {
  const Matrix2 external =
      Eigen::Vector2cd(std::polar(field_of_db(e.phi_arm_loss_db[k]), p.phi[k] + e.phi_offset[k]),
                       field_of_db(e.phi_other_loss_db[k]))
          .asDiagonal();
  const Matrix2 internal =
      Eigen::Vector2cd(std::polar(field_of_db(e.theta_arm_loss_db[k]), p.theta[k] + e.theta_offset[k]),
                       field_of_db(e.theta_other_loss_db[k]))
          .asDiagonal();
  const Matrix2 first = coupler(pi / 4 + e.alpha[k]), second = coupler(pi / 4 + e.beta[k]);
  return forward ? Matrix2(second * internal * first * external)
                 : Matrix2(external * first * internal * second);
}

/// Sends every unit vector through, part by part: no matrix of a column is ever built.
Matrix walk(const MeshTopology& t, const MeshProgram& p, const MeshErrors& e, bool forward) {
  Matrix fields = Matrix::Identity(t.ports, t.ports);
  const auto screen = [&] {
    for (int q = 0; q < t.ports; ++q) fields.row(q) *= std::polar(1.0, p.output_phase[q] + e.output_offset[q]);
  };
  if (!forward) screen();
  for (int step = 0; step < t.columns(); ++step) {
    const auto c = static_cast<std::size_t>(forward ? step : t.columns() - 1 - step);
    std::vector<bool> idle(static_cast<std::size_t>(t.ports), true);
    for (int k = t.column_begin[c]; k < t.column_begin[c + 1]; ++k) {
      const auto [upper, lower] = t.mzis[static_cast<std::size_t>(k)];
      Matrix pair(2, t.ports);
      pair << fields.row(upper), fields.row(lower);
      pair = (chain(p, e, k, forward) * pair).eval();
      fields.row(upper) = pair.row(0);
      fields.row(lower) = pair.row(1);
      idle[static_cast<std::size_t>(upper)] = idle[static_cast<std::size_t>(lower)] = false;
    }
    for (int q = 0; q < t.ports; ++q)
      if (idle[static_cast<std::size_t>(q)]) fields.row(q) *= field_of_db(2 * e.idle_arm_loss_db);
  }
  if (forward) screen();
  return fields;
}

}  // namespace

// fails when a cross element of the coupler is -i sin eta, or when the reference leaves out one idle factor
TEST_CASE("row 1: the backward transfer of the mirrored mesh is the transpose, losses included") {
  const std::uint64_t seed = 101;
  for (const int n : {2, 3, 8, 17, 64}) {
    CAPTURE(seed, n);
    Stream s = test_stream(seed, static_cast<std::uint32_t>(n));
    const MeshTopology t = clements_topology(n);
    const MeshProgram p = random_program(t, s);
    const MeshErrors e = random_lossy_errors(t, 0.1, s);
    const Matrix backward = walk(t, p, e, false);
    for (const Matrix& u : both_matrices(t, p, e)) CHECK(max_abs(u.transpose() - backward) < 1e-12);
  }
}

// fails when a loss is missing from one of the arms, or an offset from one of the phases
TEST_CASE("the mesh is the walk through its parts: errors, offsets, losses, idle waveguides") {
  const std::uint64_t seed = 102;
  for (const int n : {1, 2, 3, 4, 7, 16}) {
    CAPTURE(seed, n);
    Stream s = test_stream(seed, static_cast<std::uint32_t>(n));
    const MeshTopology t = clements_topology(n);
    const MeshProgram p = random_program(t, s);
    const MeshErrors e = random_lossy_errors(t, 0.2, s);
    for (const Matrix& u : both_matrices(t, p, e)) CHECK(max_abs(u - walk(t, p, e, true)) < 16 * eps * (n + 1));
  }
}

// fails when a loss is applied with the wrong sign (gain)
TEST_CASE("with losses no power is gained: out <= in, singular values <= 1") {
  const std::uint64_t seed = 103;
  for (const int n : {2, 5, 16, 33}) {
    CAPTURE(seed, n);
    Stream s = test_stream(seed, static_cast<std::uint32_t>(n));
    const MeshTopology t = clements_topology(n);
    const MeshProgram p = random_program(t, s);
    const MeshErrors e = random_lossy_errors(t, 0.1, s);
    for (const Matrix& u : both_matrices(t, p, e)) {
      const Vector gains = u.jacobiSvd().singularValues();
      CHECK(gains[0] <= 1.0 + 1e-13);
      CHECK(gains[n - 1] < 0.99);  // and some of it is lost
    }
    FieldBatch fields(random_fields(n, 40, s));
    const Eigen::RowVectorXd before = fields.power_w();
    settled(t, p, e).propagate(fields);
    CHECK((before - fields.power_w()).minCoeff() > 0.0);
  }
}

// The bound: a rotation of two ports rounds each of its sums of four products by at most 4 eps of the pair's
// field, and the columns before and after are contractions; 8 eps x (columns + 1) x the word's field.
// Fails when the block loop of propagate drops the last words % 64, or when settle leaves out output_offset
TEST_CASE("propagation is the reference mesh to eps x depth, odd batches, with errors and losses") {
  const std::uint64_t seed = 105;
  for (const int n : {1, 2, 3, 7, 16, 33, 128})
    for (const bool lossy : {false, true}) {
      Stream s = test_stream(seed, static_cast<std::uint32_t>(n));
      const MeshTopology t = clements_topology(n);
      const MeshProgram p = random_program(t, s);
      const MeshErrors e = lossy ? random_lossy_errors(t, 0.1, s) : random_errors(t, 0.1, s);
      const Matrix reference = reference_transfer_matrix(t, p, e);
      for (const int words : {1, 2, 63, 64, 65, 130}) {
        CAPTURE(seed, n, words, lossy);
        const Matrix input = random_fields(n, words, s);
        FieldBatch fields(input);
        settled(t, p, e).propagate(fields);
        const Matrix expected = reference * input;
        const Eigen::RowVectorXd worst = (fields.complex() - expected).cwiseAbs().colwise().maxCoeff();
        const Eigen::RowVectorXd bound = 8 * eps * (t.columns() + 1) * input.colwise().norm();
        CHECK((worst.array() <= bound.array()).all());
      }
    }
}

TEST_CASE("an empty batch passes through") {
  const MeshTopology t = clements_topology(4);
  Stream s = test_stream(106);
  FieldBatch none(4, 0);
  settled(t, random_program(t, s), no_errors(t)).propagate(none);
  CHECK(none.words() == 0);
}
