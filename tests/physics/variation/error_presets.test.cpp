// Presets of errors, and heaters that belong to them.

#include "physics/devices/thermo_optic_shifter.hpp"
#include "physics/variation/error_model.hpp"

#include "tests/support/catch.hpp"

using namespace optinc;

// Fails when the loss of a preset is not that of its heaters, typed here: two couplers of 0.05 dB and two
// heaters
TEST_CASE("error presets: the loss of an MZI is that of two couplers and two heaters") {
  const ErrorModel doped = error_preset("doped-heaters"), metal = error_preset("metal-heaters");
  CHECK(doped.mzi_loss_db == Approx(0.56).epsilon(1e-12));  // Harris et al. 2014: 0.23 dB
  CHECK(doped.arm_loss_spread_db == 0.13);
  CHECK(metal.mzi_loss_db == Approx(0.20).epsilon(1e-12));
  CHECK(metal.arm_loss_spread_db == 0.02);
  CHECK(metal.sigma_eta_rad == doped.sigma_eta_rad);  // lithography is the same
  CHECK(metal.sigma_cal_rad == doped.sigma_cal_rad);
}

// Fails when the old preset is taken again, or refused without its two successors
TEST_CASE("error presets: foundry is refused and names what to use") {
  CHECK_THROWS_WITH(error_preset("foundry"), ContainsSubstring("loss of one heater") &&
                                                 ContainsSubstring("Use \"doped-heaters\"") &&
                                                 ContainsSubstring("or \"metal-heaters\""));
  CHECK(present_name("foundry", former_error_presets()) == "doped-heaters");
  CHECK(present_name("good-lab", former_error_presets()) == "good-lab");
}

// Fails when a lossy chip is billed with the watts of a heater without loss, or the other way round, without a
// word
TEST_CASE("error presets: a heater of another loss than the chip's is told") {
  const ErrorModel doped = error_preset("doped-heaters"), metal = error_preset("metal-heaters");
  CHECK(heater_loss_warnings(doped, harris_2014_heater()).empty());
  CHECK(heater_loss_warnings(doped, typical_doped_silicon_heater()).empty());
  REQUIRE(heater_loss_warnings(doped, typical_undercut_heater()).size() == 1);
  CHECK_THAT(heater_loss_warnings(doped, typical_undercut_heater())[0].text, ContainsSubstring("0.2 dB"));
  CHECK(heater_loss_warnings(metal, typical_undercut_heater()).empty());
  CHECK(heater_loss_warnings(metal, harris_2014_heater()).size() == 1);
  for (const char* preset : {"ideal", "design-target", "good-lab"})
    CHECK(heater_loss_warnings(error_preset(preset), typical_undercut_heater()).empty());
}
