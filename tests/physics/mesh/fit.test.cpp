#include "physics/mesh/fit.hpp"

#include "physics/core/check.hpp"
#include "physics/mesh/combining_tree.hpp"
#include "physics/mesh/reference_mesh.hpp"

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
  const FittedProgram read = fit_program(tree, no_errors(tree), target, start, {.outputs = 1});
  CHECK(read.error < 1e-6);
  const Matrix u = reference_transfer_matrix(tree, read.program, no_errors(tree));
  CHECK((u.row(0) - target.row(0)).norm() < 1e-5);
  CHECK(fit_program(tree, no_errors(tree), target, start, {}).error > 0.1);
  CHECK_THROWS_AS(fit_program(tree, no_errors(tree), target, start, {.outputs = 5}), Error);
}
