// Chips from wafers in studies: against an independent draw of the covariance, what dies and wafers share, the
// limit without any spread, who may not have them, and the same bits in any order.

#include "experiments/models/foundry.hpp"

#include <cmath>
#include <random>

#include "experiments/models/mesh_trial.hpp"
#include "experiments/models/operated_chip.hpp"
#include "experiments/models/trial_model.hpp"
#include "experiments/run/trials/run_trials.hpp"
#include "experiments/study/points.hpp"
#include "onn/chip/heater_power.hpp"
#include "physics/core/units.hpp"
#include "physics/mesh/decomposition.hpp"
#include "physics/mesh/reference_mesh.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/configs.hpp"
#include "tests/support/mesh_monte_carlo.hpp"
#include "tests/support/networks.hpp"

using namespace optinc;
using namespace optinc::testing;
using Catch::Matchers::WithinAbs;
using Catch::Matchers::WithinRel;

namespace {

/// Splitters that follow the height alone, 5e-3 rad per nm, and nothing that varies yet.
const std::vector<std::string> quiet = {"model=mesh",
                                        "chip.preset=ideal",
                                        "fabrication.process=wafer",
                                        "fabrication.width_wafer_bow_m=0.0",
                                        "fabrication.width_wafer_tilt_m=0.0",
                                        "fabrication.width_die_m=0.0",
                                        "fabrication.width_field_m=0.0",
                                        "fabrication.width_roughness_m=0.0",
                                        "fabrication.height_wafer_bow_m=0.0",
                                        "fabrication.height_wafer_tilt_m=0.0",
                                        "fabrication.height_die_m=0.0",
                                        "fabrication.height_field_m=0.0",
                                        "fabrication.heater_power_spread=0.0",
                                        "fabrication.eta_per_height_rad_per_m=5e6",
                                        "mesh.ports=8"};

StudyConfig wafer_study(const std::vector<std::string>& more = {}) {
  std::vector<std::string> settings = quiet;
  settings.insert(settings.end(), more.begin(), more.end());
  return parse("", settings);
}

/// Mean and its standard error from the means of groups of equal size, which are independent of each other.
struct GroupMean {
  double mean = 0, error = 0;
};
GroupMean mean_of_groups(const std::vector<double>& values, std::size_t size) {
  const std::size_t groups = values.size() / size;
  double m1 = 0, m2 = 0;
  for (std::size_t g = 0; g < groups; ++g) {
    double mean = 0;
    for (std::size_t i = 0; i < size; ++i) mean += values[g * size + i] / static_cast<double>(size);
    m1 += mean / static_cast<double>(groups);
    m2 += mean * mean / static_cast<double>(groups);
  }
  return {m1, std::sqrt((m2 - m1 * m1) / static_cast<double>(groups - 1))};
}

}  // namespace

// E^2 of uncorrected meshes of 8 ports against draws of their covariance that share no code with the process:
// places of splitters typed from the floor plan (200 um an MZI, 25 um a port, centres of splitters at 90 and
// 190 um), the covariance of all 56 angles on one die with its dense Cholesky factor, bow and tilt at the
// middle of every splitter, std::mt19937_64. R = 100 wafers of 23 dies each; E^2 varies by its wafer, so means
// of wafers give the standard error (1.4 % of E^2 each), and both differ by less than 5 of theirs. Fails when
// the random field of the height is left out
TEST_CASE("MC: errors of meshes on wafers are those of the covariance of their splitters") {
  const double white = 4e-3, rho = 0.5, field = 1.2, length = 0.4e-3, bow = 0.6, tilt = 0.5,
               offset = 0.4;  // nm
  const StudyConfig config =
      wafer_study({"chip.sigma_eta_rad=4e-3", "chip.rho_ab=0.5", "fabrication.height_field_m=1.2e-9",
                   "fabrication.correlation_length_m=0.4e-3", "fabrication.height_wafer_bow_m=0.6e-9",
                   "fabrication.height_wafer_tilt_m=0.5e-9", "fabrication.height_die_m=0.4e-9", "run.seed=77"});
  const std::vector<DiePosition> dies = dies_on_wafer({});
  const std::size_t wafers = 100, each = dies.size();
  const TrialModel model = mesh_model(config);
  const std::size_t cell = model.find("mesh_error")->offset;  // uncorrected
  const std::vector<double> found = measure(static_cast<int>(wafers * each), [&](std::uint32_t m) {
    return std::pow(run_trial(model, config, {0, m}).record[cell], 2);
  });

  const int n = 8;
  const MeshTopology t = clements_topology(n);
  const Eigen::Index mzis = t.mzi_count();
  Vector x(2 * mzis), y(2 * mzis);  // first splitters, then second ones
  Eigen::Index k = 0;
  for (int c = 0; c < n; ++c)
    for (int upper = c % 2; upper + 1 < n; upper += 2, ++k)
      for (const Eigen::Index s : {k, mzis + k}) {
        x[s] = 200e-6 * c + (s == k ? 90e-6 : 190e-6);
        y[s] = 25e-6 * (upper + 1);
      }
  REQUIRE(k == mzis);
  const double per_nm = 5e-3;
  Eigen::MatrixXd covariance(2 * mzis, 2 * mzis);
  for (Eigen::Index i = 0; i < 2 * mzis; ++i)
    for (Eigen::Index j = 0; j < 2 * mzis; ++j) {
      const double d = std::hypot(x[i] - x[j], y[i] - y[j]);
      covariance(i, j) = per_nm * per_nm * (field * field * std::exp(-d / length) + offset * offset);
      if (i == j) covariance(i, j) += white * white;
      if (i == j + mzis || j == i + mzis) covariance(i, j) += rho * white * white;
    }
  const Eigen::MatrixXd factor = covariance.llt().matrixL();
  std::mt19937_64 engine(5);
  std::normal_distribution<double> normal;
  std::vector<double> drawn;
  for (std::size_t w = 0; w < wafers; ++w) {
    const double a = bow * normal(engine), bx = tilt * normal(engine), by = tilt * normal(engine);
    for (std::size_t die = 0; die < each; ++die) {
      const Vector angles = factor * Vector::NullaryExpr(2 * mzis, [&] { return normal(engine); });
      MeshErrors errors = no_errors(t);
      for (Eigen::Index s = 0; s < 2 * mzis; ++s) {
        const double px = (dies[die].x_m + x[s]) / 0.1, py = (dies[die].y_m + y[s]) / 0.1;
        const double shared = per_nm * (a * (2 * (px * px + py * py) - 1) + bx * px + by * py);
        (s < mzis ? errors.alpha[s] : errors.beta[s - mzis]) = angles[s] + shared;
      }
      const Matrix u = haar_target(Target::unitary, n, 5, static_cast<std::uint32_t>(w * each + die));
      drawn.push_back((reference_transfer_matrix(t, decompose_clements(u), errors) - u).squaredNorm() / n);
    }
  }
  const GroupMean process = mean_of_groups(found, each), covariances = mean_of_groups(drawn, each);
  CAPTURE(process.mean, covariances.mean, process.error, covariances.error);
  CHECK(process.error < 0.02 * process.mean);
  CHECK(std::abs(process.mean - covariances.mean) < 5 * std::hypot(process.error, covariances.error));
  // what the covariance adds to the white part is no rounding: the same without it differs
  CHECK(process.mean > 1.5 * 2 * (n - 1) * white * white);
}

// Fails when the white part of a wafer's chip has no correlation inside an MZI
TEST_CASE("without any spread, chips from wafers are those of independent errors, bit for bit") {
  const std::vector<std::string> errors = {"chip.preset=doped-heaters", "calibration.sigma_estimate_rad=1e-3"};
  StudyConfig config = wafer_study(errors), independent = config;
  independent.fabrication.process = FabricationProcess::independent;
  const TrialModel model = mesh_model(config);
  for (const std::size_t trial : {0u, 40u})
    CHECK(run_trial(model, config, {0, trial}).record == run_trial(model, independent, {0, trial}).record);

  // a die without spreads, which the foundry does not even prepare
  const ChipDesign design = design_chip(random_network({2, 2, Rounding::half_even}, {4, 8}));
  const std::vector<MeshTopology> meshes = meshes_of(design);
  const DiePlan plan = placed_on_die(meshes, {}, {});
  const SharedVariation still{std::make_shared<const DieProcess>(prepare_die(meshes, plan.meshes, {})), {}};
  const ErrorModel doped = error_preset("doped-heaters");
  for (const CalibrationPolicy policy : {CalibrationPolicy::noisy, CalibrationPolicy::oracle})
    for (const std::uint32_t number : {0u, 2u}) {
      const CalibrationSettings settings{.policy = policy, .sigma_estimate_rad = 1e-3};
      const CalibratedChip a = calibrate(design, doped, settings, {3, 30, number}, still);
      const CalibratedChip b = calibrate(design, doped, settings, {3, 30, number});
      for (std::size_t l = 0; l < a.errors.layers.size(); ++l)
        for (std::size_t i = 0; i < a.errors.layers[l].size(); ++i)
          for (const auto mesh : {&BlockErrors::mesh, &BlockErrors::attenuators})
            for (const auto part :
                 {&MeshErrors::alpha, &MeshErrors::beta, &MeshErrors::theta_offset, &MeshErrors::phi_offset,
                  &MeshErrors::output_offset, &MeshErrors::theta_arm_loss_db, &MeshErrors::phi_other_loss_db}) {
              CHECK((a.errors.layers[l][i].*mesh).*part == (b.errors.layers[l][i].*mesh).*part);
              CHECK((a.known.layers[l][i].*mesh).*part == (b.known.layers[l][i].*mesh).*part);
            }
    }
}

// Fails when the offset is keyed by the wafer in place of the chip
TEST_CASE("a die's offset is common to all its splitters, and no other die has it") {
  const StudyConfig config =
      parse("", {"network.hidden=[4, 8]", "chip.preset=ideal", "fabrication.process=wafer",
                 "fabrication.width_wafer_bow_m=0.0", "fabrication.width_wafer_tilt_m=0.0",
                 "fabrication.width_field_m=0.0", "fabrication.height_wafer_bow_m=0.0",
                 "fabrication.height_wafer_tilt_m=0.0", "fabrication.height_field_m=0.0"});
  const ChipDesign design = design_chip(random_network({2, 2, Rounding::half_even}, {4, 8}));
  std::vector<double> offsets;
  for (const std::uint32_t chip : {0u, 1u, 23u}) {
    const CalibratedChip made = calibrated_chip(design, config, chip);
    const double offset = made.errors.layers[0][0].mesh.alpha[0];
    for (const auto& layer : made.errors.layers)
      for (const BlockErrors& block : layer)
        for (const MeshErrors* mesh : {&block.mesh, &block.attenuators})
          for (const Vector* angles : {&mesh->alpha, &mesh->beta})
            for (const double angle : *angles) CHECK(std::abs(angle - offset) < 1e-15);
    CHECK(offset != 0.0);
    for (const double other : offsets) CHECK(std::abs(other - offset) > 1e-6);
    offsets.push_back(offset);
  }
}

// eta = S a (2 r^2/R^2 - 1): every die of a wafer tells the same a. Fails when the bow is drawn for every die
TEST_CASE("dies of a wafer share its bow, and no other wafer has it") {
  const StudyConfig config = wafer_study({"fabrication.height_wafer_bow_m=1e-9", "mesh.ports=2"});
  const std::vector<DiePosition> dies = dies_on_wafer({});
  const auto bow_nm = [&](std::uint32_t chip) {
    const DiePosition at = dies[chip % dies.size()];
    const double px = (at.x_m + 90e-6) / 0.1, py = (at.y_m + 25e-6) / 0.1;  // first splitter of the only MZI
    return draw_mesh_trial(config, chip).errors.mzis.alpha[0] / (5e-3 * (2 * (px * px + py * py) - 1));
  };
  const auto count = static_cast<std::uint32_t>(dies.size());
  for (std::uint32_t die = 1; die < count; ++die) CHECK_THAT(bow_nm(die), WithinRel(bow_nm(0), 1e-9));
  CHECK(std::abs(bow_nm(count) - bow_nm(0)) > 1e-3);
  CHECK_THAT(bow_nm(count + 7), WithinRel(bow_nm(count), 1e-9));
}

// Fails when the foundry takes the field of one correlation length for another
TEST_CASE("a die prepared once for all trials gives each the bits it has alone, on any number of threads") {
  StudyConfig config = wafer_study({"fabrication.height_field_m=1e-9"});
  const SweepAxis axis{"length", {{"fabrication.correlation_length_m", {1e-4, 1e-3, 1e-2}}}, {}};
  config.sweeps = {axis};
  std::vector<std::vector<double>> alone;
  std::vector<TrialTask> tasks;
  for (std::size_t t = 0; t < 6; ++t)
    for (std::size_t p = 0; p < 3; ++p) {
      tasks.push_back({p, t});
      alone.push_back(run_trial(mesh_model(config), config_at(config, p), {p, t}).record);
    }
  CHECK(alone[0] != alone[1]);
  CHECK(alone[1] != alone[2]);
  const TrialModel model = mesh_model(config);
  for (const int threads : {1, 3}) {
    std::size_t seen = 0;
    on_threads(model, checked_points(config), threads)(
        tasks, [] { return false; },
        [&](const TrialResult& result) {
          CHECK(result.record == alone[result.task.trial * 3 + result.task.point]);
          ++seen;
        });
    CHECK(seen == tasks.size());
  }
}

// Fails when the mean is taken of the first splitters alone
TEST_CASE("a calibration that knows the mean of the die corrects what its splitters share and no more") {
  StudyConfig config = wafer_study({"chip.sigma_eta_rad=0.01", "calibration.splitters=die-mean"});
  const MeshTrial trial = draw_mesh_trial(config, 3);
  const MeshErrors& e = trial.errors.mzis;
  const double mean = (e.alpha.sum() + e.beta.sum()) / static_cast<double>(2 * e.alpha.size());
  for (const Vector* known : {&trial.known.alpha, &trial.known.beta})
    for (const double angle : *known) CHECK_THAT(angle, WithinAbs(mean, 1e-15));

  // an offset alone is corrected as if every splitter were known; uncorrected, it is not
  StudyConfig offset = wafer_study({"fabrication.height_die_m=4e-9", "calibration.splitters=die-mean"});
  const auto errors = [&] {
    return run_trial(mesh_model(offset), offset, {0, 5}).record;  // variants of mesh_error first
  };
  const std::vector<double> by_mean = errors();
  offset.calibration.splitters = KnownAngles::each;
  const std::vector<double> by_each = errors();
  CHECK_THAT(by_mean[1], WithinAbs(by_each[1], 1e-12));
  CHECK(by_mean[0] > 3 * by_mean[1]);

  // a whole chip: the mean of all meshes and attenuators, of what was estimated
  const ChipDesign design = design_chip(random_network({2, 2, Rounding::half_even}, {4, 8}));
  const CalibratedChip each =
      calibrate(design, error_preset("doped-heaters"), {.sigma_estimate_rad = 1e-3}, {3, 1});
  const CalibratedChip known =
      calibrate(design, error_preset("doped-heaters"),
                {.sigma_estimate_rad = 1e-3, .splitters = KnownAngles::die_mean}, {3, 1});
  double sum = 0, count = 0;
  for (const auto& layer : each.known.layers)
    for (const BlockErrors& block : layer)
      for (const MeshErrors* mesh : {&block.mesh, &block.attenuators}) {
        sum += mesh->alpha.sum() + mesh->beta.sum();
        count += 2 * static_cast<double>(mesh->alpha.size());
      }
  CHECK_THAT(known.known.layers[1][0].mesh.beta[0], WithinAbs(sum / count, 1e-15));
  CHECK(known.errors.layers[1][0].mesh.beta == each.errors.layers[1][0].mesh.beta);
}

// Fails when heaters are trimmed by the static phases of independent chips
TEST_CASE("static phases and heaters of a chip from a wafer are those that its process left") {
  const StudyConfig config =
      parse("", {"network.hidden=[4, 8]", "chip.preset=ideal", "fabrication.process=wafer",
                 "calibration.policy=none", "fabrication.heater_power_spread=0.1"});
  const ChipDesign design = design_chip(random_network({2, 2, Rounding::half_even}, {4, 8}));
  const CalibratedChip left = calibrated_chip(design, config, 4);
  const MeshErrors& mesh = left.errors.layers[1][0].mesh;
  CHECK(mesh.theta_offset == left.static_phases.layers[1][0].mesh.theta);
  CHECK(mesh.output_offset == left.static_phases.layers[1][0].mesh.output_phase);
  CHECK(mesh.theta_offset.cwiseAbs().maxCoeff() < 2.0);  // arms of one MZI, 25 um apart, differ by no turn
  CHECK(mesh.theta_offset.cwiseAbs().maxCoeff() > 0.01);
  CHECK(left.errors.layers[1][0].attenuators.output_offset.isZero(0.0));
  StudyConfig calibrated = config;
  calibrated.calibration.policy = CalibrationPolicy::noisy;
  const OperatedChip operated =
      operate_chip(design, calibrated, calibrated_chip(design, calibrated, 4), 4, Programming::uncorrected);
  const double set = operated.program.layers[1][0].mesh.theta[0],
               found = left.static_phases.layers[1][0].mesh.theta[0];
  CHECK_THAT(std::remainder(operated.heaters.layers[1][0].mesh.theta[0] - (set - found), 2 * constants::pi),
             WithinAbs(0.0, 1e-12));
  CHECK(heater_power_w(operated.heaters, 1.0, operated.heater_power) != heater_power_w(operated.heaters, 1.0));
  const Vector& power = left.heater_power.layers[1][0].mesh.theta;
  CHECK(power.minCoeff() < 1.0);
  CHECK(power.maxCoeff() > 1.0);
}

// Fails when the check of what was measured is left out
TEST_CASE("studies that cannot have wafers are refused by their keys") {
  const auto refused = [](const std::vector<std::string>& more, const std::vector<std::string>& parts) {
    std::vector<std::string> settings = {"fabrication.process=wafer"};
    settings.insert(settings.end(), more.begin(), more.end());
    check_message(complaint("", settings), parts);
  };
  refused({"model=mesh", "mesh.kind=balanced"},
          {"fabrication.process = \"wafer\"", "mesh.kind = \"standard\""});
  refused({"model=mesh", "mesh.measured=mine.csv"}, {"fabrication.process = \"wafer\"", "mesh.measured"});
  refused({"model=mesh", "mesh.ports=64", "fabrication.die_length_m=10e-3"},
          {"fabrication.die_length_m = 0.01", "0.01288 m", "layout.mzi_length_m"});
  refused({"model=mesh", "mesh.ports=64", "fabrication.die_width_m=1e-3"},
          {"fabrication.die_width_m = 0.001", "0.0016 m", "layout.mzi_width_m"});
  refused({"network.hidden=[256, 256]"}, {"fabrication.die_length_m = 0.026", "layout.mzi_length_m"});
  refused({"training.on_chips=true", "network.start=shipped/32x5"},
          {"fabrication.process = \"wafer\"", "training.on_chips = false"});
  refused({"fabrication.wafer_radius_m=5e-3"}, {"fabrication.die_length_m = 0.026 (no die", "0.026 x 0.033"});
  refused({"fabrication.edge_exclusion_m=0.1"}, {"fabrication.edge_exclusion_m = 0.1"});
  refused({"fabrication.kernel=square"}, {"fabrication.kernel", "gaussian", "exponential"});
  // a field that needs too large a grid: known once it is factorised
  StudyConfig config =
      wafer_study({"mesh.ports=40", "fabrication.height_field_m=1e-9", "fabrication.correlation_length_m=1.0"});
  check_message(refusal([&] { draw_mesh_trial(config, 0); }), {"fabrication.correlation_length_m = 1"});
}

// Fails when a die that was prepared without a random field serves a point that has one
TEST_CASE("a random field that a sweep turns on is there") {
  const Foundry foundry;
  const StudyConfig off = wafer_study({"fabrication.height_die_m=1e-9"}),
                    on = wafer_study({"fabrication.height_die_m=1e-9", "fabrication.height_field_m=1e-9"});
  const Vector without = draw_mesh_trial(off, 0, {}, foundry).errors.mzis.alpha;
  const Vector with = draw_mesh_trial(on, 0, {}, foundry).errors.mzis.alpha;
  CHECK(with == draw_mesh_trial(on, 0).errors.mzis.alpha);
  CHECK(with != without);
}

// Fails when two correlation lengths count as one
TEST_CASE("memory of random fields is counted once for every place they stand at") {
  StudyConfig config = wafer_study({"mesh.ports=8"});
  const MeshTopology mesh = clements_topology(8);
  const double sites = 8 * 7 + 2 * 8 * 8 + 8;  // splitters, arms, screen
  const auto bytes = [&](int threads) { return field_memory_bytes(config, std::span(&mesh, 1), threads); };
  CHECK(bytes(0) == 8 * sites * sites);
  CHECK(bytes(2) == 8 * sites * sites + 2 * 32 * sites);
  config.sweeps = {{"l", {{"fabrication.correlation_length_m", {1e-3, 2e-3, 3e-3}}}, {}}};
  CHECK(bytes(0) == 3 * 8 * sites * sites);
  config.fabrication.process = FabricationProcess::independent;
  CHECK(bytes(2) == 0.0);
}
