// Transfer matrices of an engine that is not ours (the file's own `description` says which conventions).

#include <string>

#include <hdf5.h>

#include "physics/mesh/engine/mesh_engine.hpp"
#include "physics/mesh/reference_mesh.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/meshes.hpp"

using namespace optinc;
using namespace optinc::testing;

namespace {

/// Owns one HDF5 identifier.
class Handle {
 public:
  Handle(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) { REQUIRE(id >= 0); }
  ~Handle() { close_(id_); }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  operator hid_t() const { return id_; }  // NOLINT(google-explicit-constructor): the C API takes ids

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

std::vector<double> read(hid_t group, const char* name) {
  const Handle set(H5Dopen2(group, name, H5P_DEFAULT), H5Dclose);
  const Handle space(H5Dget_space(set), H5Sclose);
  std::vector<double> values(static_cast<std::size_t>(H5Sget_simple_extent_npoints(space)));
  REQUIRE(H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) >= 0);
  return values;
}

Vector read_vector(hid_t group, const char* name) {
  const std::vector<double> values = read(group, name);
  return Eigen::Map<const Vector>(values.data(), static_cast<Eigen::Index>(values.size()));
}

double read_attribute(hid_t group, const char* name) {
  const Handle attribute(H5Aopen(group, name, H5P_DEFAULT), H5Aclose);
  double value = 0;
  REQUIRE(H5Aread(attribute, H5T_NATIVE_DOUBLE, &value) >= 0);
  return value;
}

}  // namespace

// fails when the MZI exchanges alpha and beta, when MZIs of a column are numbered bottom to top, or when the
// output screen is left out
TEST_CASE("reference vectors: every mesh of mesh_vectors.h5, both paths") {
  const Handle file(H5Fopen(TEST_DATA_DIR "/mesh_vectors.h5", H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
  H5G_info_t info;
  REQUIRE(H5Gget_info(file, &info) >= 0);
  CHECK(info.nlinks == 6);  // a file that lost its groups must not pass
  for (const int n : {2, 3, 4, 7, 8, 16}) {
    CAPTURE(n);
    const Handle group(H5Gopen2(file, ("clements_" + std::to_string(n)).c_str(), H5P_DEFAULT), H5Gclose);
    const MeshTopology t = clements_topology(n);
    const MeshProgram p{read_vector(group, "theta"), read_vector(group, "phi"),
                        read_vector(group, "output_phase")};
    MeshErrors e = no_errors(t);
    e.alpha = read_vector(group, "alpha");
    e.beta = read_vector(group, "beta");
    REQUIRE(p.theta.size() == t.mzi_count());
    REQUIRE(e.beta.size() == t.mzi_count());
    REQUIRE(e.alpha.cwiseAbs().minCoeff() > 0);  // or the test says nothing of errors

    const std::vector<double> values = read(group, "matrix");  // (N, N, 2), row-major, real and imaginary
    REQUIRE(values.size() == static_cast<std::size_t>(2 * n * n));
    Matrix expected(n, n);
    for (int k = 0; k < n * n; ++k) {
      const auto at = static_cast<std::size_t>(2 * k);
      expected(k / n, k % n) = Complex(values[at], values[at + 1]);
    }
    const double tolerance = read_attribute(group, "max_disagreement") + 8 * eps * n;
    CHECK(tolerance < 1e-13);
    CHECK(max_abs(reference_transfer_matrix(t, p, e) - expected) < tolerance);
    CHECK(max_abs(transfer_matrix(t, p, e) - expected) < tolerance);

    FieldBatch fields(Matrix(Matrix::Identity(n, n).replicate(1, 5)));
    settled(t, p, e).propagate(fields);
    CHECK(max_abs(fields.complex() - expected.replicate(1, 5)) < tolerance);
  }
}
