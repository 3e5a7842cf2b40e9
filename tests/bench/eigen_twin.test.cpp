#include "bench/eigen_twin.hpp"

#include <algorithm>
#include <limits>

#include "physics/mesh/reference_mesh.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/meshes.hpp"

using namespace optinc;

namespace {

/// Largest error of a field behind the twin over eps x ports x the largest input field, over sizes, with losses
/// and without.
template <class Real>
double worst_error() {
  double worst = 0;
  for (const int ports : {2, 5, 16}) {
    for (const bool lossy : {false, true}) {
      const MeshTopology topology = clements_topology(ports);
      Stream stream = testing::test_stream(7, static_cast<std::uint32_t>(ports));
      const MeshProgram program = testing::random_program(topology, stream);
      const MeshErrors errors = lossy ? testing::random_lossy_errors(topology, 0.2, stream)
                                      : testing::random_errors(topology, 0.2, stream);
      const Matrix inputs = testing::random_fields(ports, 3, stream);
      bench::TwinFields<Real> fields = inputs.cast<std::complex<Real>>();
      bench::propagate_twin(topology, bench::settle_twin<Real>(program, errors), fields);
      const Matrix expected = reference_transfer_matrix(topology, program, errors) * inputs;
      const double scale = std::numeric_limits<Real>::epsilon() * ports * testing::max_abs(inputs);
      worst = std::max(worst, testing::max_abs(fields.template cast<Complex>() - expected) / scale);
    }
  }
  return worst;
}

}  // namespace

TEST_CASE("the naive Eigen twin does what the reference mesh does", "[bench]") {
  CHECK(worst_error<float>() < 4);
  CHECK(worst_error<double>() < 4);
}

TEST_CASE("the twin passes the check its program makes before it times anything", "[bench]") {
  CHECK(bench::twin_error<float>() < 4);
  CHECK(bench::twin_error<double>() < 4);
}
