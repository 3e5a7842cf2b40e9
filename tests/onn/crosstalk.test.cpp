#include "onn/crosstalk.hpp"

#include <cmath>

#include "tests/support/catch.hpp"
#include "tests/support/networks.hpp"
#include "tests/support/refusal.hpp"

using namespace optinc;

namespace {

const ChipDesign& design() {
  static const ChipDesign made = design_chip(random_network({2, 2}, {8}));
  return made;
}

/// Offsets that crosstalk leaves on the first mesh, theta, phi and output screen.
Vector errors_left(const CrosstalkSettings& settings) {
  const ErrorModel ideal = error_preset("ideal");
  ChipErrors errors = fabricate(design(), ideal, 1, 0);
  const ChipProgram program = program_chip(design(), errors, 0, Programming::corrected);
  add_crosstalk(chip_crosstalk(design(), settings), program, errors);
  const MeshErrors& mesh = errors.layers[0][0].mesh;
  Vector all(mesh.theta_offset.size() + mesh.phi_offset.size() + mesh.output_offset.size());
  all << mesh.theta_offset, mesh.phi_offset, mesh.output_offset;
  return all;
}

}  // namespace

// Fails when the inversion takes another matrix than the light, or the errors are added with the other sign
TEST_CASE("crosstalk: none without it, none where it is known, its own sum where it is not") {
  CrosstalkSettings settings;
  CHECK(errors_left(settings).isZero(0));
  settings.x0 = 0.05;
  const Vector unknown = errors_left(settings);
  settings.known = 1.0;
  CHECK(errors_left(settings).cwiseAbs().maxCoeff() < 1e-10);
  settings.known = 0.8;
  CHECK(errors_left(settings).norm() < 0.3 * unknown.norm());
  CHECK(errors_left(settings).norm() > 0.1 * unknown.norm());

  // by hand: every heater of phase p gives any other x0 e^(-d/d0) p, all have one resistance
  const BlockDesign& block = design().layers[0].blocks[0];
  const Sites sites = heater_sites(floor_plan(block.mesh, settings.plan));
  const MeshProgram phases =
      program_chip(design(), fabricate(design(), error_preset("ideal"), 1, 0), 0, Programming::corrected)
          .layers[0][0]
          .mesh;
  Vector wanted(unknown.size());
  wanted << phases.theta, phases.phi, phases.output_phase;
  for (Eigen::Index i = 0; i < unknown.size(); ++i) {
    double sum = 0.0;
    for (Eigen::Index j = 0; j < unknown.size(); ++j) {
      const double d = std::hypot(sites.x_m[i] - sites.x_m[j], sites.y_m[i] - sites.y_m[j]);
      if (j != i && d <= 400e-6)
        sum += 0.05 * std::exp(-d / 50e-6) * std::fmod(wanted[j] + 20 * M_PI, 2 * M_PI);
    }
    CHECK(std::abs(std::remainder(unknown[i] - sum, 2 * M_PI)) < 1e-9);
  }
}

TEST_CASE("crosstalk: what is refused") {
  CrosstalkSettings settings;
  settings.x0 = 1.0;
  check_message(refusal([&] { chip_crosstalk(design(), settings); }), {"x0 = 1", "less than 1"});
  settings = {};
  settings.d0_m = 0.0;
  check_message(refusal([&] { chip_crosstalk(design(), settings); }), {"d0_m = 0"});
}
