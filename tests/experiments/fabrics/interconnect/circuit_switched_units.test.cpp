// OptINC units behind a switch of circuits, by arithmetic written out.

#include <cmath>
#include <string>
#include <utility>

#include "experiments/fabrics/interconnect/communication.hpp"
#include "experiments/fabrics/interconnect/simulate.hpp"
#include "experiments/fabrics/interconnect/trace.hpp"

#include "tests/experiments/fabrics/interconnect/scenario_of.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/refusal.hpp"

using namespace optinc;

namespace {

/// Gradients of 100 MB on ports of 100 GB/s, 1 ms a turn, and 1 ms for each set of circuits.
Scenario switched(std::int64_t servers, std::int64_t units = 0) {
  Scenario s = scenario("optinc", "optinc", servers);
  s.arrangement = "circuit-switched";
  s.units = units;
  s.weights = 25'000'000;
  s.compute_s = 2e-3;
  s.reconfiguration_s = 1e-3;
  s.step_latency_s = 2e-6;
  return s;
}

Scenario circuit_costed(std::int64_t servers, std::int64_t units = 0) {
  return costed(switched(servers, units));
}

const double light_s = 2 * 2e-6 + 2 * 50 * 1.468 / 299792458.0 + 0.7e-9 + 100e-9;  // of a turn, without bytes

}  // namespace

// 16 servers in 4 groups of 4, twice: by digit 0 and by digit 1. mutations: one round; turns rounded down;
// latency once a round; circuits set once a round; a waiting server sends
TEST_CASE("groups of 16 servers average twice, in as many turns as they have units too few") {
  for (const auto& [units, turns] : {std::pair{4, 1}, {3, 2}, {2, 2}, {1, 4}}) {
    const IterationResult r = simulate_iteration(switched(16, units));
    INFO(units);
    CHECK(r.energy.units == units);
    CHECK(r.time.serial_s == Approx(2 * turns * 1e-3));
    CHECK(r.time.circuits_s == Approx(2 * turns * 1e-3));
    CHECK(r.time.latency_s == Approx(2 * turns * light_s));
    CHECK(r.total_s == Approx(2e-3 + 2 * turns * (2e-3 + light_s)));
    CHECK(r.slowdown == Approx(turns));
    CHECK(r.normalised_data == 2.0);
    for (const LinkUse& link : r.links) CHECK(link.bytes == 2e8);
    REQUIRE(r.steps.size() == 2);
    CHECK(r.steps[1].start_s == Approx(turns * (2e-3 + light_s)));
    int sets = 0;
    double sent = 0.0;
    const auto trace = iteration_trace(r);
    for (const auto& event : trace["traceEvents"]) {
      if (event["pid"] != 0 || event["ph"] != "X") continue;
      if (event["name"] == "circuits") ++sets;
      if (event["args"].contains("bytes")) sent += event["args"]["bytes"].get<double>();
    }
    CHECK(sets == 2 * turns);
    CHECK(sent == Approx(2e8));
  }
  CHECK(simulate_iteration(switched(16)).energy.units == 4);
  CHECK(simulate_iteration(switched(1024)).energy.units == 256);
  CHECK(simulate_iteration(switched(1024)).time.serial_s == Approx(5e-3));  // 4^5
}

// mutation: circuits that stand already are set again
TEST_CASE("a single group of circuit-switched servers is a tree of one unit") {
  Scenario s = switched(4);
  const IterationResult circuits = simulate_iteration(s);
  s.arrangement = "tree";
  const IterationResult tree = simulate_iteration(s);
  CHECK(circuits.time.circuits_s == 0.0);
  CHECK(circuits.total_s == tree.total_s);
  CHECK(circuits.sent_bytes == tree.sent_bytes);
  CHECK(circuits.energy.units == 1);
}

// A chip of every group sends its payload once a round, whatever the units. mutations: drivers of idle units
// burn; symbols of one round; static power of a unit for each group; ports of servers alone; one lane
TEST_CASE("energy of circuit-switched units: units all iteration long, symbols by what they average") {
  for (const int units : {4, 3, 1}) {
    const IterationResult r = simulate_iteration(circuit_costed(16, units));
    const double payload_s = 25e6 * 8 / 800e9;
    INFO(units);
    CHECK(r.energy.static_j == Approx(units * 2 * 1000.0 * r.total_s));
    CHECK(r.energy.symbol_j == Approx(2 * 4 * 2 * 40.0 * payload_s));  // rounds, groups, chips
    CHECK(r.energy.circuit_ports == 2 * 4 * (16 + units * 4));         // chips, lanes
    CHECK(r.energy.circuits_j == Approx(r.energy.circuit_ports * 0.8 * r.total_s));
    CHECK(r.energy.total_j() == Approx(r.energy.static_j + r.energy.symbol_j + r.energy.circuits_j));
  }
  Scenario s = circuit_costed(4);
  s.unit->slots_per_word = 5;  // one lane for all digits of a word
  CHECK(simulate_iteration(s).energy.circuit_ports == 10 * (4 + 4));
  s.arrangement = "tree";
  CHECK(simulate_iteration(s).energy.circuit_ports == 0.0);
  CHECK(simulate_iteration(s).energy.circuits_j == 0.0);
  CHECK(std::isnan(simulate_iteration(switched(4)).energy.total_j()));  // of no design
}

// mutation: servers that are no power of fan_in are rounded up
TEST_CASE("circuit-switched servers that form no whole groups are refused, and units without a group") {
  const auto refused = [](const Scenario& s) { return refusal([&] { check_scenario(s); }); };
  check_message(refused(switched(12)), {"tested", "12 servers", "groups of 4", "4 or 16", "tree"});
  check_message(refused(switched(65)), {"64 or 256"});
  check_message(refused(switched(3)), {"servers = 4,"});
  check_message(refused(switched(16, 5)), {"units = 5", "4 groups", "Set units = 4, or 0"});
  Scenario s = switched(8);
  s.fan_in = 2;
  check_scenario(s);
}

// mutation: default of reconfiguration_s left at -1, or a key read by both arrangements
TEST_CASE("circuit-switched units read their own keys, and have numbers in force") {
  Scenario s = switched(64);
  for (const char* key : {"units", "reconfiguration_s", "circuit_switch_w_per_port", "fan_in"})
    CHECK(reads_key(s, key));
  for (const char* key : {"levels", "regenerated"}) CHECK_FALSE(reads_key(s, key));
  s.reconfiguration_s = -1.0;
  s.levels = 2;  // of a preset, for trees
  s = in_force(s);
  CHECK(s.reconfiguration_s == 10e-3);
  CHECK(s.levels == 3);
  CHECK(s.units == 16);
  s = scenario("optinc", "optinc", 64);
  for (const char* key : {"units", "reconfiguration_s", "circuit_switch_w_per_port"})
    CHECK_FALSE(reads_key(s, key));
  CHECK(in_force(s).units == 16 + 4 + 1);
  s.network = "switch";
  s.collective = "ring";
  s.units = 5;  // of a preset, for circuits
  CHECK(in_force(s).units == 0);
}
