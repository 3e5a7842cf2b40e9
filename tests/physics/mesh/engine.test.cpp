#include "physics/core/check.hpp"
#include "physics/mesh/decomposition.hpp"
#include "physics/mesh/engine/direct_kernel.hpp"
#include "physics/mesh/engine/scale.hpp"
#include "physics/mesh/reference_mesh.hpp"
#include "physics/random/haar.hpp"
#include "physics/variation/chip_errors.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/simd.hpp"

using namespace optinc;
using namespace optinc::testing;

namespace {

/// A mesh with its program and errors.
struct Case {
  MeshTopology topology;
  MeshProgram program;
  MeshErrors errors;
};

Case haar_case(int n, const char* preset) {
  Stream stream(1, Purpose::test, static_cast<std::uint32_t>(n));
  const MeshTopology topology = clements_topology(n);
  return {topology, decompose_clements(haar_unitary(n, stream)),
          draw_mesh_errors(topology, error_preset(preset), {1, 0, 0})};
}

/// Every MZI at the given internal phase: pi/2 is all-50:50, where unscaled fields grow most; 0 is all-cross.
Case uniform_case(int n, double theta) {
  const MeshTopology topology = clements_topology(n);
  Stream stream(2, Purpose::test, static_cast<std::uint32_t>(n));
  MeshProgram program{Vector::Constant(topology.mzi_count(), theta), Vector(topology.mzi_count()),
                      Vector::Zero(n)};
  for (double& phi : program.phi) phi = 6.283 * stream.uniform();
  return {topology, program, no_errors(topology)};
}

/// Fields after a lossless mesh, one MZI at a time in double: as obvious as the reference matrix, and quick for
/// few words at many ports.
Matrix pass(const Case& c, Matrix fields) {
  for (int k = 0; k < c.topology.mzi_count(); ++k) {
    const auto [upper, lower] = c.topology.mzis[static_cast<std::size_t>(k)];
    const Matrix2 t = mzi(c.program.mzi(k), c.errors.mzi(k));
    const Eigen::RowVectorXcd a = fields.row(upper), b = fields.row(lower);
    fields.row(upper) = t(0, 0) * a + t(0, 1) * b;
    fields.row(lower) = t(1, 0) * a + t(1, 1) * b;
  }
  return fields;
}

/// Largest error of a field that went through the kernel, against the reference, for fields of unit variance.
template <class Real>
double kernel_error(const Case& c, int words) {
  Stream stream(3, Purpose::test);
  Matrix fields(c.topology.ports, words);
  for (auto& e : fields.reshaped()) e = Complex(stream.normal(), stream.normal()) * std::sqrt(0.5);
  const Matrix expected = c.topology.ports > 128
                              ? pass(c, fields)
                              : Matrix(reference_transfer_matrix(c.topology, c.program, c.errors) * fields);
  using Plane = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  Plane re = fields.real().cast<Real>(), im = fields.imag().cast<Real>();
  const auto scaled = scale_mesh<Real>(c.topology, settle(c.program, c.errors));
  const auto stride = static_cast<std::size_t>(words);
  propagate_scaled(scaled, re.data(), im.data(), stride, stride);
  Matrix got(c.topology.ports, words);
  got.real() = re.template cast<double>();
  got.imag() = im.template cast<double>();
  return (got - expected).cwiseAbs().maxCoeff();
}

}  // namespace

TEST_CASE("the direct kernel is the reference mesh on every target, port count, batch and loss") {
  // error bound eps x depth x a few: fields are of order one; fails when a swap, a scale or an odd port is
  // missed
  on_every_target([] {
    for (const int n : {1, 2, 3, 4, 5, 7, 8, 33, 64, 100})
      for (const auto* preset : {"ideal", "foundry"}) {
        const Case c = haar_case(n, preset);
        for (const int words : {1, 2, 15, 16, 31, 33, 100}) {
          CAPTURE(n, preset, words);
          REQUIRE(kernel_error<double>(c, words) < 4 * 2.2e-16 * (n + 8));
          REQUIRE(kernel_error<float>(c, words) < 4 * 1.2e-7 * (std::sqrt(n) + 4));
        }
      }
  });
}

TEST_CASE("float stays within the stated error where unscaled fields would overflow") {
  // f32 <= 5e-6 at N = 64 and <= 1e-4 at N = 512; all-50:50, all-cross and almost-cross meshes
  for (const double theta : {1.5707963, 0.0, 1e-3, 3.1415926}) {
    CAPTURE(theta);
    CHECK(kernel_error<float>(uniform_case(64, theta), 40) < 5e-6);
    CHECK(kernel_error<float>(uniform_case(512, theta), 3) < 1e-4);
    CHECK(kernel_error<double>(uniform_case(512, theta), 3) < 1e-12);
  }
}

TEST_CASE("any topology of disjoint pairs passes, not only the rectangle") {
  // a butterfly: columns of stride 1, 2, 4
  MeshTopology t;
  t.ports = 8;
  for (const int stride : {1, 2, 4}) {
    for (int p = 0; p < 8; ++p)
      if ((p / stride) % 2 == 0) t.mzis.push_back({p, p + stride});
    t.column_begin.push_back(t.mzi_count());
  }
  Stream stream(5, Purpose::test);
  MeshProgram program{Vector(12), Vector(12), Vector(8)};
  for (auto* phases : {&program.theta, &program.phi, &program.output_phase})
    for (double& x : *phases) x = 6.283 * stream.uniform();
  const Case c = {t, program, draw_mesh_errors(t, error_preset("foundry"), {1, 0, 0})};
  on_every_target([&] {
    CHECK(kernel_error<double>(c, 20) < 1e-14);
    CHECK(kernel_error<float>(c, 20) < 2e-6);
  });
}

TEST_CASE("NaN and infinity in a device are refused with its number") {
  Case c = haar_case(8, "ideal");
  for (const double bad : {std::nan(""), std::numeric_limits<double>::infinity()}) {
    c.program.theta[5] = bad;
    CHECK_THROWS_WITH(scale_mesh<float>(c.topology, settle(c.program, c.errors)), ContainsSubstring("MZI 5"));
  }
}
