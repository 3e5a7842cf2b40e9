// Transfer matrices of an engine that is not ours (the head of the file says which conventions).

#include <fstream>
#include <string>

#include "physics/mesh/engine/mesh_engine.hpp"
#include "physics/mesh/reference_mesh.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/meshes.hpp"

using namespace optinc;
using namespace optinc::testing;

namespace {

Vector read(std::istream& in, Eigen::Index count) {
  Vector values(count);
  for (double& value : values) in >> value;
  REQUIRE(in.good());
  return values;
}

}  // namespace

// fails when the MZI exchanges alpha and beta, when MZIs of a column are numbered bottom to top, or when the
// output screen is left out
TEST_CASE("reference vectors: every mesh of mesh_vectors.txt, both paths") {
  std::ifstream in(TEST_DATA_DIR "/mesh_vectors.txt");
  while (in.peek() == '#') in.ignore(1000, '\n');
  for (const int n : {2, 3, 4, 7, 8, 16}) {
    CAPTURE(n);
    const Vector head = read(in, 2);
    REQUIRE(head[0] == n);
    const MeshTopology t = clements_topology(n);
    const Eigen::Index mzis = t.mzi_count();
    const Vector theta = read(in, mzis), phi = read(in, mzis);
    MeshErrors e = no_errors(t);
    e.alpha = read(in, mzis);
    e.beta = read(in, mzis);
    const MeshProgram p{theta, phi, read(in, n)};
    REQUIRE(e.alpha.cwiseAbs().minCoeff() > 0);  // or the test says nothing of errors

    const Vector values = read(in, 2 * n * n);
    Matrix expected(n, n);
    for (int k = 0; k < n * n; ++k) expected(k / n, k % n) = Complex(values[2 * k], values[2 * k + 1]);
    const double tolerance = head[1] + 8 * eps * n;
    CHECK(tolerance < 1e-13);
    CHECK(max_abs(reference_transfer_matrix(t, p, e) - expected) < tolerance);
    CHECK(max_abs(transfer_matrix(t, p, e) - expected) < tolerance);

    FieldBatch fields(Matrix(Matrix::Identity(n, n).replicate(1, 5)));
    settled(t, p, e).propagate(fields);
    CHECK(max_abs(fields.complex() - expected.replicate(1, 5)) < tolerance);
  }
}
