#include "physics/mesh/combining_tree.hpp"

#include <cmath>
#include <limits>

#include "physics/core/check.hpp"
#include "physics/mesh/reference_mesh.hpp"
#include "physics/random/stream.hpp"

#include "tests/support/catch.hpp"

using namespace optinc;

// Fails when phi does not bring the two parts into phase, a sign is lost, or the parts' norms are exchanged
TEST_CASE("a combining tree adds its inputs up with the weights asked for") {
  Stream stream(3, Purpose::test);
  for (int n = 1; n <= 20; ++n) {
    CAPTURE(n);
    Vector weights(n);
    for (double& w : weights) w = 3 * stream.normal();
    if (n > 4) weights[2] = 0;
    const MeshTopology tree = combining_tree_topology(n);
    validate_topology(tree);
    CHECK(tree.mzi_count() == n - 1);
    CHECK(tree.columns() == (n == 1 ? 0 : static_cast<int>(std::ceil(std::log2(n)))));
    const Matrix u = reference_transfer_matrix(tree, program_combining_tree(weights), no_errors(tree));
    CHECK((u.row(0).transpose() - weights.normalized()).cwiseAbs().maxCoeff() < 1e-13);
    CHECK((u.adjoint() * u - Matrix::Identity(n, n)).cwiseAbs().maxCoeff() < 1e-13);
  }
}

TEST_CASE("a combining tree refuses weights that add up to nothing") {
  CHECK_THROWS_AS(program_combining_tree(Vector::Zero(3)), Error);
  CHECK_THROWS_AS(program_combining_tree(Vector(0)), Error);
  CHECK_THROWS_AS(program_combining_tree(Vector::Constant(2, std::numeric_limits<double>::quiet_NaN())), Error);
  CHECK_THROWS_AS(combining_tree_topology(0), Error);
}
