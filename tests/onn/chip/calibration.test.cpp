#include "onn/chip/calibration.hpp"

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
  return {.policy = policy, .sigma_estimate_rad = sigma_estimate_rad};
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
    return calibrate(design(), model, with(policy, sigma), {seed, 0});
  };
  const auto noisy = chip(CalibrationPolicy::noisy), oracle = chip(CalibrationPolicy::oracle);
  const auto none = chip(CalibrationPolicy::none), guessed = chip(CalibrationPolicy::noisy, 3e-3);
  CHECK(offset_rms(noisy) == Approx(2e-3).epsilon(0.32));
  CHECK(offset_rms(oracle) ==
        0.0);  // phase noise passes meanwhile: it is in what operates, not in what is left
  CHECK(offset_rms(none) == Approx(2 * 3.14159265 / std::sqrt(3.0)).epsilon(0.32));  // uniform over a turn
  CHECK(unknown_rms(noisy) == 0.0);
  CHECK(unknown_rms(oracle) == 0.0);
  CHECK(unknown_rms(guessed) == Approx(3e-3).epsilon(0.32));
  CHECK(unknown_rms(none) == Approx(10e-3).epsilon(0.32));
  // the default is what fabricate() gives, and splitters are no policy's to change
  const ChipErrors fabricated = fabricate(design(), model, seed, 0);
  CHECK(with_phase_noise(noisy.errors, model, seed, 0).layers[1][0].mesh.phi_offset ==
        fabricated.layers[1][0].mesh.phi_offset);
  for (const auto& each : {noisy, oracle, none, guessed}) {
    CHECK(each.errors.layers[1][0].mesh.alpha == fabricated.layers[1][0].mesh.alpha);
    CHECK(each.errors.layers[1][0].attenuators.output_offset.isZero(0));
  }
}

// Fails when in-situ programming measures another chip than the one it drives, or aims past the mean loss
TEST_CASE("calibration: in situ undoes what its estimate does not know, and starts from it") {
  ErrorModel model = error_preset("doped-heaters");
  model.dac_bits = 0;
  model.sigma_cal_rad = 0.02;
  model.arm_loss_spread_db = 0.0;  // which phases cannot undo
  const auto in_situ = with(CalibrationPolicy::in_situ, 5e-3), noisy = with(CalibrationPolicy::noisy, 5e-3);
  const auto chip = calibrate(design(), model, in_situ, {seed, 1});
  const double before = worst_mesh(chip, model, Programming::corrected, noisy);
  const double after = worst_mesh(chip, model, Programming::corrected, in_situ);
  CAPTURE(before, after);
  CHECK(after < 0.25 * before);
  // without any step it is the noisy policy
  CalibrationSettings still = in_situ;
  still.in_situ_steps = 0;
  CHECK(worst_mesh(chip, model, Programming::corrected, still) == Approx(before).epsilon(1e-9));
}

// Tolerances: 5 sigma of an rms over 120 MZIs. Fails when a block's noise is that of another instant, or is
// in the offsets that calibration leaves
TEST_CASE("calibration: phase noise is another at every instant, and nothing that steps in situ can undo") {
  ErrorModel model = error_preset("ideal");
  model.sigma_phase_rad = 5e-3;
  const auto in_situ = with(CalibrationPolicy::in_situ);
  const auto chip = calibrate(design(), model, in_situ, {seed, 2});
  const auto noise = [&](std::uint32_t instant) {
    return Vector(with_phase_noise(chip.errors, model, seed, 2, instant).layers[1][0].mesh.theta_offset -
                  chip.errors.layers[1][0].mesh.theta_offset);
  };
  const Vector first = noise(0), later = noise(7);
  const auto count = static_cast<double>(first.size());
  CHECK(std::sqrt(first.squaredNorm() / count) == Approx(5e-3).epsilon(0.32));
  CHECK(std::sqrt((first - later).squaredNorm() / count) == Approx(5e-3 * std::sqrt(2.0)).epsilon(0.32));
  CHECK(noise(7) == later);
  CHECK(with_phase_noise(chip.errors, model, seed, 2, 7).layers[1][0].attenuators.output_offset.isZero(0));
  // the chip without its noise is perfect already: in situ has nothing to move
  const ChipProgram still =
      program_calibrated(design(), chip, model, Programming::corrected, with(CalibrationPolicy::noisy));
  const ChipProgram moved = program_calibrated(design(), chip, model, Programming::corrected, in_situ);
  CHECK((moved.layers[1][0].mesh.theta - still.layers[1][0].mesh.theta).cwiseAbs().maxCoeff() < 1e-6);
  CHECK(noise(4096) != first);  // instants are a coordinate of their own, which does not wrap
}

// Tolerances: 5 sigma of an rms over 120 MZIs. Fails when a later calibration keeps the first one's residual or
// estimates, changes the chip, or follows another policy than the first
TEST_CASE("calibration: once more leaves another residual and the chip's own devices") {
  const ErrorModel model = error_preset("good-lab");
  const auto again = [&](CalibrationPolicy policy, std::uint32_t number) {
    return calibrate(design(), model, with(policy, 3e-3), {seed, 4, number});
  };
  const auto first = again(CalibrationPolicy::noisy, 0), second = again(CalibrationPolicy::noisy, 1);
  const MeshErrors &a = first.errors.layers[1][0].mesh, &b = second.errors.layers[1][0].mesh;
  CHECK(a.alpha == b.alpha);
  CHECK(a.phi_arm_loss_db == b.phi_arm_loss_db);
  CHECK(offset_rms(second) == Approx(2e-3).epsilon(0.32));
  CHECK(std::sqrt((a.theta_offset - b.theta_offset).squaredNorm() /
                  static_cast<double>(a.theta_offset.size())) == Approx(2e-3 * std::sqrt(2.0)).epsilon(0.32));
  CHECK(unknown_rms(second) == Approx(3e-3).epsilon(0.32));
  CHECK(first.known.layers[1][0].mesh.alpha != second.known.layers[1][0].mesh.alpha);
  CHECK(again(CalibrationPolicy::noisy, 1).errors.layers[1][0].mesh.theta_offset == b.theta_offset);
  CHECK(again(CalibrationPolicy::noisy, 2).errors.layers[1][0].mesh.theta_offset != b.theta_offset);
  CHECK(second.errors.layers[1][0].attenuators.output_offset.isZero(0));
  CHECK(offset_rms(again(CalibrationPolicy::oracle, 1)) == 0.0);
  CHECK(unknown_rms(again(CalibrationPolicy::oracle, 1)) == 0.0);
  const auto none = again(CalibrationPolicy::none, 0), never = again(CalibrationPolicy::none, 1);
  CHECK(none.errors.layers[1][0].mesh.phi_offset == never.errors.layers[1][0].mesh.phi_offset);
}

// 50 phases and more, each uniform over a turn: mean pi, 5 sigma of it 2 pi / sqrt(12 n) times 5. Fails when
// the static phase is added in place of taken off, or is another than that of an uncalibrated chip
TEST_CASE("calibration: heaters trim the static phases") {
  const ErrorModel ideal = error_preset("ideal");
  const auto bare = calibrate(design(), ideal, with(CalibrationPolicy::none), {seed, 5});
  const ChipProgram program =
      program_calibrated(design(), bare, ideal, Programming::corrected, with(CalibrationPolicy::none));
  const ChipProgram heaters = trimmed(program, seed, 5);
  for (const auto which : {&BlockProgram::mesh, &BlockProgram::attenuators}) {
    const MeshProgram &asked = heaters.layers[1][0].*which, &set = program.layers[1][0].*which;
    const MeshErrors& left =
        which == &BlockProgram::mesh ? bare.errors.layers[1][0].mesh : bare.errors.layers[1][0].attenuators;
    CHECK(asked.theta.minCoeff() >= 0);
    CHECK(asked.theta.maxCoeff() < 2 * M_PI);
    // heater and static phase make the program's phase
    CHECK(((asked.theta + left.theta_offset - set.theta) / (2 * M_PI))
              .unaryExpr([](double turns) { return std::abs(turns - std::round(turns)); })
              .maxCoeff() < 1e-12);
    CHECK(((asked.phi + left.phi_offset - set.phi) / (2 * M_PI))
              .unaryExpr([](double turns) { return std::abs(turns - std::round(turns)); })
              .maxCoeff() < 1e-12);
  }
  const Vector& theta = heaters.layers[1][0].mesh.theta;
  CHECK(theta.mean() ==
        Approx(M_PI).margin(5 * 2 * M_PI / std::sqrt(12.0 * static_cast<double>(theta.size()))));
}

// A mean over the columns that light passes. Fails when attenuators count like columns of the mesh, or not at
// all
TEST_CASE("calibration: receivers make up for meshes and attenuators, each by its columns") {
  KnownLosses losses;
  for (const LayerDesign& layer : design().layers)
    losses.emplace_back(layer.blocks.size(), BlockLosses{0.1, 0.4});
  losses[1].back() = {0.1, 0.5};
  const ChipDesign made = with_known_losses(design(), losses);
  for (std::size_t l = 0; l < losses.size(); ++l) {
    const BlockDesign& block = design().layers[l].blocks.back();
    const double mesh = block.mesh.columns(), attenuators = block.attenuators.columns();
    const double lossiest = losses[l].back().attenuators_db;  // where there are attenuators
    CHECK(made.layers[l].measured_arm_loss_db ==
          Approx((mesh * 0.1 + attenuators * lossiest) / (mesh + attenuators)).epsilon(1e-12));
  }
}

TEST_CASE("calibration: what is refused") {
  check_message(refusal([] { value_of_name<CalibrationPolicy>("orakle"); }),
                {"orakle", "none, oracle, noisy, in-situ", "\"oracle\"?"});
  check_message(refusal([] {
                  calibrate(design(), {}, with(CalibrationPolicy::noisy, -1e-3), {seed, 0});
                }),
                {"sigma_estimate_rad = -0.001"});
}
