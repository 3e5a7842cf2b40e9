#include "experiments/interconnect/simulate.hpp"

#include <cmath>
#include <numeric>

#include "experiments/interconnect/trace.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/refusal.hpp"

using namespace optinc;

namespace {

Scenario scenario(const char* network, const char* collective, std::int64_t servers) {
  Scenario s;
  s.name = "tested";
  s.network = network;
  s.collective = collective;
  s.servers = servers;
  s.step_latency_s = 0.0;
  return s;
}

/// Iteration of OptINC over that of the ring.
double ratio(Scenario ring, std::int64_t bits = 32, std::int64_t scale_bits = 0) {
  Scenario optinc = ring;
  optinc.network = optinc.collective = "optinc";
  optinc.bits = bits;
  optinc.scale_bits = scale_bits;
  return simulate_iteration(optinc).total_s / simulate_iteration(ring).total_s;
}

}  // namespace

// fails when the ring sends N parts a phase
TEST_CASE("a ring sends 1.5, 1.75 and 1.875 of the data that OptINC sends") {
  for (const auto& [n, data] : {std::pair{4, 1.5}, {8, 1.75}, {16, 1.875}}) {
    CHECK(simulate_iteration(scenario("switch", "ring", n)).normalised_data == data);
    CHECK(simulate_iteration(scenario("optinc", "optinc", n)).normalised_data == 1.0);
  }
}

// fails when a multiply-add counts once, or a backward pass as one forward pass
TEST_CASE("iterations with OptINC over those with a ring, family F1 and F2") {
  Scenario s = scenario("switch", "ring", 4);
  const auto at = [&](std::int64_t n) {
    s.servers = n;
    return ratio(s);
  };
  CHECK(std::abs(at(4) - 0.746) < 0.001);
  CHECK(std::abs(at(8) - 0.662) < 0.001);
  CHECK(std::abs(at(16) - 0.627) < 0.001);
  s.workload = "llama-8x384-untied";
  s.batch = 512;
  CHECK(std::abs(at(4) - 0.831) < 0.001);
  CHECK(std::abs(at(8) - 0.766) < 0.001);
  CHECK(std::abs(at(16) - 0.737) < 0.001);
  s.servers = 4;
  s.batch = 2048;
  CHECK(std::abs(ratio(s, 8, 32) - 0.829) < 0.001);
  s.workload = "resnet50-cifar100-cifar-stem";
  s.batch = 16;
  CHECK(std::abs(ratio(s, 8, 32) - 0.757) < 0.001);
}

// fails when latency is counted once a collective and not once a step
TEST_CASE("VGG19 on a ring of 1,024 takes what alpha and beta say") {
  Scenario s = scenario("fat-tree", "ring", 1024);
  s.workload = "vgg19";
  s.rate_bit_per_s = 100e9;
  s.radix = 16;
  s.step_latency_s = 6e-6;
  for (const char* routing : {"spray", "d-mod-k", "ecmp"}) {
    s.routing = routing;
    const double t = simulate_iteration(s).time.communication_s();
    CHECK(t == Approx(2046 * (6e-6 + 143667240.0 * 4 / (1024 * 12.5e9))).epsilon(1e-6));
    CHECK(t == Approx(104.133e-3).epsilon(1e-5));
  }
  s.step_latency_s = 0.0;
  s.hop_latency_s = 1e-6;  // six links to another pod: the same
  CHECK(simulate_iteration(s).time.communication_s() == Approx(104.133e-3).epsilon(1e-5));
}

// fails when a ring's segments are not shared, or a transfer never takes the shorter way
TEST_CASE("halving and doubling along a SiP-Ring waits for the segments") {
  for (const auto& [n, both, one] :
       {std::tuple{64, 65.0 / 3, 32.0}, {256, 257.0 / 3, 128.0}, {1024, 1025.0 / 3, 512.0}}) {
    if (n == 1024) continue;  // seconds
    Scenario s = scenario("sip-ring", "halving-doubling", n);
    CHECK(simulate_iteration(s).slowdown == Approx(both).epsilon(1e-9));
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
TEST_CASE("circuits are set where the next step needs others") {
  Scenario s = scenario("oddl", "ring", 16);
  s.reconfiguration_s = 1e-6;
  s.setup_s = 0.1;
  s.job_iterations = 100000;
  CHECK(simulate_iteration(s).time.reconfiguration_s == Approx(1e-6 + 1e-6));
  s.reconfigure = "every-step";
  CHECK(simulate_iteration(s).time.reconfiguration_s == Approx(30e-6 + 1e-6));
  s.reconfigure = "on-change";
  s.setup_s = 0.0;
  s.collective = "halving-doubling";  // 4 + 4 phases, but the two of distance 1 are the same
  CHECK(simulate_iteration(s).time.reconfiguration_s == Approx(7e-6));
  s.collective = "parameter-server";  // 15 clients through t lasers
  CHECK(simulate_iteration(s).time.reconfiguration_s == Approx(30e-6));
  s.transceivers = 4;
  CHECK(simulate_iteration(s).time.reconfiguration_s == Approx(8e-6));
  s.network = "switch";
  CHECK(simulate_iteration(s).time.reconfiguration_s == 0.0);
}

// fails when a tree's parent takes two chunks in the time of one
TEST_CASE("times of collectives on a switch are their closed forms") {
  const double a = 3e-6, n = 8, m = 5;
  Scenario s = scenario("switch", "ring", 8);
  s.step_latency_s = a;
  s.chunks = 5;
  const auto time = [&](const char* collective) {
    s.collective = collective;
    return simulate_iteration(s).time.communication_s();
  };
  const double w = simulate_iteration(s).payload_bytes / s.port_bytes_per_s();
  CHECK(time("ring") == Approx(2 * (n - 1) * (a + w / n)));
  CHECK(time("halving-doubling") == Approx(2 * 3 * a + 2 * (n - 1) / n * w));
  CHECK(time("tree") == Approx(2 * (3 + m - 1) * (a + 2 * w / m)));
  CHECK(time("double-tree") == Approx(2 * (3 + m - 1) * (a + w / m)));
  CHECK(time("parameter-server") == Approx(2 * a + 2 * (n - 1) * w));
  CHECK(time("sharded-parameter-server") == Approx(2 * (n - 1) * (a + w / n)));
  CHECK(time("in-network") == Approx(2 * a + 2 * 0.3e-6 + w));
}

// fails when a level's fibre is passed once, or scales are agreed on element by element
TEST_CASE("OptINC: levels add light's way alone, scales their own round") {
  Scenario s = scenario("optinc", "optinc", 4);
  const IterationResult one = simulate_iteration(s);
  CHECK(one.units == 1);
  CHECK(one.time.latency_s == Approx(2 * 50 * 1.468 / 299792458.0 + 0.7e-9 + 100e-9));
  s.servers = 16;
  const IterationResult two = simulate_iteration(s);
  CHECK(two.units == 5);
  CHECK(two.time.latency_s - one.time.latency_s == Approx(2 * 50 * 1.468 / 299792458.0 + 0.7e-9));
  CHECK(two.time.serial_s == one.time.serial_s);
  s.regenerated = true;
  CHECK(simulate_iteration(s).time.latency_s - two.time.latency_s == Approx(100e-9));
  s.bits = 8;
  s.scale_bits = 32;
  s.buckets = 3;
  s.step_latency_s = 2e-6;
  const IterationResult scaled = simulate_iteration(s);
  // 0.390625 % of the codes, times 2 * 15/16
  CHECK(scaled.time.sync_s == Approx(3 * 2 * 4 * 2e-6 + 1.875 * 0.00390625 * scaled.payload_bytes / 1e11));
}

// fails when overlap hides more than the backward pass
TEST_CASE("overlap hides communication behind the backward pass alone") {
  Scenario s = scenario("switch", "ring", 4);
  s.compute_s = 3e-3;
  const double communication_s = simulate_iteration(s).time.communication_s();  // 1.42 ms
  s.overlap = 0.5;
  CHECK(simulate_iteration(s).total_s == Approx(3e-3 + communication_s - 1e-3));
  s.overlap = 1.0;
  CHECK(simulate_iteration(s).total_s == Approx(3e-3));
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

// fails when the two ratios' scenario is no longer what it is said to be
TEST_CASE("ODDL gains nothing on a well-built network, and what is published once calibrated") {
  Scenario oddl = scenario("oddl", "ring", 1024);
  oddl.workload = "vgg19";
  oddl.rate_bit_per_s = 100e9;
  oddl.compute_s = 0.48;
  oddl.step_latency_s = 2e-6;
  oddl.reconfiguration_s = 1e-6;
  Scenario tree = oddl, ring = oddl;
  tree.network = "fat-tree";
  tree.radix = 16;
  tree.routing = "ecmp";
  ring.network = "sip-ring";
  ring.reconfiguration_s = 25e-6;
  tree.step_latency_s = ring.step_latency_s = 4e-6;
  const auto total = [](const Scenario& s) { return simulate_iteration(s).total_s; };
  CHECK(std::abs(total(tree) / total(oddl) - 1.01) < 0.005);
  CHECK(std::abs(total(ring) / total(oddl) - 1.01) < 0.005);
  oddl.compute_s = tree.compute_s = ring.compute_s = 0.046;
  tree.placement = "random";
  tree.sub_flows = 16;
  ring.spectrum = "shared";
  CHECK(std::abs(total(ring) / total(oddl) - 1.68) < 0.005);
  double mean = 0.0;  // 8 seeds of spread 0.04
  for (tree.seed = 1; tree.seed <= 8; ++tree.seed) mean += total(tree) / total(oddl) / 8;
  INFO(mean);
  CHECK(std::abs(mean - 1.61) < 0.05);
}

TEST_CASE("a trace has the steps of every server, or says what it gathered") {
  Scenario s = scenario("switch", "ring", 4);
  const IterationResult r = simulate_iteration(s);
  const auto count = [](const nlohmann::ordered_json& trace, const char* phase) {
    int n = 0;
    for (const auto& e : trace["traceEvents"]) n += e["ph"] == phase;
    return n;
  };
  const auto all = iteration_trace(r);
  CHECK(count(all, "M") == 4 * 3);
  CHECK(count(all, "X") == 4 * (2 + 6));
  CHECK(all["otherData"]["aggregated"] == "nothing");
  double end_us = 0.0, bytes = 0.0;
  for (const auto& e : all["traceEvents"])
    if (e["ph"] == "X" && e["pid"] == 0) {
      end_us = std::max(end_us, e["ts"].get<double>() + e["dur"].get<double>());
      if (e["args"].contains("bytes")) bytes += e["args"]["bytes"].get<double>();
    }
  CHECK(end_us == Approx(1e6 * r.total_s));
  CHECK(bytes == Approx(r.sent_bytes));
  CHECK(iteration_trace(r, 40)["otherData"]["aggregated"] == "steps");
  CHECK(count(iteration_trace(r, 40), "X") == 4 * (2 + 1));
  CHECK(iteration_trace(r, 5)["otherData"]["aggregated"] == "steps and servers");
}

TEST_CASE("scenarios that cannot be are refused") {
  const auto refused = [](Scenario s) { return refusal([&] { simulate_iteration(s); }); };
  check_message(refused(scenario("optinc", "ring", 4)), {"tested", "optinc", "ring"});
  check_message(refused(scenario("switch", "optinc", 4)), {"switch"});
  check_message(refused(scenario("oddl", "in-network", 4)), {"in-network", "oddl"});
  check_message(refused(scenario("switch", "halving-doubling", 6)), {"6 servers", "power of two"});
  check_message(refused(scenario("sip-ring", "ring", 5000)), {"5000 servers", "4096"});
  check_message(refused(scenario("switch", "double-tree", 7)), {"7 servers", "even"});
  Scenario s = scenario("optinc", "optinc", 17);
  s.levels = 2;
  check_message(refused(s), {"17 servers", "at most 16", "levels"});
  s = scenario("fat-tree", "ring", 17);
  s.radix = 4;
  check_message(refused(s), {"17 servers", "at most 16", "radix = 6"});
  s.radix = 5;
  check_message(refused(s), {"radix = 5", "even"});
  s = scenario("switch", "ring", 4);
  s.context = 5;
  check_message(refused(s), {"context = 5"});
  check_message(refusal([&] { set_field(s, "rate_bit_per_s", FieldValue(0.0), "a list"); }),
                {"a list", "1..1e+18"});
}
