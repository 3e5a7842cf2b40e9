// The list of devices that ship.

#include "physics/devices/catalogue.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <regex>
#include <set>

#include "physics/devices/front_end.hpp"
#include "physics/devices/receiver_rows.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/refusal.hpp"

using namespace optinc;

namespace {

double value_of(const char* device, const std::string& parameter) {
  for (const Figure& p : device_entry(device).figures)
    if (p.name == parameter) return p.value;
  FAIL("no parameter " << parameter << " of " << device);
  return 0.0;
}

}  // namespace

// Fails when an entry is added without a source, or twice under one name
TEST_CASE("catalogue: every device has a name of its own, a sentence, numbers and a source") {
  std::set<std::string> names, kinds;
  for (const Part& entry : device_catalogue()) {
    CAPTURE(entry.name);
    CHECK(std::regex_match(entry.name, std::regex("[a-z0-9]+(-[a-z0-9]+)*")));
    CHECK(names.insert(entry.name).second);
    kinds.insert(entry.kind);
    CHECK(entry.what.size() > 20);
    CHECK(entry.what.back() == '.');
    CHECK(entry.source.size() > 10);
    CHECK(entry.preset.find_first_of("({") != std::string::npos);
    REQUIRE_FALSE(entry.figures.empty());
    std::set<std::string> parameters;
    for (const Figure& p : entry.figures) {
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

// Fails when a booster, a phase lock or a module is not what its source says: typed here from the quotations
TEST_CASE("parts: figures around the meshes follow from their sources") {
  CHECK(value_of("juodawlkis-2009-booster", "output") == 0.8);
  CHECK(value_of("glhc-booster", "output") == Approx(std::pow(10, 2.05) * 1e-3).epsilon(1e-3));
  CHECK(value_of("glhc-booster", "efficiency") ==
        Approx(value_of("glhc-booster", "output") / 10).epsilon(2e-3));
  CHECK(value_of("fice-2011-lock", "residual phase") == Approx(std::sqrt(0.002)).epsilon(1e-3));
  CHECK(value_of("roberts-2016-lock", "residual phase") == Approx(2 * 3.14159265358979 / 194).epsilon(1e-3));
  CHECK(value_of("wang-2023-clock", "power") == Approx(60e9 * 1.2e-12).epsilon(1e-12));
  CHECK(value_of("ibm-56g-deserialiser", "energy of a bit") == Approx(4.82e-12).epsilon(1e-3));
  for (const char* kind : {"booster", "phase lock", "serialiser", "clock recovery", "switch", "module", "fibre",
                           "analogue sampler", "crossing", "amplifier"}) {
    CAPTURE(kind);
    const auto names = part_names(kind);
    CHECK(std::any_of(names.begin(), names.end(),
                      [&](std::string_view name) { return part_of_kind(kind, name).is_read(); }));
  }
}

// Fails when the nearest name is not looked for
TEST_CASE("catalogue: an unknown device names the nearest") {
  check_message(refusal([] { device_entry("haris-2014-heater"); }),
                {"unknown device \"haris-2014-heater\"", "Did you mean \"harris-2014-heater\"?"});
  check_message(refusal([] { device_entry("jonson"); }), {"Did you mean \"johnson-2020-crossing\"?"});
  check_message(refusal([] { device_entry(""); }), {"Use one of these."});
}

// Fails when a part leaves out a key of its kind, which then keeps another part's value: a chimera
TEST_CASE("parts: all of a kind set the same keys, and their values are legal") {
  std::map<std::string, std::set<std::string>> keys_of;
  for (const Part& part : device_catalogue()) {
    std::set<std::string> keys;
    for (const Figure& f : part.figures)
      if (!f.key.empty()) keys.insert(f.key);
    CAPTURE(part.name);
    CHECK(keys_of.try_emplace(part.kind, keys).first->second == keys);
  }
  for (const std::string_view name : part_names("front end")) {
    ReceiverSettings receiver;
    apply_part(receiver, part_of_kind("front end", name));
    CHECK_NOTHROW(validate_receiver(receiver));
    // behind its transimpedance, the largest current is a voltage that a chip of a few volts holds; 0: not
    // stated
    const double ohm = value_of(std::string(name).c_str(), "transimpedance");
    CHECK(receiver.overload_a * ohm < 5.0);
    CHECK(front_end_warnings(receiver.front_end).empty());
  }
}

// Fails when a figure is called read and quotes nothing, or is assumed without a reason
TEST_CASE("parts: every figure of a kind that a unit names says how it is known") {
  for (const char* kind : {"front end", "photodiode", "modulator", "driver", "laser", "converter",
                           "clocked receiver", "fibre coupler", "splitter", "waveguide", "heater"}) {
    int read = 0, typical = 0;
    for (const std::string_view name : part_names(kind)) {
      const Part& part = part_of_kind(kind, name);
      CAPTURE(part.name);
      const bool of_no_device = name.starts_with("typical-") || name.starts_with("assumed-");
      bool ranged = true;
      for (const Figure& f : part.figures) {
        CAPTURE(f.name);
        CHECK(f.from.size() > 3);
        if (of_no_device) CHECK(f.known == Known::assumed);
        if (f.known == Known::read) CHECK(part.measured_on.size() + part.source.size() > 20);
        if (!std::isnan(f.low)) CHECK((f.low <= f.value && f.value <= f.high));
        ranged = ranged && (f.key.empty() || f.key == "delay_s" || !std::isnan(f.low));
      }
      read += part.is_read() ? 1 : 0;
      typical += ranged ? 1 : 0;
      CHECK_FALSE((of_no_device && part.is_read()));
    }
    CAPTURE(kind);
    CHECK(read >= 3);
    CHECK(typical >= 1);
  }
}

// Fails when a figure is not what its source says: typed here from the quotations, with another arithmetic
TEST_CASE("parts: figures of receivers, drivers and converters follow from their sources") {
  CHECK(value_of("zhang-2025-receiver", "noise") == Approx(16e-12).epsilon(1e-12));
  CHECK(value_of("zhang-2025-receiver", "largest current") == Approx(0.64e-3 / 2).epsilon(1e-12));
  CHECK(value_of("shi-2019-receiver", "largest current") == Approx(1.8e-3 / 2).epsilon(1e-12));
  CHECK(value_of("awny-2018-receiver", "largest current") == Approx(0.5e-3 / 2).epsilon(1e-12));
  CHECK(value_of("garcia-lopez-2017-receiver", "largest current") == Approx(0.3e-3 / 2).epsilon(1e-12));
  CHECK(value_of("garcia-lopez-2017-wide-receiver", "largest current") == Approx(0.3e-3 / 2).epsilon(1e-12));
  // 1.0464: noise bandwidth of a Bessel-Thomson filter of fourth order over its 3 dB bandwidth
  CHECK(value_of("shi-2019-receiver", "noise") == Approx(2.72e-6 / std::sqrt(1.0464 * 37e9)).epsilon(1e-4));
  CHECK(value_of("awny-2018-receiver", "supply") == Approx(0.436 / 2).epsilon(1e-12));
  CHECK(value_of("cao-2024-receiver", "supply") == Approx(0.072 * 3.3).epsilon(1e-12));
  CHECK(value_of("zhang-2025-driver", "energy of a symbol") ==
        Approx(4.022e-12).epsilon(1e-3));  // 2 pJ/bit, 2 bits
  CHECK(value_of("zhang-2025-driver", "energy of a symbol") == Approx(225.23e-3 / 56e9).epsilon(1e-12));
  CHECK(value_of("breyne-2020-driver", "energy of a symbol") == Approx(2 * 3.9e-12).epsilon(1e-12));
  CHECK(value_of("receiver-56g-converter", "energy of a conversion step") == Approx(226.2e-15).epsilon(1e-3));
  CHECK(value_of("ramkaj-2018-converter", "effective bits") == Approx(6.369).epsilon(1e-3));
  CHECK(value_of("han-2021-wireline-receiver", "energy of a symbol") == Approx(2.982e-12).epsilon(1e-3));
  CHECK(value_of("li-2021-laser", "power") == Approx(1e-3 * std::pow(10.0, 1.17)).epsilon(1e-3));
  CHECK(value_of("taillaert-2006-grating-coupler", "loss") == Approx(-10 * std::log10(0.3)).epsilon(0.01));
}

// Fails when a part is applied to settings that lack its keys without a word, or a kind is made up
TEST_CASE("parts: of another kind or none are refused") {
  ReceiverSettings receiver;
  check_message(refusal([&] { apply_part(receiver, device_entry("zhang-2025-driver")); }),
                {"zhang-2025-driver", "driver_j"});
  receiver.front_end.noise = LoadResistor{};  // which has no noise of an amplifier to set
  check_message(refusal([&] { apply_part(receiver, device_entry("zhang-2025-receiver")); }),
                {"tia_noise_a_per_rthz"});
  check_message(refusal([] { part_of_kind("driver", "zhang-2025-receiver"); }),
                {"driver", "zhang-2025-driver"});
  check_message(refusal([] { part_names("flux capacitor"); }), {"flux capacitor"});
}
