// Where the devices of a mesh lie, typed by hand for a small mesh, and meshes on a die.

#include "physics/layout/floor_plan.hpp"

#include <cmath>
#include <set>

#include "physics/layout/placement.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/refusal.hpp"

using namespace optinc;

namespace {

void check_site(const Sites& sites, Eigen::Index i, double x_um, double y_um) {
  CAPTURE(i, x_um, y_um);
  CHECK(sites.x_m[i] == Approx(x_um * 1e-6).epsilon(1e-12));
  CHECK(sites.y_m[i] == Approx(y_um * 1e-6).epsilon(1e-12));
}

bool on_lattice(double x, double step) { return std::abs(x / step - std::nearbyint(x / step)) < 1e-6; }

bool overlap(const MeshFloorPlan& a, const MeshFloorPlan& b) {
  return a.x_m < b.x_m + b.length_m && b.x_m < a.x_m + a.length_m && a.y_m < b.y_m + b.width_m &&
         b.y_m < a.y_m + a.width_m;
}

}  // namespace

// Fails when theta and phi change places, when the pitch is taken as the MZI's width, or when odd columns are
// not moved down by a port
TEST_CASE("floor plan of a 4 x 4 Clements mesh: every device where it is drawn by hand") {
  const MeshFloorPlan p = floor_plan(clements_topology(4), {}, 1e-3, 2e-3);
  CHECK(p.arm_length_m == Approx(80e-6));
  // column 0: MZIs 0 on ports (0, 1), 1 on (2, 3); column 1: MZI 2 on (1, 2)
  check_site(p.phi, 0, 1040, 2012.5);
  check_site(p.alpha, 0, 1090, 2025);
  check_site(p.theta, 0, 1140, 2012.5);
  check_site(p.beta, 0, 1190, 2025);
  check_site(p.phi, 1, 1040, 2062.5);
  check_site(p.beta, 1, 1190, 2075);
  check_site(p.phi, 2, 1240, 2037.5);
  check_site(p.alpha, 2, 1290, 2050);
  check_site(p.theta, 2, 1340, 2037.5);
  check_site(p.theta_arms, 1 * 4 + 0, 1340, 2012.5);  // passes column 1 without an MZI
  check_site(p.phi_arms, 3 * 4 + 3, 1640, 2087.5);
  for (int port = 0; port < 4; ++port) check_site(p.output, port, 1840, 2012.5 + 25 * port);
  CHECK(p.length_m == Approx(880e-6));
  CHECK(p.width_m == Approx(100e-6));
  CHECK(p.area_m2() == Approx(8.8e-8));
}

// N = 128: 8128 MZIs of 200 x 50 um are 81.28 mm^2, 81.92 with the ports that pass a column, and the screen.
// Fails when columns or ports are counted one short
TEST_CASE("floor plan: a 128-port mesh is 25.68 x 3.2 mm, its heaters are the N^2 shifters of the mesh") {
  const MeshTopology t = clements_topology(128);
  const MeshFloorPlan p = floor_plan(t);
  CHECK(p.length_m == Approx(25.68e-3));
  CHECK(p.width_m == Approx(3.2e-3));
  const Sites heaters = heater_sites(p);
  CHECK(heaters.count() == 128 * 128);
  CHECK(heaters.x_m[0] == p.theta.x_m[0]);
  CHECK(heaters.x_m[8128] == p.phi.x_m[0]);
  CHECK(heaters.y_m[2 * 8128 + 127] == p.output.y_m[127]);
  for (const Sites* s : {&p.alpha, &p.beta, &p.theta, &p.phi, &p.output}) {
    CHECK(s->x_m.minCoeff() > 0.0);
    CHECK(s->x_m.maxCoeff() < p.length_m);
    CHECK(s->y_m.maxCoeff() < p.width_m);
  }
}

// Fails when MZIs on distant ports are put between these
TEST_CASE(
    "floor plan: MZIs on ports that are not neighbours stand below each other, every arm in a row of its own") {
  MeshTopology t;
  t.ports = 8;
  t.mzis = {{0, 4}, {1, 5}, {3, 7}, {0, 1}, {6, 7}};
  t.column_begin = {0, 3, 5};
  const MeshFloorPlan p = floor_plan(t);
  check_site(p.phi, 0, 40, 12.5);
  check_site(p.phi, 1, 40, 62.5);
  check_site(p.alpha, 2, 90, 125);
  check_site(p.phi_arms, 4, 40, 37.5);   // lower arm of MZI 0
  check_site(p.phi_arms, 2, 40, 162.5);  // idle
  check_site(p.phi_arms, 6, 40, 187.5);
  check_site(p.phi, 4, 240, 162.5);  // column of neighbours: at its ports
  for (int c = 0; c < 2; ++c) {
    std::set<long> rows;
    for (int port = 0; port < 8; ++port) rows.insert(std::lround(p.theta_arms.y_m[c * 8 + port] * 1e7));
    CHECK(rows.size() == 8);
  }
}

TEST_CASE("floor plan: the triangle is 2N - 3 columns long") {
  CHECK(floor_plan(reck_topology(8)).length_m == Approx((13 * 200 + 80) * 1e-6));
}

// A whole 4-64-128-256-128-64-4 unit in Sigma-U blocks: 40,768 MZIs of its meshes, 407.68 mm^2 at 0.01 mm^2
// each. Fails when rows overlap (row width left out), or when corners are not rounded to the lattice
TEST_CASE("placement: an OptINC unit on a die in rows, nothing overlaps, everything on one lattice") {
  std::vector<MeshTopology> unit;
  for (const auto& [count, ports] : {std::pair{16, 4}, {2, 64}, {4, 128}, {2, 64}, {16, 4}})
    for (int i = 0; i < count; ++i) unit.push_back(clements_topology(ports));
  const DiePlan die = place_meshes(unit);
  REQUIRE(die.meshes.size() == unit.size());
  Eigen::Index mzis = 0;
  for (std::size_t i = 0; i < unit.size(); ++i) {
    const MeshFloorPlan& a = die.meshes[i];
    CHECK(a.output.count() == unit[i].ports);
    mzis += a.alpha.count();
    CHECK(a.x_m + a.length_m <= 26e-3);
    CHECK(a.x_m + a.length_m <= die.length_m + 1e-12);
    CHECK(a.y_m + a.width_m <= die.width_m + 1e-12);
    for (std::size_t j = 0; j < i; ++j) CHECK(!overlap(a, die.meshes[j]));
    for (const Sites* s : {&a.alpha, &a.theta, &a.phi_arms, &a.output}) {
      CHECK(on_lattice(s->x_m[0] - 40e-6, 50e-6));
      CHECK(on_lattice(s->y_m[s->count() - 1], 12.5e-6));
    }
  }
  CHECK(mzis == 40768);
  CHECK(die.mesh_area_m2() > 407.68e-6);
  CHECK(die.mesh_area_m2() < 420e-6);
  CHECK(die.area_m2() < 1.15 * die.mesh_area_m2());
  CHECK(die.width_m < 33e-3);
  CHECK(die_plan_warnings(die).empty());
  DiePlan wide = die;
  wide.length_m = 34e-3;
  CHECK(die_plan_warnings(wide).size() == 1);
}

// each fails when its validate() is taken out
TEST_CASE("floor plans that cannot be are refused with value and range") {
  const auto refused = [](double FloorPlanSettings::*field, double value,
                          const std::vector<std::string>& parts) {
    FloorPlanSettings s;
    s.*field = value;
    check_message(refusal([&] { floor_plan(clements_topology(4), s); }), parts);
  };
  refused(&FloorPlanSettings::mzi_length_m, 0.0, {"mzi_length_m = 0"});
  refused(&FloorPlanSettings::mzi_width_m, -1e-6, {"mzi_width_m = -1e-06"});
  refused(&FloorPlanSettings::mzi_width_m, std::nan(""), {"mzi_width_m = nan"});
  refused(&FloorPlanSettings::coupler_length_m, 1e-4, {"coupler_length_m = 0.0001", "< 0.0001"});
  refused(&FloorPlanSettings::coupler_length_m, -1e-6, {"coupler_length_m"});
  refused(&FloorPlanSettings::heater_length_m, 81e-6, {"heater_length_m = 8.1e-05", "arm"});
  check_message(refusal([] { floor_plan(clements_topology(4), {}, std::nan(""), 0.0); }), {"corner (nan, 0)"});
  const std::vector<MeshTopology> one = {clements_topology(256)};
  check_message(refusal([&] { place_meshes(one); }), {"256 ports", "0.026 m wide"});
  check_message(refusal([&] { place_meshes(one, {}, {-1.0, 0.0}); }), {"width_m = -1"});
  check_message(refusal([&] { place_meshes(one, {}, {1.0, -1e-6}); }), {"gap_m = -1e-06"});
  CHECK(floor_plan_warnings({}).empty());
  CHECK(floor_plan_warnings({400e-6, 80e-6, 20e-6, 20e-6}).size() == 3);
}
