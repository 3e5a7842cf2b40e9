// One chip out of the process: where its errors come from, which of them devices share, and the limits.

#include "physics/variation/fabrication.hpp"

#include <array>
#include <cmath>

#include "physics/devices/coupler.hpp"
#include "physics/mesh/reference_mesh.hpp"
#include "physics/variation/arm_phases.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/mesh_monte_carlo.hpp"
#include "tests/support/refusal.hpp"

using namespace optinc;
using namespace optinc::testing;

namespace {

constexpr double nm = 1e-9;
using constants::pi;

DieProcess die_of(int ports, const ProcessModel& model) {
  const MeshTopology t = clements_topology(ports);
  return prepare_die({t}, {floor_plan(t)}, model);
}

double variance(const std::vector<double>& values) {
  double sum = 0.0;
  for (const double v : values) sum += v * v;
  return sum / static_cast<double>(values.size());
}

/// Width alone varies, over the die; couplers by 1e-2 rad per nm.
ProcessModel width_field(double sigma_nm, Kernel kernel, double length_m) {
  ProcessModel m;
  m.width.field_m = sigma_nm * nm;
  m.kernel = kernel;
  m.correlation_length_m = length_m;
  m.gap_per_width = 0.0;
  m.eta_per_width_rad_per_m = 1e7;
  return m;
}

/// E of uncorrected meshes of 16 ports, phases calibrated, for Haar unitaries.
Sample uncorrected(const ProcessModel& model, std::uint64_t seed, int meshes) {
  const MeshTopology t = clements_topology(16);
  const DieProcess die = die_of(16, model);
  return summarise(measure(meshes, [&](std::uint32_t chip) {
    const MeshAddress address{seed, chip, 0};
    const MeshErrors e = calibrated_errors(fabricate_mesh(die, address), {0.0, 0.0}, address);
    const Matrix u = haar_target(Target::unitary, 16, seed, chip);
    return frobenius_error(transfer_matrix(t, decompose_clements(u), e), u);
  }));
}

}  // namespace

// A process without places is the model without places. Fails when a stream or the order of draws differs
TEST_CASE("fabrication: white splitter errors and losses alone are the draws of draw_mesh_errors") {
  ErrorModel doped = error_preset("doped-heaters");
  ProcessModel m;
  m.sigma_eta_white_rad = doped.sigma_eta_rad;
  m.rho_white = doped.rho_ab;
  m.mzi_loss_db = doped.mzi_loss_db;
  m.arm_loss_spread_db = doped.arm_loss_spread_db;
  const MeshTopology t = clements_topology(9);
  for (const MeshAddress& address : {MeshAddress{1, 2, 3}, {7, 40, 0}}) {
    const MeshErrors place =
        fabricate_mesh(t, floor_plan(t), m, address, {doped.sigma_cal_rad, doped.sigma_phase_rad});
    const MeshErrors plain = draw_mesh_errors(t, doped, address);
    CHECK(place.alpha == plain.alpha);
    CHECK(place.beta == plain.beta);
    CHECK(place.theta_offset == plain.theta_offset);
    CHECK(place.phi_offset == plain.phi_offset);
    CHECK(place.output_offset == plain.output_offset);
    CHECK(place.theta_arm_loss_db == plain.theta_arm_loss_db);
    CHECK(place.phi_arm_loss_db == plain.phi_arm_loss_db);
    CHECK(place.theta_other_loss_db == plain.theta_other_loss_db);
    CHECK(place.phi_other_loss_db == plain.phi_other_loss_db);
    CHECK(place.idle_arm_loss_db == plain.idle_arm_loss_db);
  }
}

// Law 4.6-1 through a real mesh: a field of correlation length 1 nm makes every splitter's error its own. N =
// 16, R = 400: spread of one mesh's E 7 %, 5 standard errors 1.8 %. With l = 4.5 mm the mesh lies in one patch
// of the field: chips differ much more (9 times here) at much the same rms. Fails when alpha and beta share a
// site, when the coupler's sensitivity is applied twice, or when the correlation length is ignored
TEST_CASE("MC: white limit, E0 = sigma sqrt(2(N-1)), a smooth field makes chips unlike each other") {
  const std::uint64_t seed = 2210;
  const double law = 0.02 * std::sqrt(30.0);
  const Sample white = uncorrected(width_field(2.0, Kernel::exponential, 1e-9), seed, 400);
  const Sample smooth = uncorrected(width_field(2.0, Kernel::exponential, 4.5e-3), seed, 400);
  CAPTURE(seed, law, white.rms / law, smooth.rms / law, white.rms_relative_error, smooth.rms_relative_error);
  CHECK(white.rms == Approx(law).epsilon(0.03));
  CHECK(smooth.rms == Approx(law).epsilon(0.2));
  CHECK(smooth.rms_relative_error > 5 * white.rms_relative_error);
}

// R = 10000 chips of one MZI: 5 (1 - rho^2)/sqrt(R) <= 0.05, spread 5/sqrt(2R) = 3.5 %. Fails when rho_white is
// not passed on, or when the field's part of the correlation is left out
TEST_CASE("MC: alpha and beta of an MZI have the spread and correlation asked for") {
  const int chips = 10000;
  for (const auto& [rho, share] : {std::pair{0.5, -1.0}, {0.5, 0.0}, {0.5, 0.4}, {-0.3, 0.1}, {0.95, 0.7}}) {
    ProcessModel m = default_process();
    m.width.wafer_bow_m = m.width.wafer_tilt_m = m.width.die_m = 0.0;
    m.height.wafer_bow_m = m.height.wafer_tilt_m = m.height.die_m = 0.0;
    m = with_splitter_statistics(m, {0.02, rho}, 100e-6, share);
    const DieProcess die = die_of(2, m);
    const std::uint64_t seed = 2211;
    CAPTURE(seed, rho, share);
    double aa = 0, bb = 0, ab = 0;
    for (std::uint32_t chip = 0; chip < chips; ++chip) {
      const MeshErrors e = fabricate_mesh(die, {seed, chip, 0}).errors;
      aa += e.alpha[0] * e.alpha[0] / chips;
      bb += e.beta[0] * e.beta[0] / chips;
      ab += e.alpha[0] * e.beta[0] / chips;
    }
    CHECK(std::sqrt(aa) == Approx(0.02).epsilon(0.036));
    CHECK(std::sqrt(bb) == Approx(0.02).epsilon(0.036));
    CHECK(std::abs(ab / std::sqrt(aa * bb) - rho) < 5 * (1 - rho * rho) / std::sqrt(chips) + 1e-3);
  }
}

// R = 4000 chips of one MZI: 5 sqrt(2/R) = 11 % of a variance. theta: 80 um arms 25 um apart, closed form
// typed. Roughness: 0.1 nm over 100 um, so 0.1 sqrt(100/80) over 80 um, each arm its own. Fails when arms take
// the same site, when the length is the heater's, or when roughness grows with the length
TEST_CASE("MC: arms differ by 2 s^2 (1 - rho(d)), and by their roughness") {
  const int chips = 4000;
  const double per_nm = 2 * pi * 80e-6 / 1550e-9 * 2e-3;  // rad of one arm
  const double d = 25e-6 / 4.5e-3;
  const auto theta_variance = [&](const ProcessModel& m, std::uint64_t seed) {
    const DieProcess die = die_of(2, m);
    std::vector<double> theta;
    for (std::uint32_t chip = 0; chip < chips; ++chip)
      theta.push_back(fabricate_mesh(die, {seed, chip, 0}).errors.theta_offset[0]);
    return variance(theta);
  };
  const double tolerance = 5 * std::sqrt(2.0 / chips);
  const std::uint64_t seed = 2212;
  CAPTURE(seed);
  const double exponential = 2 * std::pow(2 * per_nm, 2) * (1 - std::exp(-d));
  CHECK(theta_variance(width_field(2.0, Kernel::exponential, 4.5e-3), seed) ==
        Approx(exponential).epsilon(tolerance));
  const double gaussian = 2 * std::pow(2 * per_nm, 2) * (1 - std::exp(-d * d));
  CHECK(theta_variance(width_field(2.0, Kernel::gaussian, 4.5e-3), seed) ==
        Approx(gaussian).epsilon(tolerance));
  ProcessModel rough;
  rough.width.roughness_m = 0.1 * nm;
  CHECK(theta_variance(rough, seed) == Approx(2 * std::pow(0.1 * per_nm, 2) * 1.25).epsilon(tolerance));
}

// The slow twin: matrices of arms and couplers, column by column. Fails when the lower port's phase is not
// carried to both ports, or idle ports keep none
TEST_CASE("arm phases: offsets give the transfer matrix of a mesh with a phase on every arm") {
  for (const MeshTopology& t :
       {clements_topology(2), clements_topology(5), clements_topology(6), reck_topology(6)}) {
    const std::uint64_t seed = 2213;
    Stream s = test_stream(seed);
    const Eigen::Index n = t.ports, arms = t.columns() * n;
    const MeshProgram program = random_program(t, s);
    const ArmPhases phases{normal_vector(arms, 3.0, s), normal_vector(arms, 3.0, s), normal_vector(n, 3.0, s)};
    MeshErrors errors = random_lossy_errors(t, 0.05, s);
    set_offsets(t, phases, errors);
    CHECK(errors.phi_offset.cwiseAbs().maxCoeff() <= pi);

    const auto turned = [&](double phase, double loss_db) {
      return std::polar(std::pow(10, -loss_db / 20), phase);
    };
    Matrix u = Matrix::Identity(n, n);
    int k = 0;
    for (int c = 0; c < t.columns(); ++c) {
      Matrix phi = Matrix::Zero(n, n), theta = Matrix::Zero(n, n);
      Matrix first = Matrix::Identity(n, n), second = Matrix::Identity(n, n);
      for (Eigen::Index p = 0; p < n; ++p) {
        phi(p, p) = turned(phases.phi[c * n + p], errors.idle_arm_loss_db);
        theta(p, p) = turned(phases.theta[c * n + p], errors.idle_arm_loss_db);
      }
      for (const auto& [a, b] : t.column(c)) {
        phi(a, a) = turned(phases.phi[c * n + a] + program.phi[k], errors.phi_arm_loss_db[k]);
        theta(a, a) = turned(phases.theta[c * n + a] + program.theta[k], errors.theta_arm_loss_db[k]);
        phi(b, b) = turned(phases.phi[c * n + b], errors.phi_other_loss_db[k]);
        theta(b, b) = turned(phases.theta[c * n + b], errors.theta_other_loss_db[k]);
        for (const auto& [matrix, delta] : {std::pair{&first, errors.alpha[k]}, {&second, errors.beta[k]}}) {
          (*matrix)(a, a) = (*matrix)(b, b) = std::cos(pi / 4 + delta);
          (*matrix)(a, b) = (*matrix)(b, a) = Complex(0, std::sin(pi / 4 + delta));
        }
        ++k;
      }
      u = (second * theta * first * phi * u).eval();
    }
    for (Eigen::Index p = 0; p < n; ++p)
      u.row(p) *= std::polar(1.0, program.output_phase[p] + phases.output[p]);
    CAPTURE(seed, n, t.columns());
    CHECK(max_abs(reference_transfer_matrix(t, program, errors) - u) < 1e-13);
  }
  MeshErrors errors;
  check_message(refusal([&] {
                  set_offsets(clements_topology(4), {Vector::Zero(3), {}, {}}, errors);
                }),
                {"3, 0 and 0", "16 in each stage and 4"});
}

// Every splitter of three dies against the polynomial of their wafer, coefficients by least squares. Fails when
// the mixed terms of (corner + site)^2 are lost, or when a wafer's numbers are drawn per chip
TEST_CASE("fabrication: dies of one wafer lie on one paraboloid, another wafer has another, dies an offset") {
  ProcessModel m;
  m.width.wafer_bow_m = 3 * nm;
  m.width.wafer_tilt_m = 2 * nm;
  m.gap_per_width = 0.0;
  m.eta_per_width_rad_per_m = 1e7;
  const DieProcess die = die_of(8, m);
  const auto fit = [&](const std::vector<std::uint32_t>& chips, double& residual) {
    const Eigen::Index mzis = 28, count = static_cast<Eigen::Index>(chips.size()) * mzis;
    Eigen::MatrixXd basis(count, 3);
    Vector values(count);
    for (Eigen::Index c = 0; c < static_cast<Eigen::Index>(chips.size()); ++c) {
      const std::uint32_t chip = chips[static_cast<std::size_t>(c)];
      const DiePosition corner = chip_origin(die.dies, chip).corner;
      const MeshErrors e = fabricate_mesh(die, {2214, chip, 0}).errors;
      for (Eigen::Index k = 0; k < mzis; ++k) {
        const double x = corner.x_m + die.plans[0].alpha.x_m[k], y = corner.y_m + die.plans[0].alpha.y_m[k];
        basis.row(c * mzis + k) << 2 * (x * x + y * y) / 0.01 - 1, x / 0.1, y / 0.1;
        values[c * mzis + k] = e.alpha[k] / 1e7 / nm;
      }
    }
    const Vector solution = basis.colPivHouseholderQr().solve(values);
    residual = (basis * solution - values).cwiseAbs().maxCoeff();
    return solution;
  };
  double residual = 0;
  const Vector wafer0 = fit({0, 11, 22}, residual);
  CHECK(residual < 1e-12);
  CHECK((fit({3, 12, 17}, residual) - wafer0).cwiseAbs().maxCoeff() < 1e-9);
  CHECK((fit({23, 34, 45}, residual) - wafer0).cwiseAbs().maxCoeff() > 0.1);
  CHECK(residual < 1e-12);
  fit({0, 11, 23}, residual);
  CHECK(residual > 0.01);  // not one wafer

  m.width = {};
  m.width.die_m = 1 * nm;
  const DieProcess offset = die_of(8, m);
  const Vector a = fabricate_mesh(offset, {2214, 0, 0}).errors.alpha;
  const Vector b = fabricate_mesh(offset, {2214, 1, 0}).errors.alpha;
  CHECK((a.array() - a[0]).abs().maxCoeff() < 1e-16);
  CHECK(std::abs(a[0] - b[0]) > 1e-4);
}

// 2 meshes of 4 ports, 3000 chips: correlation of their first splitters, at distance D, within 5/sqrt(R) =
// 0.09. Fails when every mesh of a die draws a field of its own
TEST_CASE("MC: meshes of one die share one field, each has its own white part") {
  const std::vector<MeshTopology> two = {clements_topology(4), clements_topology(4)};
  const DiePlan plan = place_meshes(two);
  ProcessModel m = width_field(1.0, Kernel::exponential, 2e-3);
  const DieProcess die = prepare_die(two, plan.meshes, m);
  const double apart = plan.meshes[1].x_m - plan.meshes[0].x_m;
  CHECK(apart == Approx(1e-3));
  const std::uint64_t seed = 2215;
  const int chips = 3000;
  double product = 0.0;
  for (std::uint32_t chip = 0; chip < chips; ++chip) {
    const auto meshes = fabricate_die(die, seed, chip);
    product += meshes[0].errors.alpha[0] * meshes[1].errors.alpha[0] / 1e-4 / chips;
  }
  CAPTURE(seed);
  CHECK(std::abs(product - std::exp(-0.5)) < 0.09);

  m.width.field_m = 0.0;
  m.sigma_eta_white_rad = 0.01;
  const auto meshes = fabricate_die(prepare_die(two, plan.meshes, m), seed, 5);
  CHECK(meshes[0].errors.alpha == draw_mesh_errors(two[0], splitters_only(0.01), {seed, 5, 0}).alpha);
  CHECK(meshes[1].errors.alpha == draw_mesh_errors(two[1], splitters_only(0.01), {seed, 5, 1}).alpha);
  check_message(refusal([&] { fabricate_mesh(die, {1, 0, 0}); }), {"2 meshes", "fabricate_die"});
}

// Fails when seed, chip or mesh is left out of a stream, or one source shares the stream of another
TEST_CASE("fabrication: a function of seed, chip and mesh, every source with streams of its own") {
  const ProcessModel all = default_process();
  const DieProcess die = die_of(6, all);
  const FabricatedMesh a = fabricate_mesh(die, {1, 2, 0});
  const FabricatedMesh same = fabricate_die(die, 1, 2).front();
  CHECK(a.errors.alpha == same.errors.alpha);
  CHECK(a.errors.phi_offset == same.errors.phi_offset);
  CHECK(a.heater_power == same.heater_power);
  for (const MeshAddress& other : {MeshAddress{2, 2, 0}, {1, 3, 0}, {1, 2, 1}}) {
    const FabricatedMesh b = fabricate_mesh(die, other);
    CHECK(b.errors.alpha != a.errors.alpha);
    CHECK(b.errors.theta_offset != a.errors.theta_offset);
    CHECK(b.errors.theta_arm_loss_db != a.errors.theta_arm_loss_db);
    CHECK(b.heater_power != a.heater_power);
  }
  const auto without = [&](const auto& change) {
    ProcessModel m = all;
    change(m);
    return fabricate_mesh(die_of(6, m), {1, 2, 0});
  };
  const FabricatedMesh no_white = without([](ProcessModel& m) { m.sigma_eta_white_rad = 0; });
  CHECK(no_white.errors.alpha != a.errors.alpha);
  CHECK(no_white.errors.theta_offset == a.errors.theta_offset);
  CHECK(no_white.errors.theta_arm_loss_db == a.errors.theta_arm_loss_db);
  const FabricatedMesh smooth = without([](ProcessModel& m) { m.width.roughness_m = 0; });
  CHECK(smooth.errors.alpha == a.errors.alpha);
  CHECK(smooth.errors.theta_offset != a.errors.theta_offset);
  CHECK(smooth.heater_resistance == a.heater_resistance);
  // what field, wafer and white part add to a splitter adds up
  const FabricatedMesh no_field = without([](ProcessModel& m) { m.width.field_m = m.height.field_m = 0; });
  const FabricatedMesh field_only = without([](ProcessModel& m) {
    m.sigma_eta_white_rad = 0;
    m.width.wafer_bow_m = m.width.wafer_tilt_m = m.width.die_m = 0;
    m.height.wafer_bow_m = m.height.wafer_tilt_m = m.height.die_m = 0;
  });
  CHECK((no_field.errors.alpha + field_only.errors.alpha - a.errors.alpha).cwiseAbs().maxCoeff() < 1e-16);
  const FabricatedMesh no_heater = without([](ProcessModel& m) { m.heater_power_spread = 0; });
  CHECK((no_heater.heater_power.array() == 1.0).all());
  CHECK(no_heater.heater_resistance == a.heater_resistance);
}

// 64 ports: 4096 heaters, 2 %: 5/sqrt(2 4096) = 5.5 %. Sites beyond Cholesky, so the field comes from the
// circulant sampler on the floor plan's lattice: neighbouring theta arms (4032 pairs a chip, 3 chips;
// increments along a column are next to independent, 200 um along x is 0.2 l) within 10 %. Fails when the
// lattice is not found
TEST_CASE(
    "MC: a 64-port mesh is drawn on its lattice, static offsets are large and calibration leaves residuals") {
  ProcessModel m = width_field(2.0, Kernel::exponential, 1e-3);
  m.heater_power_spread = 0.02;
  const DieProcess die = die_of(64, m);
  CAPTURE(die.field.nx, die.field.ny, die.field.padded_nx, die.field.padded_ny, die.field.clipped_share);
  CHECK(die.field.nx == 4 * 64 + 1);
  CHECK(die.field.ny == 127);
  const double per_nm = 2 * pi * 80e-6 / 1550e-9 * 2e-3;
  const double expected = 2 * std::pow(2 * per_nm, 2) * (1 - std::exp(-25e-3));
  double square = 0.0, phi_square = 0.0;
  FabricatedMesh mesh;
  for (std::uint32_t chip = 0; chip < 3; ++chip) {
    mesh = fabricate_mesh(die, {2216, chip, 0});
    square += mesh.errors.theta_offset.squaredNorm() / (3 * 2016);
    phi_square += mesh.errors.phi_offset.squaredNorm() / (3 * 2016);
  }
  CHECK(square == Approx(expected).epsilon(0.1));
  CHECK(std::sqrt(phi_square) > 0.5);  // differences of whole paths
  CHECK(std::sqrt((mesh.heater_power.array() - 1).square().mean()) == Approx(0.02).epsilon(0.055));
  CHECK(mesh.heater_power.size() == 64 * 64);

  const MeshErrors e = calibrated_errors(mesh, {5e-3, 0.0}, {2216, 2, 0});
  CHECK(e.alpha == mesh.errors.alpha);
  CHECK(e.theta_arm_loss_db == mesh.errors.theta_arm_loss_db);
  CHECK(std::sqrt(e.phi_offset.squaredNorm() / 2016) == Approx(5e-3).epsilon(5 / std::sqrt(2 * 2016.0)));
  check_message(refusal([&] { calibrated_errors(mesh, {-1e-3, 0.0}, {1, 0, 0}); }), {"sigma_cal_rad = -0.001"});
}

TEST_CASE("fabrication: plans that are not those of the meshes are refused") {
  const MeshTopology t = clements_topology(4);
  check_message(refusal([&] { prepare_die({t}, {}, {}); }), {"1 topologies with 0"});
  check_message(refusal([&] { prepare_die({t}, {floor_plan(clements_topology(6))}, {}); }),
                {"floor plan 0", "15 MZIs and 6 ports"});
  ProcessModel bad;
  bad.rho_white = 2.0;
  check_message(refusal([&] { prepare_die({t}, {floor_plan(t)}, bad); }), {"rho_white = 2"});
}

// The field is factorised once for every process of its kernel and length. Fails when the spreads of the die
// that was prepared are drawn from, or a process of another length is taken
TEST_CASE("fabrication: a prepared die serves processes of other spreads, and no other correlation length") {
  const ProcessModel narrow = width_field(1.0, Kernel::exponential, 1e-3);
  ProcessModel wide = width_field(3.0, Kernel::exponential, 1e-3);
  wide.sigma_eta_white_rad = 0.01;
  const DieProcess die = die_of(4, narrow), own = die_of(4, wide);
  const FabricatedMesh given = fabricate_die(die, wide, 5, 3).front(),
                       wanted = fabricate_die(own, 5, 3).front();
  CHECK(given.errors.alpha == wanted.errors.alpha);
  CHECK(given.errors.theta_offset == wanted.errors.theta_offset);
  CHECK(given.errors.alpha != fabricate_die(die, 5, 3).front().errors.alpha);
  check_message(refusal([&] { fabricate_die(die, width_field(1.0, Kernel::exponential, 2e-3), 5, 3); }),
                {"correlation_length_m = 0.002", "0.001"});
  check_message(refusal([&] { fabricate_die(die, width_field(1.0, Kernel::gaussian, 1e-3), 5, 3); }),
                {"correlation_length_m"});
}
