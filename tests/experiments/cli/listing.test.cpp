#include "experiments/cli/listing.hpp"

#include <sstream>

#include "experiments/base/text_table.hpp"
#include "experiments/study/shipped_networks.hpp"
#include "physics/core/check.hpp"

#include "tests/support/catch.hpp"

using namespace optinc;

// Fails where a description is not wrapped (216 columns once)
TEST_CASE("optinc list fits a terminal") {
  std::istringstream lines(listing());
  int read = 0;
  for (std::string line; std::getline(lines, line); ++read) {
    CAPTURE(line);
    CHECK(line.substr(0, line.find(" (/")).size() <= terminal_columns);  // the folder in a heading may be long
  }
  CHECK(read > 100);
  std::string parts;
  for (const std::string_view kind : listing_kinds()) parts += (parts.empty() ? "" : "\n") + listing(kind);
  CHECK(parts == listing());
  CHECK_THROWS_AS(listing("nothing"), Error);
}

// Fails when a key that no study has any more stops it, and when a setting is compared with that of another key
TEST_CASE("optinc list says what shipped networks are for, those with keys of long ago, too") {
  CHECK(network_description("shipped/32x5") ==
        "4-32-32-32-32-32-4; 2272 MZIs; trained without errors; task.rounding = \"half-up\"");
  CHECK(network_description("shipped/published_chips")
            .ends_with("trained with simulated chips; task.rounding = \"half-up\""));
  CHECK(network_description("shipped/8_servers_noise_aware") ==
        "4-96-32-96-32-96-32-96-4; 9984 MZIs; trained with noise (receivers), losses of design-target, weight "
        "noise 0.002; parts.set = \"idealised\"; "
        "task.servers = 8; task.rounding = \"half-up\"; receiver.lo_power_w = 0.01; receiver.bandwidth_hz = "
        "1000000000.0; "
        "link.signal_full_scale_w = 0.001; link.signed_levels = true");
  CHECK_THROWS_AS(network_description("shipped/no_such"), Error);
}
