#include "experiments/fabrics/cluster/failure.hpp"

#include <cmath>
#include <string>

#include "physics/core/check.hpp"

#include "tests/support/catch.hpp"

using namespace optinc;

namespace {

constexpr double port_s = 4.0 * 143667240 / 12.5e9;  // of VGG19's gradient in 32 bits through a node's port
constexpr double compute_s = 0.1;

/// Nothing but bytes: no latency, no circuits to wait for, no overlap.
Failure on(const std::string& network, std::int64_t nodes, const std::string& component) {
  Failure f;
  f.name = "test";
  f.component = component;
  f.traffic.overlap = false;
  f.traffic.set_s = 0.0;
  Scenario& s = f.traffic.network;
  s.network = network;
  s.servers = nodes;
  s.routing = "spray";
  s.step_latency_s = s.hop_latency_s = s.adding_latency_s = s.fibre_m = s.io_latency_s = 0.0;
  s.compute_s = compute_s;
  s.unit.emplace();
  s.unit->servers = 4;
  s.unit->bits = 8;
  s.unit->symbol_rate_bd = 40e9;
  s.unit->symbol_rate_limit_bd = 50e9;
  return f;
}

double ring(double nodes) { return 2.0 * (nodes - 1.0) / nodes * port_s; }

}  // namespace

// fails when a port loses another share, or when a network's own limit is forgotten
TEST_CASE(
    "without one of four transceivers a ring runs at three quarters of its rate, unless links are slower") {
  for (const char* network : {"switch", "fat-tree", "sip-ring", "oddl"}) {
    CAPTURE(network);
    Failure f = on(network, 8, "transceiver");
    f.transceivers = 4;
    f.traffic.set_s = 1e-6;
    f.traffic.network.reconfiguration_s = 0.0;
    const FailureResult r = run_failure(f);
    CHECK(r.before_s == Approx(compute_s + ring(8)).epsilon(1e-9));
    CHECK(r.after_s == Approx(compute_s + ring(8) * 4 / 3).epsilon(1e-9));
    CHECK(r.slowdown() == Approx(r.after_s / r.before_s));
    CHECK(r.nodes_after == 8);
    CHECK(r.detection_s == 1.0);
    CHECK(r.repair_s == (std::string(network) == "oddl" ? 1e-6 : 0.0));
  }
  // two hosts share a trunk of half a port upwards: three quarters of a port are more
  Failure f = on("fat-tree", 16, "transceiver");
  f.transceivers = 4;
  f.traffic.network.radix = 4;
  f.traffic.network.oversubscription = 4.0;
  CHECK(run_failure(f).before_s == Approx(compute_s + 2 * ring(16)).epsilon(1e-9));
  CHECK(run_failure(f).ratio() == Approx(1.0).epsilon(1e-12));
  f.transceivers = 3;
  CHECK(run_failure(f).ratio() == Approx(1.0).epsilon(1e-12));
  f.traffic.network.oversubscription = 2.0;  // a trunk of one port: two thirds are less
  CHECK(run_failure(f).after_s == Approx(compute_s + 1.5 * ring(16)).epsilon(1e-9));
  Failure sum = on("adding-fat-tree", 8, "transceiver");
  sum.transceivers = 2;
  CHECK(run_failure(sum).after_s == Approx(compute_s + 2 * port_s).epsilon(1e-9));
  Failure light = on("optinc", 16, "transceiver");
  light.transceivers = 2;
  const double scales_s = ring(16) / 4 * 32 / (1024 * 8);  // by ports of their own
  CHECK(run_failure(light).after_s == Approx(compute_s + 2 * port_s / 4 + scales_s).epsilon(1e-6));
}

// VGG19's last two layers are its first bucket, the one before them alone is the second. Fails when a bucket
// that was complete is sent again, or the one in flight is not
TEST_CASE("only the bucket in flight is sent again") {
  Failure f = on("switch", 8, "transceiver");
  f.transceivers = 2;
  const double first_s = ring(8) * (4096.0 * 1000 + 1000 + 4096.0 * 4096 + 4096) / 143667240,
               second_s = ring(8) * (25088.0 * 4096 + 4096) / 143667240, before_s = compute_s + ring(8);
  const auto at = [&](double now_s) {
    f.at = now_s / before_s;
    return run_failure(f);
  };
  CHECK(at(0.9 * compute_s).repeated_s == 0.0);
  CHECK(at(0.9 * compute_s).kept_buckets == 0);
  CHECK(at(compute_s + first_s / 2).repeated_s == Approx(first_s / 2).epsilon(1e-9));
  const FailureResult r = at(compute_s + first_s + 0.3 * second_s);
  CHECK(r.repeated_s == Approx(0.3 * second_s).epsilon(1e-9));
  CHECK(r.kept_buckets == 1);
  CHECK(r.lost_s() == Approx(1.0 + 0.3 * second_s).epsilon(1e-9));
}

// Four groups of 16. Halving and doubling over distances 32 and 16 leave each group for two others, 16
// connections to either. Fails when the channels that are left are not counted, connections within groups are
// slowed, or a transceiver needs no channel
TEST_CASE("a fibre's connections move to the others, and share them where channels are short") {
  for (const char* component : {"fibre", "switch-port"}) {
    CAPTURE(component);
    Failure f = on("oddl", 64, component);
    LightPaths& light = f.traffic.light;
    light.group_size = 16;
    const auto channels = [&](double count) { light.band_hz = count * 75e9 * 1.0001; };
    CHECK_FALSE(run_failure(f).goes_on());  // the only fibre
    CHECK(std::isnan(run_failure(f).lost_s()));
    light.fibres = 2;
    channels(1);  // packed, a ring leaves a group once
    const FailureResult moved = run_failure(f);
    CHECK(moved.ratio() == 1.0);
    CHECK(moved.repair_s == 0.1);
    CHECK(moved.before_s == Approx(compute_s + ring(64)).epsilon(1e-9));
    f.transceivers = 4;
    channels(3);
    CHECK(run_failure(f).before_s == Approx(compute_s + ring(64)).epsilon(1e-9));
    CHECK(run_failure(f).after_s == Approx(compute_s + ring(64) * 4 / 3).epsilon(1e-9));
    f.transceivers = 1;
    f.collective = "halving-doubling";
    const double across_s = 2 * (1.0 / 2 + 1.0 / 4) * port_s, within_s = 2 * (15.0 / 64) * port_s;
    channels(32);
    CHECK(run_failure(f).ratio() == 1.0);
    channels(24);
    CHECK(run_failure(f).before_s == Approx(compute_s + across_s + within_s).epsilon(1e-9));
    CHECK(run_failure(f).after_s == Approx(compute_s + across_s * 32 / 24 + within_s).epsilon(1e-9));
    light.group_size = 64;  // no connection leaves the group
    const FailureResult none = run_failure(f);
    CHECK(none.lost_s() == 0.0);
    CHECK(none.ratio() == 1.0);
  }
}

// fails when a cold spare costs nothing, or the ring beside the light sends 8 bits
TEST_CASE("a spare unit takes over after switching and calibrating, and without one a ring of 32 bits does") {
  Failure f = on("optinc", 16, "unit");
  f.spare_units = 1;
  f.calibration_s = 7.0;
  const double coded_s = port_s / 4 * (1 + ring(16) / port_s * 32 / (1024 * 8));
  const FailureResult spare = run_failure(f);
  CHECK(spare.before_s == Approx(compute_s + coded_s).epsilon(1e-6));
  CHECK(spare.ratio() == 1.0);
  CHECK(spare.repair_s == Approx(7.1));
  f.spare_units = 0;
  const FailureResult without = run_failure(f);
  CHECK(without.after_s == Approx(compute_s + ring(16)).epsilon(1e-9));
  CHECK(without.repair_s == 0.0);
  CHECK(without.goes_on());
}

// fails when the checkpoint's whole interval is lost, a spare node comes for nothing, or the job keeps its node
TEST_CASE("without a node the job returns to its checkpoint, on one node less or on a spare one") {
  Failure f = on("oddl", 64, "node");
  const FailureResult less = run_failure(f);
  CHECK(less.repeated_s == 300.0);
  CHECK(less.repair_s == Approx(60.1));
  CHECK(less.lost_s() == Approx(361.1));
  CHECK(less.nodes_after == 63);
  CHECK(less.after_s == Approx(compute_s + ring(63)).epsilon(1e-9));
  CHECK(less.slowdown() == Approx((compute_s + ring(63)) / (compute_s + ring(64)) * 64 / 63).epsilon(1e-9));
  f.spare_s = 120.0;
  const FailureResult spare = run_failure(f);
  CHECK(spare.repair_s == Approx(180.1));
  CHECK(spare.slowdown() == 1.0);
  f.spare_s = -1.0;
  f.component = "transceiver";  // the node's only one
  CHECK(run_failure(f).lost_s() == less.lost_s());
  CHECK(run_failure(f).nodes_after == 63);
  f = on("switch", 64, "node");
  CHECK(run_failure(f).repair_s == 60.0);
  f.collective = "halving-doubling";
  CHECK_THROWS_WITH(run_failure(f), ContainsSubstring("halving-doubling of 63 nodes after a failure"));
  f.spare_s = 0.0;
  CHECK(run_failure(f).slowdown() == 1.0);
  f.spare_s = -0.5;
  CHECK_THROWS_WITH(run_failure(f), ContainsSubstring("spare_s = -0.5"));
}

TEST_CASE("components that a network has not are refused, and jobs that OptINC does not serve") {
  CHECK_THROWS_WITH(run_failure(on("fat-tree", 64, "fibre")),
                    ContainsSubstring("test: component = fibre on fat-tree (it has transceiver, node)"));
  CHECK_THROWS_WITH(run_failure(on("optinc", 16, "switch-port")), ContainsSubstring("transceiver, unit, node"));
  CHECK_THROWS_WITH(run_failure(on("oddl", 64, "unit")),
                    ContainsSubstring("transceiver, fibre, switch-port, node"));
  CHECK_THROWS_WITH(run_failure(on("optinc", 32, "unit")), ContainsSubstring("32 nodes on optinc (2 levels"));
}
