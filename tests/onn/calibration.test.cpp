#include "onn/calibration.hpp"

#include <cmath>

#include "physics/mesh/reference_mesh.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/networks.hpp"
#include "tests/support/refusal.hpp"

using namespace optinc;

namespace {

constexpr std::uint64_t seed = 3;

const ChipDesign& design() {
  static const ChipDesign made = design_chip(random_network({4, 2}, {16, 32}));
  return made;
}

CalibrationSettings with(CalibrationPolicy policy, double sigma_estimate_rad = 0.0) {
  return {policy, sigma_estimate_rad, 20};
}

/// rms over the offsets of the largest mesh's inner phase shifters, and over what is unknown of its splitters.
double offset_rms(const CalibratedChip& chip) {
  const Vector& offsets = chip.errors.layers[1][0].mesh.theta_offset;
  return std::sqrt(offsets.squaredNorm() / static_cast<double>(offsets.size()));
}
double unknown_rms(const CalibratedChip& chip) {
  const Vector difference = chip.known.layers[1][0].mesh.alpha - chip.errors.layers[1][0].mesh.alpha;
  return std::sqrt(difference.squaredNorm() / static_cast<double>(difference.size()));
}

/// Largest relative in-phase error of the second layer's meshes, losses of the mean chip taken off.
double worst_mesh(const CalibratedChip& chip, const ErrorModel& model, Programming programming,
                  const CalibrationSettings& settings) {
  const ChipProgram program = program_calibrated(design(), chip, model, programming, settings);
  double worst = 0.0;
  for (std::size_t b = 0; b < design().layers[1].blocks.size(); ++b) {
    const BlockDesign& block = design().layers[1].blocks[b];
    const double factor = std::pow(10.0, -model.mzi_loss_db * block.mesh.columns() / 20);
    const Matrix wanted =
        factor * reference_transfer_matrix(block.mesh, block.mesh_program, no_errors(block.mesh));
    const Matrix found =
        reference_transfer_matrix(block.mesh, program.layers[1][b].mesh, chip.errors.layers[1][b].mesh);
    worst = std::max(worst, (found - wanted).real().norm() / wanted.norm());
  }
  return worst;
}

}  // namespace

// Tolerances: 5 sigma of an rms over 120 MZIs, 32 %. Fails when a policy forgets the residual, the static
// phases or the error of the estimate
TEST_CASE("calibration: what each policy leaves and what it knows") {
  const ErrorModel model = error_preset("good-lab");  // 2 mrad and 1 mrad of phase, 10 mrad of splitters
  const auto chip = [&](CalibrationPolicy policy, double sigma = 0.0) {
    return calibrate(design(), model, with(policy, sigma), seed, 0);
  };
  const auto noisy = chip(CalibrationPolicy::noisy), oracle = chip(CalibrationPolicy::oracle);
  const auto none = chip(CalibrationPolicy::none), guessed = chip(CalibrationPolicy::noisy, 3e-3);
  CHECK(offset_rms(noisy) == Approx(std::hypot(2e-3, 1e-3)).epsilon(0.32));
  CHECK(offset_rms(oracle) == Approx(1e-3).epsilon(0.32));  // phase noise is no one's to calibrate
  CHECK(offset_rms(none) == Approx(2 * 3.14159265 / std::sqrt(3.0)).epsilon(0.32));  // uniform over a turn
  CHECK(unknown_rms(noisy) == 0.0);
  CHECK(unknown_rms(oracle) == 0.0);
  CHECK(unknown_rms(guessed) == Approx(3e-3).epsilon(0.32));
  CHECK(unknown_rms(none) == Approx(10e-3).epsilon(0.32));
  // the default is what fabricate() gives, and splitters are no policy's to change
  const ChipErrors fabricated = fabricate(design(), model, seed, 0);
  CHECK(noisy.errors.layers[1][0].mesh.phi_offset == fabricated.layers[1][0].mesh.phi_offset);
  for (const auto& each : {noisy, oracle, none, guessed}) {
    CHECK(each.errors.layers[1][0].mesh.alpha == fabricated.layers[1][0].mesh.alpha);
    CHECK(each.errors.layers[1][0].attenuators.output_offset.isZero(0));
  }
}

// Fails when in-situ programming measures another chip than the one it drives, or aims past the mean loss
TEST_CASE("calibration: in situ undoes what its estimate does not know, and starts from it") {
  ErrorModel model = error_preset("foundry");
  model.dac_bits = 0;
  model.sigma_cal_rad = 0.02;
  model.arm_loss_spread_db = 0.0;  // which phases cannot undo
  const auto in_situ = with(CalibrationPolicy::in_situ, 5e-3), noisy = with(CalibrationPolicy::noisy, 5e-3);
  const auto chip = calibrate(design(), model, in_situ, seed, 1);
  const double before = worst_mesh(chip, model, Programming::corrected, noisy);
  const double after = worst_mesh(chip, model, Programming::corrected, in_situ);
  CAPTURE(before, after);
  CHECK(after < 0.25 * before);
  // without any step it is the noisy policy
  CalibrationSettings still = in_situ;
  still.in_situ_steps = 0;
  CHECK(worst_mesh(chip, model, Programming::corrected, still) == Approx(before).epsilon(1e-9));
}

TEST_CASE("calibration: what is refused") {
  check_message(refusal([] { policy_of_name("orakle"); }),
                {"orakle", "none, oracle, noisy, in-situ", "oracle?"});
  check_message(refusal([] { calibrate(design(), {}, with(CalibrationPolicy::noisy, -1e-3), seed, 0); }),
                {"sigma_estimate_rad = -0.001"});
}
