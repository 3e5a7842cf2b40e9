// The list of devices that ship.

#include "physics/devices/catalogue.hpp"

#include <algorithm>
#include <cmath>
#include <regex>
#include <set>

#include "tests/support/catch.hpp"
#include "tests/support/refusal.hpp"

using namespace optinc;

namespace {

double value_of(const char* device, const std::string& parameter) {
  for (const DeviceParameter& p : device_entry(device).parameters)
    if (p.name == parameter) return p.value;
  FAIL("no parameter " << parameter << " of " << device);
  return 0.0;
}

}  // namespace

// Fails when an entry is added without a source, or twice under one name
TEST_CASE("catalogue: every device has a name of its own, a sentence, numbers and a source") {
  std::set<std::string> names, kinds;
  for (const DeviceEntry& entry : device_catalogue()) {
    CAPTURE(entry.name);
    CHECK(std::regex_match(entry.name, std::regex("[a-z0-9]+(-[a-z0-9]+)*")));
    CHECK(names.insert(entry.name).second);
    kinds.insert(entry.kind);
    CHECK(entry.what.size() > 20);
    CHECK(entry.what.back() == '.');
    CHECK(entry.source.size() > 10);
    CHECK(entry.preset.find_first_of("({") != std::string::npos);
    REQUIRE_FALSE(entry.parameters.empty());
    std::set<std::string> parameters;
    for (const DeviceParameter& p : entry.parameters) {
      CAPTURE(p.name);
      CHECK(std::isfinite(p.value));
      CHECK(parameters.insert(p.name).second);
    }
  }
  for (const char* kind :
       {"heater", "carrier shifter", "coupler", "splitter", "waveguide", "fibre", "crossing", "fibre coupler"})
    CHECK(kinds.count(kind) == 1);
}

// Fails when an entry is built from another preset's numbers. The numbers are those of the sources, typed here
TEST_CASE("catalogue: published numbers") {
  CHECK(value_of("harris-2014-heater", "power for pi") == Approx(24.77e-3).epsilon(1e-12));
  CHECK(value_of("harris-2014-heater", "length") == Approx(61.6e-6).epsilon(1e-12));
  CHECK(value_of("harris-2014-heater", "insertion loss") == Approx(0.23).epsilon(1e-12));
  CHECK(value_of("harris-2014-heater", "voltage for pi") == Approx(4.98).epsilon(1e-3));
  CHECK(value_of("lu-2015-suspended-heater", "power for pi") == Approx(50e-6).epsilon(1e-12));
  CHECK(value_of("chen-2024-slow-light-heater", "voltage for pi") == Approx(1.1).epsilon(1e-12));
  CHECK(value_of("dave-2024-metal-clad-heater", "power for pi x time constant") ==
        Approx(19.1e-9).epsilon(1e-12));
  CHECK(value_of("johnson-2020-crossing", "loss") == Approx(0.043).epsilon(1e-12));
  CHECK(value_of("wafer-scale-crossing", "crosstalk below the input") == Approx(41).epsilon(1e-12));
  CHECK(value_of("zhang-2013-y-branch", "excess loss per stage") == Approx(0.28).epsilon(1e-12));
  CHECK(value_of("soi-strip-500x220", "group index") == Approx(4.1978).margin(5e-5));
  CHECK(value_of("standard-fibre", "phase of 1 m and 1 K") == Approx(37).margin(0.5));
}

// Fails when the nearest name is not looked for
TEST_CASE("catalogue: an unknown device names the nearest") {
  check_message(refusal([] { device_entry("haris-2014-heater"); }),
                {"unknown device \"haris-2014-heater\"", "Did you mean \"harris-2014-heater\"?"});
  check_message(refusal([] { device_entry("jonson"); }), {"Did you mean \"johnson-2020-crossing\"?"});
  check_message(refusal([] { device_entry(""); }), {"Use one of these."});
}
