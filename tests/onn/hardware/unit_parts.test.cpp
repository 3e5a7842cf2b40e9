// Parts that a unit names.

#include "onn/hardware/unit_parts.hpp"

#include <algorithm>

#include "onn/hardware/unit_hardware_rows.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/refusal.hpp"

using namespace optinc;

namespace {

const UnitPart& of_key(const std::vector<UnitPart>& parts, std::string_view key) {
  const auto found = std::ranges::find(parts, key, &UnitPart::key);
  REQUIRE(found != parts.end());
  return *found;
}

}  // namespace

// Fails when a default drifts from the part that it is said to come from
TEST_CASE("unit parts: a unit as it is holds the values of its parts, bit by bit") {
  const std::vector<UnitPart> parts = unit_parts({});
  CHECK(parts.size() == 12);
  for (const UnitPart& named : parts) {
    CAPTURE(named.key);
    CHECK(named.overridden.empty());
    CHECK(overrides_text(named).empty());
  }
  CHECK(of_key(parts, "heater.device").part->name == "typical-undercut-heater");
}

// Fails when the published unit is not made of its parts, bit by bit, or asks more of them than they give
TEST_CASE("unit parts: the published unit names published parts and stays within them") {
  const UnitHardware unit = unit_of_parts("published");
  const std::vector<UnitPart> parts = unit_parts(unit);
  for (const UnitPart& named : parts) {
    CAPTURE(named.key);
    CHECK(named.overridden.empty());
  }
  for (const char* key :
       {"laser.device", "laser.booster", "modulator.device", "modulator.driver", "receiver.device",
        "receiver.photodiodes", "converter.device", "time.clocked_receiver"}) {
    CAPTURE(key);
    CHECK(of_key(parts, key).part->is_read());
  }
  CHECK(unit.receiver.overload_a == 0.9e-3);  // 1.8 mA from one end to the other
  CHECK(unit.link.fibre_mismatch_m == 20.0);  // seed to server and on to the chip, 10 m each
  CHECK(beyond_parts(unit, 2 * unit.modulator.v_pi_v, 2.0).empty());
  CHECK(unit_parts(unit_of_parts("idealised")).front().part == unit_parts({}).front().part);
  check_message(refusal([] { unit_of_parts("publishd"); }), {"set of parts", "publishd", "\"published\""});
}

// Fails when a value of one's own is not told from the part's, or when keys of one part count for another
TEST_CASE("unit parts: values of one's own are named, those of a part are not") {
  UnitHardware unit;
  apply_part(unit.receiver, part_of_kind("front end", "zhang-2025-receiver"));
  // the values are another part's, whatever the name says
  CHECK(of_key(unit_parts(unit), "receiver.device").overridden ==
        std::vector<std::string>{"tia_noise_a_per_rthz", "bandwidth_hz", "overload_a", "supply_power_w"});
  unit.receiver.device = "zhang-2025-receiver";
  CHECK(of_key(unit_parts(unit), "receiver.device").overridden.empty());
  unit.receiver.overload_a = 1e-3;
  unit.converter.bits = 6;
  const auto parts = unit_parts(unit);
  CHECK(overrides_text(of_key(parts, "receiver.device")) == "with overload_a overridden");
  CHECK(of_key(parts, "receiver.photodiodes").overridden.empty());
  CHECK(of_key(parts, "converter.device").overridden == std::vector<std::string>{"bits"});
}

// Fails when a key is forgotten or counted although a part sets it
TEST_CASE("unit parts: keys that no part sets are those of the operator, the layout and the link") {
  const auto keys = keys_without_part();
  const auto has = [&](std::string_view key) { return std::ranges::find(keys, key) != keys.end(); };
  for (const char* key :
       {"receiver.lo_power_w", "receiver.cmrr_db", "modulator.leak", "fibre.length_m", "die.capacity_j_per_k",
        "link.launch_power_w", "time.symbol_rate_bd", "layout.mzi_length_m", "laser.wavelength_m"})
    CHECK(has(key));
  for (const char* key : {"receiver.bandwidth_hz", "receiver.device", "heater.pi_power_w",
                          "time.clocked_receiver_j", "waveguide.loss_db_per_cm", "converter.bits"})
    CHECK_FALSE(has(key));
}

// Fails when a row of a table beyond its parts' swing or rate, or without a limit of current, goes unmarked
TEST_CASE("unit parts: what is asked beyond a part's source is told") {
  const auto told = [](const UnitHardware& unit, double swing_v, std::string_view word) {
    for (const std::string& note : beyond_parts(unit, swing_v, 0.01))
      if (note.find(word) != note.npos) return true;
    return false;
  };
  UnitHardware unit;
  CHECK(beyond_parts(unit, 4.0, 0.01).size() == 1);  // of the limit of current that its source does not state
  CHECK(told(unit, 4.0, "patel-2022-receiver"));
  unit.receiver.overload_a = 0.45e-3;
  CHECK(beyond_parts(unit, 4.0, 0.01).empty());
  CHECK(told(unit, 8.0, "8 V"));
  unit.modulator.driver = "zhang-2025-driver";  // 3 V
  CHECK(told(unit, 4.0, "zhang-2025-driver"));
  CHECK_FALSE(told(unit, 3.0, "zhang-2025-driver"));
  unit.converter.device = "ramkaj-2018-converter";  // 1.25 GS/s
  CHECK(told(unit, 3.0, "ramkaj-2018-converter"));
  unit.timing.clocked_receiver = "han-2021-wireline-receiver";  // 28 GBd, and no word is clocked
  CHECK_FALSE(told(unit, 3.0, "han-2021"));
  unit.timing.sampling = Sampling::clocked;
  CHECK(told(unit, 3.0, "han-2021"));
  unit.timing.symbol_rate_bd = 1.25e9;
  CHECK(beyond_parts(unit, 3.0, 0.01).empty());
  REQUIRE(beyond_parts(unit, 3.0, 2.0).size() == 1);  // watts of light from a laser of 20 mW
  CHECK_THAT(beyond_parts(unit, 3.0, 2.0)[0], ContainsSubstring("2 W") && ContainsSubstring("laser.booster"));
  unit.laser.booster_w = 0.1;
  CHECK(beyond_parts(unit, 3.0, 2.0).empty());
}
