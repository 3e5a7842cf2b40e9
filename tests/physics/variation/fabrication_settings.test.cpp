// Where the meshes of a chip lie on a die of a wafer, and which part of the process an error model says.

#include "physics/variation/fabrication_settings.hpp"

#include <array>

#include "tests/support/catch.hpp"
#include "tests/support/refusal.hpp"

using namespace optinc;

// Typed from the floor plan: 200 um an MZI and 80 um of screen along x, 25 um a port along y. Fails when rows
// are filled beyond the die's length, or when the sides of the die are exchanged
TEST_CASE("meshes of a chip fill a die in rows along its length") {
  const std::array meshes = {clements_topology(8), clements_topology(8), clements_topology(4)};
  const WaferMap wafer{.die_length_m = 4e-3, .die_width_m = 2e-3};
  const DiePlan plan = placed_on_die(meshes, {}, wafer);
  CHECK(plan.meshes[1].x_m > 1.68e-3);  // beside the first: 3.46 mm in a row
  CHECK(plan.meshes[1].y_m == 0.0);
  CHECK(plan.meshes[2].x_m == 0.0);  // 0.98 mm more would not fit
  CHECK(plan.meshes[2].y_m >= 0.2e-3);
  CHECK_NOTHROW(
      placed_on_die(std::span(meshes).first(1), {}, {.die_length_m = 1.68e-3, .die_width_m = 0.2e-3}));
  check_message(refusal([&] { placed_on_die(meshes, {}, {.die_length_m = 1.6e-3, .die_width_m = 33e-3}); }),
                {"die_length_m = 0.0016", "0.00168", "layout.mzi_length_m"});
  check_message(refusal([&] { placed_on_die(meshes, {}, {.die_length_m = 2e-3, .die_width_m = 0.5e-3}); }),
                {"die_width_m = 0.0005", "layout.mzi_width_m"});
}

// Fails when default_process() keeps a white part beside that of the error model
TEST_CASE("what devices share comes from the process, what they do not from the error model") {
  const ProcessModel shared = shared_process();
  CHECK(shared.sigma_eta_white_rad == 0.0);
  CHECK(shared.mzi_loss_db == 0.0);
  CHECK(shared.height.field_m == 0.8e-9);
  const ErrorModel doped = error_preset("doped-heaters");
  const ProcessModel whole = with_white_part(shared, doped);
  CHECK(whole.sigma_eta_white_rad == 0.02);
  CHECK(whole.rho_white == 0.5);
  CHECK(whole.mzi_loss_db == doped.mzi_loss_db);
  CHECK(whole.arm_loss_spread_db == 0.13);
  CHECK(whole.height.field_m == 0.8e-9);
  CHECK(varies(shared));
  CHECK_FALSE(varies(with_white_part({}, doped)));
  check_message(refusal([&] { fabricate_die(SharedVariation{}, doped, 1, 0); }), {"without a die"});
}
