#include "onn/training/detail/trained_mesh.hpp"

#include "physics/random/haar.hpp"

#include "tests/support/catch.hpp"

using namespace optinc;

namespace {

Eigen::MatrixXd orthogonal(int n) {
  Stream stream(4, Purpose::haar);
  return haar_orthogonal(n, stream);
}

Eigen::MatrixXf slope_of(int n) {
  Stream stream(5, Purpose::test);
  Eigen::MatrixXf slope(n, n);
  for (float& s : slope.reshaped()) s = static_cast<float>(stream.normal());
  return slope;
}

/// Central difference of loss(mesh) when theta k of a copy turns by +-step.
template <class Loss>
double difference(const TrainedMesh& mesh, Eigen::Index k, float step, Loss loss) {
  const auto at = [&](float turned_by) {
    TrainedMesh turned = mesh;
    Eigen::VectorXf only = Eigen::VectorXf::Zero(mesh.mzi_count());
    only[k] = turned_by;
    turned.turn(only);
    return loss(turned);
  };
  return (at(step) - at(-step)) / (2.0 * step);
}

}  // namespace

// Fails when phi or the screen does not follow theta
TEST_CASE("a trained mesh stays real orthogonal however its phases turn") {
  for (const int n : {1, 2, 5, 16}) {
    TrainedMesh mesh(orthogonal(n));
    CHECK((mesh.matrix() - orthogonal(n)).cwiseAbs().maxCoeff() < 1e-12);
    Stream stream(6, Purpose::test);
    Eigen::VectorXf steps(mesh.mzi_count());
    for (int turn = 0; turn < 5; ++turn) {
      for (float& s : steps) s = static_cast<float>(stream.normal());
      mesh.turn(steps);
    }
    const Eigen::MatrixXd u = mesh.matrix();
    CHECK((u * u.transpose() - Eigen::MatrixXd::Identity(n, n)).cwiseAbs().maxCoeff() < 1e-12);
    if (n > 1) CHECK((u - orthogonal(n)).norm() > 0.1);
  }
}

// Central differences of <slope, U> through turn() and matrix(), in double. Fails when the part of phi or of
// the screen is left out, or has another sign
TEST_CASE("the gradient of a perfect trained mesh is that of its turns") {
  constexpr int n = 7;
  TrainedMesh mesh(orthogonal(n));
  const Eigen::MatrixXf slope = slope_of(n);
  mesh.settle(error_preset("ideal"), {});
  const Eigen::VectorXf gradient = mesh.gradient(slope);
  for (Eigen::Index k = 0; k < mesh.mzi_count(); ++k) {
    const auto loss = [&](TrainedMesh& turned) {
      return turned.matrix().cwiseProduct(slope.cast<double>()).sum();
    };
    CHECK(gradient[k] == Approx(difference(mesh, k, 1e-3f, loss)).margin(2e-5));
  }
}

// The same through a fabricated mesh, whose matrix answers to its own phases: without splitter errors nothing
// is corrected and the derivative is exact. Offsets and unequal losses of preset doped-heaters. Fails when the
// loss is not taken out
TEST_CASE("the gradient of a fabricated trained mesh is that of its turns") {
  constexpr int n = 6;
  ErrorModel model = error_preset("doped-heaters");
  model.sigma_eta_rad = 0;
  model.dac_bits = 0;
  TrainedMesh mesh(orthogonal(n));
  const Eigen::MatrixXf slope = slope_of(n);
  mesh.settle(model, {3, 1, 0});
  const Eigen::VectorXf gradient = mesh.gradient(slope);
  for (Eigen::Index k = 0; k < mesh.mzi_count(); ++k) {
    const auto loss = [&](TrainedMesh& turned) {
      return turned.settle(model, {3, 1, 0}).cast<double>().cwiseProduct(slope.cast<double>()).sum();
    };
    // float fields, step 0.02: rounding 1e-6/0.02, third derivative 1e-4
    CHECK(gradient[k] == Approx(difference(mesh, k, 0.02f, loss)).margin(1e-3));
  }
}
