#include <cmath>
#include <tuple>
#include <utility>

#include "experiments/fabrics/interconnect/simulate.hpp"

#include "tests/experiments/fabrics/interconnect/scenario_of.hpp"
#include "tests/support/catch.hpp"

using namespace optinc;

// fails when a ring's segments are not shared, or a transfer never takes the shorter way
TEST_CASE("halving and doubling along a SiP-Ring waits for the segments") {
  for (const auto& [n, both, one] :
       {std::tuple{64, 65.0 / 3, 32.0}, {256, 257.0 / 3, 128.0}, {1024, 1025.0 / 3, 512.0}}) {
    Scenario s = scenario("sip-ring", "halving-doubling", n);
    CHECK(simulate_iteration(s).slowdown == Approx(both).epsilon(1e-9));
    if (n == 1024) continue;  // paths of 512 segments: seconds where nothing is optimised
    s.directions = "one";
    CHECK(simulate_iteration(s).slowdown == Approx(one).epsilon(1e-9));
  }
  Scenario s = scenario("sip-ring", "ring", 64);
  CHECK(simulate_iteration(s).slowdown == Approx(1.0));
  s.spectrum = "shared";
  CHECK(simulate_iteration(s).slowdown == Approx(2.0));
  s.wavelength_rate_bit_per_s = 12.5e9;
  s.wavelengths = 16;  // of 64 that a port of 800 Gb/s has; half of them each way
  CHECK(simulate_iteration(s).slowdown == Approx(8.0));
}

// fails when circuits are set for equal phases again, or rounds are not counted
TEST_CASE("ODDL: circuits are set where the next step needs others") {
  Scenario s = scenario("oddl", "ring", 16);
  s.control_delay_s = 0.75e-6;
  s.laser_tuning_s = 0.25e-6;
  s.setup_s = 0.1;
  s.job_iterations = 100000;
  const auto circuits_s = [&] { return simulate_iteration(s).time.circuits_s; };
  CHECK(circuits_s() == Approx(1e-6 + 1e-6));
  s.reconfigure = "every-step";
  CHECK(circuits_s() == Approx(30e-6 + 1e-6));
  s.reconfigure = "on-change";
  s.setup_s = 0.0;
  s.collective = "halving-doubling";  // 4 + 4 phases, but the two of distance 1 are the same
  CHECK(circuits_s() == Approx(7e-6));
  s.collective = "sharded-parameter-server";
  CHECK(circuits_s() == Approx(30e-6));
  s.collective = "parameter-server";  // 15 clients through t lasers
  CHECK(circuits_s() == Approx(30e-6));
  s.transceivers = 4;
  CHECK(circuits_s() == Approx(8e-6));
  s.network = "switch";
  CHECK(circuits_s() == 0.0);
}

// fails when circuits that take each other's place inside a step are set once for all steps
TEST_CASE("ODDL: where a step needs several rounds, every step sets them all") {
  for (const char* collective : {"tree", "double-tree"})
    for (const std::int64_t chunks : {1, 5}) {
      Scenario s = scenario("oddl", collective, 16);
      s.control_delay_s = 0.75e-6;
      s.laser_tuning_s = 0.25e-6;
      s.chunks = chunks;
      // two children, or a tree's child and the other's: 2 rounds, d + m - 1 steps up and as many down
      CHECK(simulate_iteration(s).time.circuits_s == Approx(2 * (4 + chunks - 1) * 2e-6));
      s.transceivers = 2;
      CHECK(simulate_iteration(s).time.circuits_s == Approx(2e-6));  // all at once: set for up, and for down
    }
}

// fails when delays of circuits are left out of halving and doubling: 1.0002 of the ideal, as SimGrid said
TEST_CASE("ODDL halves and doubles 1,024 servers at all but the ideal speed") {
  Scenario s = scenario("oddl", "halving-doubling", 1024);
  s.workload = "vgg19";
  s.rate_bit_per_s = 100e9;
  s.control_delay_s = 0.9e-6;
  s.laser_tuning_s = 0.1e-6;
  const double ideal_s = 2 * 1023.0 / 1024 * 143667240.0 * 4 / 12.5e9;
  CHECK(simulate_iteration(s).time.communication_s() / ideal_s - 1 == Approx(19e-6 / ideal_s).epsilon(1e-6));
  CHECK(std::abs(simulate_iteration(s).time.communication_s() / ideal_s - 1.0002) < 5e-5);
}

// fails when ODDL is slower than an ideal switch by more than its circuits
TEST_CASE("ODDL of four nodes is an ideal electrical switch") {
  Scenario ideal = scenario("switch", "ring", 4);
  ideal.workload = "vgg19";
  ideal.rate_bit_per_s = 100e9;
  ideal.compute_s = 0.0;
  Scenario oddl = ideal;
  oddl.network = "oddl";
  oddl.setup_s = 0.1;
  const IterationResult a = simulate_iteration(ideal), b = simulate_iteration(oddl);
  CHECK(b.time.serial_s == Approx(a.time.serial_s));
  CHECK(b.total_s / a.total_s - 1.0 < 2e-4);
  CHECK(b.total_s > a.total_s);
}

// fails when SiP-OCS sets circuits inside a collective, or its circuits have a port's whole rate each
TEST_CASE("SiP-OCS sets all circuits of a collective once, and shares the transceivers among them") {
  Scenario s = scenario("sip-ocs", "halving-doubling", 16);
  s.transceivers = 9;  // 4 circuits of two each
  const IterationResult r = simulate_iteration(s);
  CHECK(r.time.circuits_s == Approx(10e-3));
  CHECK(r.slowdown == Approx(9.0 / 2.0));
  s.scale_bits = 32;  // the same circuits, before the gradient
  const IterationResult scaled = simulate_iteration(s);
  CHECK(scaled.time.circuits_s == 0.0);
  CHECK(scaled.time.sync_s ==
        Approx(10e-3 + 4.5 * 1.875 * static_cast<double>(r.parameters) / 1024 * 4 / s.port_bytes_per_s()));
  s = scenario("sip-ocs", "ring", 64);
  CHECK(simulate_iteration(s).time.circuits_s == Approx(10e-3));
  CHECK(simulate_iteration(s).slowdown == Approx(1.0));
}
