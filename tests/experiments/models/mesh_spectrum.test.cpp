// Model mesh at another wavelength and temperature than it was calibrated at, and the delays of its paths.

#include "experiments/models/mesh_trial.hpp"
#include "experiments/models/trial_model.hpp"
#include "experiments/run/trials/run_trials.hpp"
#include "onn/chip/calibration.hpp"
#include "onn/chip/environment.hpp"
#include "physics/devices/coupler.hpp"
#include "physics/devices/phase_shifter.hpp"
#include "physics/devices/waveguide.hpp"
#include "physics/mesh/reference_mesh.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/configs.hpp"
#include "tests/support/meshes.hpp"

using namespace optinc;
using namespace optinc::testing;
using Catch::Matchers::WithinAbs;
using Catch::Matchers::WithinRel;

namespace {

constexpr double c = 299792458.0, wavelength_m = 1550e-9, omega = 2 * constants::pi * c / wavelength_m;
constexpr double delay_s_per_m = 4.1978005 / c;  // n_g / c of the strip

StudyConfig mesh_study(int ports, const std::vector<std::string>& more = {}) {
  std::vector<std::string> settings = {"model=mesh", "mesh.ports=" + std::to_string(ports)};
  settings.insert(settings.end(), more.begin(), more.end());
  return parse("", settings);
}

std::vector<double> record_of(const StudyConfig& config, std::size_t trial = 2) {
  return run_trial(mesh_model(config), config, {0, trial}).record;
}

double value(const StudyConfig& config, std::string_view metric, std::size_t variant = 1) {
  const TrialModel model = mesh_model(config);
  return record_of(config)[model.find(metric)->offset + variant];
}

/// The mesh by devices that know their wavelength: couplers with their slope, heaters whose phase goes as 1 /
/// lambda, and the path difference of every shifter as a waveguide (longer or shorter), its phase at the design
/// point taken away.
Matrix by_devices(const MeshTrial& trial, const MeshProgram& program, const StudyConfig& config, double at_m) {
  const MeshImbalance imbalance = draw_mesh_imbalance(trial.topology, config.drift.sensitivity, trial.address);
  const MeshProgram heaters = trimmed(program, true, trial.address);
  const auto shifter = [&](double set_rad, double heater_rad, double path_m) {
    const Waveguide guide = soi_strip_500x220(std::abs(path_m));
    const double path_rad = waveguide_phase_rad(guide, at_m) - waveguide_phase_rad(guide, wavelength_m);
    return std::polar(1.0,
                      set_rad + heater_rad * (wavelength_m / at_m - 1) + (path_m < 0 ? -path_rad : path_rad));
  };
  const auto splitter = [&](double error_rad) {
    return directional_coupler({.eta_rad = constants::pi / 4 + error_rad, .excess_loss_db = 0.0}, at_m);
  };
  MeshBlocks mesh;
  const MeshErrors& e = trial.errors.mzis;
  for (int k = 0; k < trial.topology.mzi_count(); ++k) {
    Matrix2 theta = Matrix2::Identity(), phi = Matrix2::Identity();
    theta(0, 0) = shifter(program.theta[k] + e.theta_offset[k], heaters.theta[k], imbalance.theta_m[k]);
    phi(0, 0) = shifter(program.phi[k] + e.phi_offset[k], heaters.phi[k], imbalance.phi_m[k]);
    mesh.blocks.push_back(splitter(e.beta[k]) * theta * splitter(e.alpha[k]) * phi);
  }
  mesh.screen.resize(trial.topology.ports);
  for (int p = 0; p < trial.topology.ports; ++p)
    mesh.screen[p] =
        shifter(program.output_phase[p] + e.output_offset[p], heaters.output_phase[p], imbalance.output_m[p]);
  return reference_transfer_matrix(trial.topology, mesh);
}

}  // namespace

// Fails when a change of 0 goes through the arithmetic of a change, or path differences take draws of another
// purpose
TEST_CASE("a mesh at the wavelength and temperature of its calibration is what it was, to the bit") {
  const StudyConfig config = mesh_study(7, {"chip.preset=doped-heaters"});
  const MeshTrial trial = draw_mesh_trial(config, 2);
  const MeshProgram program = programmed_mesh(trial, "corrected_quadrature", config.chip).program;
  CHECK(found_matrix(trial, program, errors_in_use(trial, program, config)) == found_matrix(trial, program));
  const StudyConfig other = mesh_study(7, {"chip.preset=doped-heaters", "drift.imbalance_m=1e-5",
                                           "drift.splitter_rad_per_m=1e6", "drift.heater_per_k=1e-3"});
  for (const char* metric : {"mesh_error", "mesh_error_in_phase", "fidelity", "insertion_loss"})
    CHECK(value(config, metric) == value(other, metric));
}

// First order in the detuning: the rest is below 2 % of the change at 0.5 nm, of either sign, and falls as its
// square. Fails when heaters are not trimmed, the screen keeps its phase, or one splitter of an MZI keeps its
// angle
TEST_CASE("a detuned mesh is that of devices at the other wavelength") {
  const StudyConfig config =
      mesh_study(6, {"chip.preset=good-lab", "chip.arm_loss_spread_db=0", "chip.mzi_loss_db=0"});
  const MeshTrial trial = draw_mesh_trial(config, 1);
  const MeshProgram program = programmed_mesh(trial, "corrected_quadrature", config.chip).program;
  const Matrix still = found_matrix(trial, program);
  CHECK(max_abs(by_devices(trial, program, config, wavelength_m) - still) < 1e-12);
  const auto rest = [&](double detuned_m) {
    const Matrix detuned = found_matrix(trial, program, errors_in_use(trial, program, config, detuned_m));
    CHECK((detuned - still).norm() > 3e6 * std::abs(detuned_m));
    return (detuned - by_devices(trial, program, config, wavelength_m + detuned_m)).norm() /
           (detuned - still).norm();
  };
  for (const double sign : {1.0, -1.0}) {
    CHECK(rest(sign * 5e-10) < 0.02);
    CHECK_THAT(rest(sign * 5e-11) / rest(sign * 5e-10), WithinAbs(0.1, 0.03));
  }
}

// Fails when a study's wavelength or temperature does not reach the mesh, or both act with one sensitivity
TEST_CASE("fidelity falls on both sides of the wavelength, and with the temperature") {
  const auto at = [&](const std::string& change, const std::string& more = "drift.heater_per_k=0") {
    return 1 - value(mesh_study(8, {"chip.preset=ideal", change, more}), "fidelity");
  };
  CHECK(at("environment.wavelength_m=0") < 1e-12);
  for (const char* sign : {"", "-"}) {
    const double near = at("environment.wavelength_m=" + std::string(sign) + "5e-10"),
                 far = at("environment.wavelength_m=" + std::string(sign) + "1e-9");
    CHECK(near > 1e-4);
    CHECK(far > 3 * near);
  }
  CHECK(at("environment.temperature_k=10") > 1e-6);
  CHECK(at("environment.temperature_k=10", "drift.imbalance_m=0") < 1e-12);
}

// n_g L / c with L of all columns and the screen. Fails when the length is that of the arms alone, or of one
// column less
TEST_CASE("a mesh without imbalance and heat delays every path by n_g L / c") {
  for (const int ports : {2, 5, 8}) {
    StudyConfig config = mesh_study(ports, {"chip.preset=ideal", "drift.imbalance_m=0"});
    const MeshTrial trial = draw_mesh_trial(config, 0);
    const Vector none = Vector::Zero(trial.topology.mzi_count());
    config.mesh.measured = "cold.csv";  // whose heaters make the phases of the program and no more
    const int columns = ports == 2 ? 1 : ports;
    const double expected = (columns * 200e-6 + 80e-6) * delay_s_per_m;
    const PathDelays cold = delays_in_use(trial, {none, none, Vector::Zero(ports)}, config);
    CHECK_THAT(cold.mean_s, WithinRel(expected, 1e-6));
    CHECK(cold.spread_s < 1e-9 * expected);
    config.mesh.measured = "none";
    // heat turns at most 2 pi a shifter, p / omega each: two an MZI on the way, and the screen
    const PathDelays warm = delays_in_use(trial, trial.ideal, config);
    CHECK(warm.mean_s > cold.mean_s);
    CHECK(warm.mean_s < cold.mean_s + (2 * columns + 1) * 2 * constants::pi / omega);
  }
}

// A cross state of two ports: T_01 passes half of theta's path difference, T_10 phi's besides. Fails when a
// path difference delays the arm that is shorter, or heaters' own phases p / omega are left out
TEST_CASE("path differences and heaters delay the paths that they are on") {
  StudyConfig config = mesh_study(2, {"chip.preset=ideal"});
  const MeshTrial trial = draw_mesh_trial(config, 4);
  config.mesh.measured = "cold.csv";
  const MeshImbalance path = draw_mesh_imbalance(trial.topology, {}, trial.address);
  const double common = 280e-6 * delay_s_per_m, phi = 2.5;
  const PathDelays delays =
      delays_in_use(trial, {Vector::Zero(1), Vector::Constant(1, phi), Vector::Zero(2)}, config);
  CHECK_THAT(delays.delay_s(0, 1) - common,
             WithinAbs((path.theta_m[0] / 2 + path.output_m[0]) * delay_s_per_m, 1e-18));
  CHECK_THAT(
      delays.delay_s(1, 0) - common,
      WithinAbs((path.theta_m[0] / 2 + path.phi_m[0] + path.output_m[1]) * delay_s_per_m + phi / omega, 1e-18));
}

// Fails when the record takes the spread for the mean, or the delays of another variant
TEST_CASE("a study records mean and spread of the delays of each variant") {
  const StudyConfig config = mesh_study(5, {"chip.preset=doped-heaters", "environment.wavelength_m=2e-9"});
  const MeshTrial trial = draw_mesh_trial(config, 2);
  for (std::size_t v = 0; v < 2; ++v) {
    const MeshProgram program =
        programmed_mesh(trial, v == 0 ? "uncorrected" : "corrected_quadrature", config.chip).program;
    const PathDelays delays = delays_in_use(trial, program, config);
    CHECK(value(config, "group_delay", v) == delays.mean_s);
    CHECK(value(config, "group_delay_spread", v) == delays.spread_s);
    CHECK((delays.spread_s > 1e-15 && delays.spread_s < 1e-12));
  }
}
