#include "onn/chip/crosstalk.hpp"

#include <cmath>
#include <limits>

#include "physics/mesh/reference_mesh.hpp"
#include "physics/random/stream.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/networks.hpp"
#include "tests/support/refusal.hpp"

using namespace optinc;

namespace {

const ChipDesign& design() {
  static const ChipDesign made = design_chip(random_network({2, 2}, {8, 16}));
  return made;
}

ChipProgram ideal_program() {
  return program(design(), fabricate(design(), error_preset("ideal"), 1, 0), 0, Programming::corrected);
}

/// What crosstalk leaves on a block of 8 ports.
BlockErrors errors_left(const CrosstalkSettings& settings) {
  ChipErrors errors = fabricate(design(), error_preset("ideal"), 1, 0);
  add_crosstalk(design(), chip_crosstalk(design(), settings, {}), ideal_program(), errors);
  return errors.layers[1][0];
}

Vector phases_of(const MeshErrors& mesh) {
  Vector all(mesh.theta_offset.size() + mesh.phi_offset.size() + mesh.output_offset.size());
  all << mesh.theta_offset, mesh.phi_offset, mesh.output_offset;
  return all;
}

double turned(double phase) { return phase - 2 * M_PI * std::floor(phase / (2 * M_PI)); }

/// Heaters of a mesh at what they are asked for, and the heat at a place, in rad of a heater's own phase.
struct Heat {
  Sites at;
  Vector asked;
  double operator()(double x, double y) const {
    double sum = 0.0;
    for (Eigen::Index j = 0; j < asked.size(); ++j) {
      const double d = std::hypot(x - at.x_m[j], y - at.y_m[j]);
      if (d < 1e-9)
        sum += turned(asked[j]);
      else if (d <= 400e-6)
        sum += 0.05 * std::exp(-d / 50e-6) * power(j);
    }
    return sum;
  }
  /// Phase over own share: the operator's curve holds the heat of a heater on its own reference arm.
  double power(Eigen::Index j) const { return turned(asked[j]) / own[j]; }
  Vector own;
};

}  // namespace

// Fails when the inversion takes another matrix than the light, or the errors are added with the other sign
TEST_CASE("crosstalk: none without it, none where it is known, and less the more is known") {
  CrosstalkSettings settings;
  CHECK(phases_of(errors_left(settings).mesh).isZero(1e-12));
  settings.x0 = 0.05;
  const BlockErrors unknown = errors_left(settings);
  settings.known = 1.0;
  CHECK(phases_of(errors_left(settings).mesh).cwiseAbs().maxCoeff() < 1e-10);
  CHECK(phases_of(errors_left(settings).attenuators).cwiseAbs().maxCoeff() < 1e-10);
  settings.known = 0.8;
  for (const auto which : {&BlockErrors::mesh, &BlockErrors::attenuators}) {
    const double all = phases_of(unknown.*which).norm(), left = phases_of(errors_left(settings).*which).norm();
    CHECK(left < 0.3 * all);
    CHECK(left > 0.1 * all);
  }
}

// The heat at both arms of every MZI, summed by hand. Fails when the lower arm feels none, lies elsewhere, or
// what both arms share is left out
TEST_CASE("crosstalk: heat of all neighbours on both arms of every MZI, by hand") {
  CrosstalkSettings settings;
  settings.x0 = 0.05;
  const BlockErrors found = errors_left(settings);
  const MeshTopology& mesh = design().layers[1].blocks[0].mesh;
  const MeshFloorPlan plan = floor_plan(mesh, UnitHardware{}.layout);
  const MeshProgram phases = ideal_program().layers[1][0].mesh;
  const Eigen::Index mzis = mesh.mzi_count();
  const double own = 1 - 0.05 * std::exp(-0.5), pitch = 25e-6;  // a heater on the arm 25 um below it
  Heat heat{heater_sites(plan), Vector(2 * mzis + mesh.ports), Vector::Ones(2 * mzis + mesh.ports)};
  heat.asked << phases.theta, phases.phi, phases.output_phase;
  heat.own.head(2 * mzis).setConstant(own);
  const auto upper = [&](Eigen::Index j) {  // the heater's own arm: itself and the others
    return heat(heat.at.x_m[j], heat.at.y_m[j]) - turned(heat.asked[j]) + heat.power(j);
  };
  const auto lower = [&](Eigen::Index j) { return heat(heat.at.x_m[j], heat.at.y_m[j] + pitch); };
  Vector so_far = Vector::Zero(mesh.ports), expected(2 * mzis + mesh.ports);
  Eigen::Index k = 0;
  for (int c = 0; c < mesh.columns(); ++c) {
    std::vector<bool> idle(static_cast<std::size_t>(mesh.ports), true);
    for (const auto& [u, l] : mesh.column(c)) {
      idle[static_cast<std::size_t>(u)] = idle[static_cast<std::size_t>(l)] = false;
      expected[k] = upper(k) - lower(k) - turned(phases.theta[k]);
      expected[mzis + k] = upper(mzis + k) - lower(mzis + k) + so_far[u] - so_far[l] - turned(phases.phi[k]);
      so_far[u] = so_far[l] = so_far[l] + lower(k) + lower(mzis + k);
      ++k;
    }
    for (int p = 0; p < mesh.ports; ++p)
      if (idle[static_cast<std::size_t>(p)])
        for (const Sites* arms : {&plan.theta_arms, &plan.phi_arms})
          so_far[p] += heat(arms->x_m[c * mesh.ports + p], arms->y_m[c * mesh.ports + p]);
  }
  for (Eigen::Index p = 0; p < mesh.ports; ++p)
    expected[2 * mzis + p] = upper(2 * mzis + p) - turned(phases.output_phase[p]) + so_far[p];
  const Vector seen = phases_of(found.mesh);
  for (Eigen::Index j = 0; j < 2 * mzis; ++j)
    CHECK(std::abs(std::remainder(seen[j] - expected[j], 2 * M_PI)) < 1e-9);
  // the screen up to a phase that all ports have in common
  for (Eigen::Index p = 1; p < mesh.ports; ++p)
    CHECK(std::abs(std::remainder(
              seen[2 * mzis + p] - seen[2 * mzis] - expected[2 * mzis + p] + expected[2 * mzis], 2 * M_PI)) <
          1e-9);
}

// Far inside a mesh whose heaters all give pi: x0 times the sum of e^(-d/d0) over the heaters around, +0.125 at
// the heated arm (typed from a lattice sum in NumPy) and -0.007 against the arm below. Fails when the reference
// arm sees no heat
TEST_CASE("crosstalk: neighbours nearly cancel between the arms of an MZI") {
  const MeshTopology mesh = clements_topology(40);
  const Sites at = heater_sites(floor_plan(mesh));
  const HeaterArray heaters = uniform_heaters(at.x_m, at.y_m);
  const double far = std::numeric_limits<double>::infinity();
  const Eigen::Index k = mesh.column_begin[20] + 10;  // theta in the middle
  Vector x_m = Vector::Constant(at.count(), far), y_m = x_m;
  x_m[k] = at.x_m[k];
  y_m[k] = at.y_m[k] + 25e-6;
  const Vector power_w = (Vector::Ones(heaters.count()) - Vector::Unit(heaters.count(), k)) * heaters.p_pi_w[0];
  const auto share = [&](const PhaseResponse& response) { return heater_phases(response, power_w)[k] / M_PI; };
  CHECK(share(phase_response(heaters, Crosstalk{})) == Approx(0.125).margin(0.002));
  CHECK(share(phase_response(heaters, Crosstalk{}, x_m, y_m)) == Approx(-0.007).margin(0.002));
}

// Random phases on every arm of random MZIs, multiplied out, against the program that common_phases() makes of
// them. Fails when an arm is pushed to the wrong port or an idle one is lost
TEST_CASE("crosstalk: phases that arms share arrive as phi and in the screen, exactly") {
  for (const MeshTopology& mesh : {clements_topology(7), reck_topology(5), butterfly_topology(8)}) {
    Stream stream(5, Purpose::test, static_cast<std::uint32_t>(mesh.ports));
    const auto draw = [&](Eigen::Index count) -> Vector {
      return Vector::NullaryExpr(count, [&] { return 6.28 * stream.uniform(); });
    };
    const Eigen::Index mzis = mesh.mzi_count();
    const auto idle = idle_arms(mesh);
    MeshProgram program{draw(mzis), draw(mzis), draw(mesh.ports)};
    const Vector arms = draw(2 * (mzis + static_cast<Eigen::Index>(idle.size())));
    MeshErrors errors = no_errors(mesh);
    errors.alpha = 0.1 * draw(mzis);
    errors.beta = -0.2 * draw(mzis);

    Matrix wanted = Matrix::Identity(mesh.ports, mesh.ports);
    const Complex i(0, 1);
    Eigen::Index k = 0, idle_arm = 0;
    for (int c = 0; c < mesh.columns(); ++c) {
      Matrix column = Matrix::Identity(mesh.ports, mesh.ports);
      for (const auto& [u, l] : mesh.column(c)) {
        // lower arms by arms[k] and arms[mzis + k]: taken off the upper ones, and put on the whole MZI
        const Matrix2 t =
            std::exp(i * (arms[k] + arms[mzis + k])) *
            mzi({program.theta[k] - arms[k], program.phi[k] - arms[mzis + k]}, errors.mzi(static_cast<int>(k)));
        column(u, u) = t(0, 0);
        column(u, l) = t(0, 1);
        column(l, u) = t(1, 0);
        column(l, l) = t(1, 1);
        ++k;
      }
      for (; idle_arm < static_cast<Eigen::Index>(idle.size()) &&
             idle[static_cast<std::size_t>(idle_arm)].first == c;
           ++idle_arm) {
        const int port = idle[static_cast<std::size_t>(idle_arm)].second;
        column(port, port) = std::exp(i * (arms[2 * (mzis + idle_arm)] + arms[2 * (mzis + idle_arm) + 1]));
      }
      wanted = column * wanted;
    }
    for (int p = 0; p < mesh.ports; ++p) wanted.row(p) *= std::exp(i * program.output_phase[p]);

    const CommonPhases common = common_phases(mesh, arms);
    program.theta -= arms.head(mzis);
    program.phi += common.phi - arms.segment(mzis, mzis);
    program.output_phase += common.output;
    CHECK((reference_transfer_matrix(mesh, program, errors) - wanted).cwiseAbs().maxCoeff() < 1e-12);
  }
}

// Fails when attenuators neither give nor get heat, or phi is held against the dark arm
TEST_CASE("crosstalk: attenuators warm each other, their phi against the oscillator") {
  CrosstalkSettings settings;
  settings.x0 = 0.05;
  const MeshErrors found = errors_left(settings).attenuators;
  const MeshTopology& column = design().layers[1].blocks[0].attenuators;
  const MeshFloorPlan plan = floor_plan(column, UnitHardware{}.layout);
  const MeshProgram phases = ideal_program().layers[1][0].attenuators;
  const Eigen::Index count = column.mzi_count();
  Heat heat{joined(std::array{&plan.theta, &plan.phi}), Vector(2 * count), Vector::Ones(2 * count)};
  heat.asked << phases.theta, phases.phi;
  heat.own.head(count).setConstant(1 - 0.05 * std::exp(-0.5));
  Vector phi(count);
  for (Eigen::Index k = 0; k < count; ++k) {
    const auto arm = [&](Eigen::Index j) {
      return heat(heat.at.x_m[j], heat.at.y_m[j]) - turned(heat.asked[j]) + heat.power(j);
    };
    const double below = heat(plan.theta.x_m[k], plan.theta.y_m[k] + 25e-6);
    CHECK(std::abs(std::remainder(found.theta_offset[k] - (arm(k) - below - turned(phases.theta[k])),
                                  2 * M_PI)) < 1e-9);
    phi[k] = arm(count + k) + below - turned(phases.phi[k]);
  }
  for (Eigen::Index k = 1; k < count; ++k)
    CHECK(std::abs(std::remainder(found.phi_offset[k] - found.phi_offset[0] - phi[k] + phi[0], 2 * M_PI)) <
          1e-9);
  CHECK(found.output_offset.isZero(0));
}

TEST_CASE("crosstalk: what is refused") {
  CrosstalkSettings settings;
  settings.x0 = 1.0;
  check_message(refusal([&] { chip_crosstalk(design(), settings, {}); }), {"x0 = 1", "at most 0.99"});
  settings = {};
  settings.d0_m = 0.0;
  check_message(refusal([&] { chip_crosstalk(design(), settings, {}); }), {"d0_m = 0"});
  settings.d0_m = 151e-6;
  check_message(refusal([&] { chip_crosstalk(design(), settings, {}); }), {"d0_m = 0.000151", "0.00015"});
  settings.d0_m = 150e-6;
  settings.x0 = 0.05;
  CHECK_NOTHROW(chip_crosstalk(design(), settings, {}));
}
