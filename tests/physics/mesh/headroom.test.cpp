#include "physics/mesh/headroom.hpp"

#include <cmath>

#include <Eigen/QR>

#include "physics/core/check.hpp"
#include "physics/mesh/decomposition.hpp"
#include "physics/mesh/fit.hpp"
#include "physics/random/stream.hpp"
#include "physics/variation/chip_errors.hpp"
#include "physics/variation/error_model.hpp"

#include "tests/support/catch.hpp"

using namespace optinc;

// Limits by hand. Fails when the spread counts as that of a MZI, or of all columns' arms, or sigma once
TEST_CASE("headroom: without oscillator error the largest eigenvalue is given away, and no error is left") {
  const double e = std::log(10.0) / 20 * 0.13 * std::sqrt(15.0);
  const HeadroomLaw exact = headroom_law(clements_topology(16), 0.13, 0.0);
  CHECK(exact.error < 1e-4 * e);
  CHECK(exact.headroom_db == Approx(20 * std::log10(std::exp(1.0)) * 2 * e).epsilon(1e-3));
  CHECK(exact.quadrature == Approx(std::sqrt(2 * 2 * e + e * e)).epsilon(1e-3));  // < l > = 0
  CHECK(exact.uncorrected == Approx(e).epsilon(1e-12));
  // oscillators so bad that nothing may be turned: l^2 alone, and h = 0
  const HeadroomLaw lost = headroom_law(clements_topology(16), 0.13, 1.0);
  CHECK(lost.error == Approx(std::hypot(e, e)).epsilon(1e-6));
  CHECK(lost.headroom_db == Approx(0.0).margin(1e-6));
  CHECK(headroom_law(clements_topology(16), 0.0, 0.05).error < 1e-6);
  // a little sigma: nearly all is turned, and seen by sigma |Im T|
  const HeadroomLaw small = headroom_law(clements_topology(64), 0.1, 1e-3);
  CHECK(small.error == Approx(1e-3 * small.quadrature).epsilon(0.03));
  CHECK_THROWS_AS(headroom_law(clements_topology(8), -0.1, 0.0), Error);
}

// Six meshes of 16 ports, phases fitted: the law to 20 %, which is what it leaves out (second order in e) and
// how far 600 steps go. Fails when the error of losses is another, or the quadrature is seen more or less
TEST_CASE("headroom: fitted meshes follow the law") {
  constexpr int n = 16;
  ErrorModel model = error_preset("ideal");
  model.mzi_loss_db = 0.56;
  model.arm_loss_spread_db = 0.13;
  const MeshTopology mesh = clements_topology(n);
  Stream stream(5, Purpose::test);
  for (const double sigma : {0.02, 0.05}) {
    const HeadroomLaw law = headroom_law(mesh, model.arm_loss_spread_db, sigma);
    double squares = 0.0, before = 0.0;
    constexpr int meshes = 6;
    for (std::uint32_t chip = 0; chip < meshes; ++chip) {
      const Eigen::MatrixXd drawn = Eigen::MatrixXd::NullaryExpr(n, n, [&] { return stream.normal(); });
      const Matrix u =
          Eigen::MatrixXd(Eigen::HouseholderQR<Eigen::MatrixXd>(drawn).householderQ()).cast<Complex>();
      const MeshProgram start = decompose_clements(u);
      const MeshErrors errors = draw_mesh_errors(mesh, model, {1, chip, 0});
      FitOptions options = {.steps = 0, .in_phase = true, .oscillator_rad = sigma, .scale = FitScale::common};
      before += std::pow(fit_program(mesh, errors, u, start, options).error, 2) / meshes;
      options.steps = 600;
      options.memory = 40, options.start_rad = 0.02;
      squares += std::pow(fit_program(mesh, errors, u, start, options).error, 2) / meshes;
    }
    CAPTURE(sigma, law.error, std::sqrt(squares), law.uncorrected, std::sqrt(before));
    CHECK(std::sqrt(squares) == Approx(law.error).epsilon(0.2));
    CHECK(std::sqrt(before) == Approx(law.uncorrected).epsilon(0.1));
  }
}
