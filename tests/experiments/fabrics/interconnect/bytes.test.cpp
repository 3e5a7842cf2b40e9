#include <tuple>
#include <utility>

#include "experiments/fabrics/interconnect/simulate.hpp"

#include "tests/experiments/fabrics/interconnect/scenario_of.hpp"
#include "tests/support/catch.hpp"

using namespace optinc;

// fails when a step of a pipelined tree counts as a full load
TEST_CASE("links and servers of a tree carry the payload once an edge") {
  for (const char* collective : {"tree", "double-tree"}) {
    Scenario s = scenario("switch", collective, 16);
    s.chunks = 5;
    const IterationResult r = simulate_iteration(s);
    double links = 0.0;
    for (const LinkUse& l : r.links) {
      links += l.bytes;
      CHECK(l.utilisation <= 1.0 + 1e-9);
    }
    CHECK(links == Approx(2 * 2 * 15 * r.payload_bytes));  // up and down, each edge both ways
    CHECK(r.energy.switched_bits == Approx(8 * 15 * 2 * r.payload_bytes));
    double traced = 0.0;
    for (const StepRecord& step : r.steps)
      for (const double bytes : step.server_bytes) traced += static_cast<double>(step.repeats) * bytes;
    CHECK(traced == Approx(2 * 15 * r.payload_bytes));
  }
}

// fails when the scales' bytes, or a bucket's round, are left out
TEST_CASE("scales are sent like a gradient, over the same network") {
  for (const char* network : {"switch", "fat-tree", "sip-ring", "oddl"}) {
    Scenario plain = scenario(network, "ring", 16);
    plain.routing = "ecmp";
    plain.placement = "random";
    plain.reconfiguration_s = 1e-6;
    plain.control_delay_s = 1e-6;
    plain.laser_tuning_s = 0.0;
    plain.step_latency_s = 3e-6;
    plain.bits = 8;
    Scenario scaled = plain;
    scaled.scale_bits = 32;
    const IterationResult a = simulate_iteration(plain), b = simulate_iteration(scaled);
    const double share = 32.0 / 1024 / 8;  // 0.390625 % of the codes
    CHECK(b.sent_bytes / a.sent_bytes == Approx(1 + share));
    CHECK(b.energy.switched_bits == Approx((1 + share) * a.energy.switched_bits));
    for (std::size_t l = 0; l < a.links.size(); ++l)
      CHECK(b.links[l].bytes == Approx((1 + share) * a.links[l].bytes));
    CHECK(b.time.sync_s + b.time.circuits_s ==
          Approx(share * a.time.serial_s + a.time.latency_s + a.time.circuits_s));  // circuits stay in place
    scaled.buckets = 3;
    const IterationResult c = simulate_iteration(scaled);
    CHECK(c.time.sync_s - b.time.sync_s == Approx(2 * a.time.latency_s));
    CHECK(c.sent_bytes == Approx(b.sent_bytes));
  }
}

// fails when OptINC's scales are left out of bytes, links or switches
TEST_CASE("scales of OptINC travel over a side network") {
  Scenario s = scenario("optinc", "optinc", 4);
  s.bits = 8;
  s.scale_bits = 0;
  const IterationResult plain = simulate_iteration(s);
  s.scale_bits = 32;
  const IterationResult scaled = simulate_iteration(s);
  const double share = 1.5 * 32.0 / 1024 / 8;
  CHECK(plain.normalised_data == 1.0);
  CHECK(scaled.normalised_data == Approx(1 + share));
  CHECK(scaled.links.size() == plain.links.size() + 8);
  CHECK(scaled.links.back().name == "side server 3 down");
  CHECK(scaled.links.back().bytes == Approx(share * scaled.payload_bytes));
  CHECK(plain.energy.switched_bits == 0.0);
  CHECK(scaled.energy.switched_bits == Approx(8 * 4 * share * scaled.payload_bytes));
  s.servers = 12;  // no power of two: the ring
  s.step_latency_s = 1e-6;
  s.hop_latency_s = 0.5e-6;
  CHECK(simulate_iteration(s).time.sync_s ==
        Approx(22 * 2e-6 + 2 * 11.0 / 12 * 32.0 / 1024 / 8 * scaled.payload_bytes / s.port_bytes_per_s()));
}

// fails when the mean takes the phase's slowest link for every flow
TEST_CASE("the mean flow waits for its own links alone") {
  Scenario s = scenario("switch", "parameter-server", 5);
  CHECK(simulate_iteration(s).mean_slowdown == Approx(1.0));
  s = scenario("fat-tree", "ring", 1024);
  s.radix = 16;
  s.routing = "ecmp";
  s.placement = "random";
  const IterationResult r = simulate_iteration(s);
  CHECK(r.mean_slowdown > 1.0);
  CHECK(r.mean_slowdown < 0.8 * r.slowdown);
  s.sub_flows = 16;
  CHECK(simulate_iteration(s).mean_slowdown < r.mean_slowdown);
}

// fails when a phase's repeats, or one of the sub-flows, are left out of the links
TEST_CASE("bytes over links are those of the transfers") {
  for (const char* routing : {"spray", "d-mod-k", "ecmp"}) {
    Scenario s = scenario("fat-tree", "ring", 32);
    s.routing = routing;
    s.placement = "random";
    s.sub_flows = 3;
    s.radix = 8;
    const IterationResult r = simulate_iteration(s);
    double up = 0.0, down = 0.0, edge_up = 0.0, edge_down = 0.0;
    for (const LinkUse& l : r.links) {
      const bool rises = l.name.ends_with("up");
      if (l.name.starts_with("host")) (rises ? up : down) += l.bytes;
      if (l.name.starts_with("edge")) (rises ? edge_up : edge_down) += l.bytes;
      CHECK(l.utilisation <= 1.0 + 1e-9);
      CHECK((l.peak_flows > 0) == (l.bytes > 0.0));
    }
    CHECK(up == Approx(32 * r.sent_bytes));
    CHECK(down == Approx(up));
    CHECK(edge_up == Approx(edge_down));
    CHECK(edge_up > 0.0);
    CHECK(edge_up <= up);
  }
}
