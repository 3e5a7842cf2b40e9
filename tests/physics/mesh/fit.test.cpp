#include "physics/mesh/fit.hpp"

#include <cmath>

#include <Eigen/QR>

#include "physics/core/check.hpp"
#include "physics/core/units.hpp"
#include "physics/mesh/combining_tree.hpp"
#include "physics/mesh/decomposition.hpp"
#include "physics/mesh/reference_mesh.hpp"
#include "physics/random/stream.hpp"

#include "tests/support/catch.hpp"

using namespace optinc;

// A tree of three MZIs can have any first row, not any matrix: rows below ask for what no tree has.
// Fails when they count all the same
TEST_CASE("a fit to the ports that are read leaves the others alone") {
  const MeshTopology tree = combining_tree_topology(4);
  const Vector weights = (Vector(4) << 4.0, 1.0, 1.0, 1.0).finished(), equal = Vector::Ones(4);
  Matrix target = Matrix::Identity(4, 4);
  target.row(0) = weights.normalized().transpose().cast<Complex>();
  const MeshProgram start = program_combining_tree(equal);
  const Vector first = Vector::Unit(4, 0) * 4;
  const FittedProgram read = fit_program(tree, no_errors(tree), target, start, {.row_weight = first});
  CHECK(read.error < 1e-6);
  const Matrix u = reference_transfer_matrix(tree, read.program, no_errors(tree));
  CHECK((u.row(0) - target.row(0)).norm() < 1e-5);
  CHECK(fit_program(tree, no_errors(tree), target, start, {}).error > 0.1);
  CHECK_THROWS_AS(fit_program(tree, no_errors(tree), target, start, {.row_weight = Vector::Ones(5)}), Error);
}

// E by hand from the matrix that the slow reference makes of the fitted phases. Fails when rows share a factor,
// when a factor is not the best of its row, or the other quadrature counts more or less than sigma squared
TEST_CASE("a fit whose rows have factors of their own counts what receivers see, over them") {
  const MeshTopology mesh = clements_topology(6);
  Stream stream(4, Purpose::test);
  MeshErrors errors = no_errors(mesh);
  for (Vector* losses : {&errors.theta_arm_loss_db, &errors.phi_arm_loss_db, &errors.theta_other_loss_db,
                         &errors.phi_other_loss_db})
    for (double& loss : *losses) loss = 0.3 + 0.1 * stream.normal();
  const Eigen::MatrixXd drawn = Eigen::MatrixXd::NullaryExpr(6, 6, [&] { return stream.normal(); });
  const Eigen::MatrixXd u = Eigen::HouseholderQR<Eigen::MatrixXd>(drawn).householderQ();
  const MeshProgram start = decompose_clements(u.cast<Complex>());
  const Vector weight = (Vector(6) << 1, 2, 0.5, 1, 0, 3).finished();
  for (const double sigma : {0.0, 0.3}) {
    CAPTURE(sigma);
    const FitOptions options = {
        .steps = 40, .in_phase = true, .oscillator_rad = sigma, .scale = FitScale::rows, .row_weight = weight};
    const FittedProgram fitted = fit_program(mesh, errors, u.cast<Complex>(), start, options);
    const Matrix t = reference_transfer_matrix(mesh, fitted.program, errors);
    double squares = 0.0;
    for (Eigen::Index r = 0; r < 6; ++r) {
      const auto seen = [&](double factor) {
        return (t.row(r).real() / factor - u.row(r)).squaredNorm() +
               sigma * sigma * (t.row(r).imag() / factor).squaredNorm();
      };
      squares += weight[r] * seen(fitted.scale[r]) / 6;
      for (const double other : {0.99, 1.01}) CHECK(seen(other * fitted.scale[r]) > seen(fitted.scale[r]));
    }
    CHECK(fitted.error == Approx(std::sqrt(squares)).epsilon(1e-9));
    FitOptions none = options;
    none.steps = 0;
    CHECK(fitted.error <
          (sigma > 0 ? 0.9 : 0.5) * fit_program(mesh, errors, u.cast<Complex>(), start, none).error);
  }
}

// Where a matrix is reached exactly, pairs of steps and gradients are rounding and promise minima at any
// distance. Fails when a step may be of any length: phases of 1e9 rad, which an engine refuses, for seeds 35
// and 68
TEST_CASE("a fit that has arrived stays there") {
  const MeshTopology mesh = clements_topology(3);
  const Matrix target = 0.8 * Matrix::Identity(3, 3);
  for (std::uint64_t seed = 30; seed < 70; ++seed) {
    CAPTURE(seed);
    Stream stream(seed, Purpose::test);
    MeshErrors errors = no_errors(mesh);
    for (Vector* losses : {&errors.theta_arm_loss_db, &errors.phi_arm_loss_db, &errors.theta_other_loss_db,
                           &errors.phi_other_loss_db})
      for (double& loss : *losses) loss = 0.14 + 0.13 * stream.normal();
    for (const FitScale scale : {FitScale::fixed, FitScale::common, FitScale::rows})
      CHECK_NOTHROW(
          fit_program(mesh, errors, target, decompose_clements(target / 0.8),
                      {.steps = 600, .memory = 40, .in_phase = true, .scale = scale, .start_rad = 0.02}));
  }
}

// Fails when a fit goes on where only rounding is left to win (it then took all its steps, each of many tries),
// or ends before
TEST_CASE("a fit ends where its steps no longer lower the loss") {
  const MeshTopology mesh = clements_topology(4);
  Stream stream(5, Purpose::test);
  MeshErrors errors = no_errors(mesh);
  for (double& loss : errors.theta_arm_loss_db) loss = 0.3 + 0.1 * stream.normal();
  const Eigen::MatrixXd drawn = Eigen::MatrixXd::NullaryExpr(4, 4, [&] { return stream.normal(); });
  const Matrix u = Eigen::MatrixXd(Eigen::HouseholderQR<Eigen::MatrixXd>(drawn).householderQ()).cast<Complex>();
  const FitOptions options = {.steps = 600,
                              .memory = 40,
                              .in_phase = true,
                              .oscillator_rad = 0.02,
                              .scale = FitScale::common,
                              .start_rad = 0.02};
  const FittedProgram fitted = fit_program(mesh, errors, u, decompose_clements(u), options);
  CHECK(fitted.steps < 200);
  FitOptions on = options;
  on.start_rad = 0;
  const FittedProgram further = fit_program(mesh, errors, u, fitted.program, on);
  CHECK(further.error <= fitted.error);
  CHECK(further.error > fitted.error * (1 - 1e-6));
}

// Crossed where it is to be straight, a mesh of two ports is at a saddle. Fails when a fit takes its small
// steps past one for its end
TEST_CASE("a fit leaves a saddle") {
  const MeshTopology mesh = clements_topology(2);
  const MeshErrors none = no_errors(mesh);
  const MeshProgram crossed = {Vector::Zero(1), Vector::Zero(1), Vector::Zero(2)};
  const MeshProgram straight = {Vector::Constant(1, constants::pi), Vector::Zero(1), Vector::Zero(2)};
  const Matrix target = reference_transfer_matrix(mesh, straight, none);
  CHECK(fit_program(mesh, none, target, crossed, {.start_rad = 1e-6}).error < 1e-6);
}

// Rows whose light goes elsewhere have a kink in E (the least cosine of a factor). Fails when a fit ends
// because steps from before it lead astray: from where it ended, a new one goes on
TEST_CASE("a fit that has ended has no way down") {
  const MeshTopology mesh = clements_topology(6);
  const Matrix target = Matrix::Identity(6, 6).rowwise().reverse();
  int ended = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    CAPTURE(seed);
    Stream stream(seed, Purpose::test);
    MeshErrors errors = no_errors(mesh);
    for (double& loss : errors.theta_arm_loss_db) loss = 0.3 + 0.1 * stream.normal();
    MeshProgram start = {Vector::Zero(15), Vector::Zero(15), Vector::Zero(6)};
    for (Vector* phases : {&start.theta, &start.phi})
      for (double& phase : *phases) phase = 2 * stream.normal();
    const FitOptions options = {.steps = 600, .memory = 40, .scale = FitScale::rows};
    const FittedProgram fitted = fit_program(mesh, errors, target, start, options);
    if (fitted.steps == options.steps) continue;
    ++ended;
    CHECK(fit_program(mesh, errors, target, fitted.program, options).error > fitted.error * (1 - 1e-6));
  }
  CHECK(ended > 10);
}
