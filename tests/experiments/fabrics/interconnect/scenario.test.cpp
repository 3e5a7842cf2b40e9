#include "experiments/fabrics/interconnect/scenario.hpp"

#include "experiments/fabrics/interconnect/simulate.hpp"

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
  if (s.network == "fat-tree") s.routing = "ecmp";
  return s;
}

std::string refused(const Scenario& s) {
  return refusal([&] { check_scenario(s); });
}

}  // namespace

TEST_CASE("collectives that a network does not carry, and servers that it cannot hold, are refused") {
  check_message(refused(scenario("optinc", "ring", 4)), {"tested", "optinc", "ring"});
  check_message(refused(scenario("switch", "optinc", 4)), {"switch"});
  check_message(refused(scenario("oddl", "adding-switch", 4)), {"adding-switch", "oddl"});
  check_message(refused(scenario("switch", "halving-doubling", 6)),
                {"tested", "6 servers", "power of two", "4"});
  check_message(refused(scenario("switch", "double-tree", 7)), {"7 servers", "even"});
  Scenario s = scenario("optinc", "optinc", 17);
  s.levels = 2;
  check_message(refused(s), {"17 servers", "at most 16", "levels"});
  for (const char* network : {"switch", "sip-ocs", "oddl"}) {
    s = scenario(network, "ring", 17);
    s.transceivers = 2;
    s.ports = 32;
    check_message(refused(s), {"17 servers", "32 ports", "Raise ports to 34"});
    s.ports = 34;
    check_scenario(s);
  }
  s = scenario("sip-ocs", "halving-doubling", 16);
  check_message(refused(s), {"4 circuits", "transceivers = 4"});
}

// fails when a fat-tree falls back on a routing of ours
TEST_CASE("fat-trees without routing, or that cannot be, are refused") {
  Scenario s = scenario("fat-tree", "ring", 17);
  s.routing.clear();
  check_message(refused(s), {"without routing", "ecmp", "spray"});
  s.collective = "adding-switch";  // one chosen tree of switches
  check_scenario(s);
  s = scenario("fat-tree", "ring", 17);
  s.radix = 4;
  check_message(refused(s), {"17 servers", "at most 16", "radix = 6"});
  s.radix = 5;
  check_message(refused(s), {"radix = 5", "even"});
  check_message(refusal([&] { set_field(s, "radix", FieldValue(std::int64_t{128}), "a list"); }), {"0..64"});
}

TEST_CASE("numbers that mean nothing are refused") {
  Scenario s = scenario("switch", "ring", 4);
  s.context = 5;
  check_message(refused(s), {"context = 5"});
  s.workload = "llama-8x384-tied";
  s.batch = 4;
  check_message(refused(s), {"context = 5", "batch = 4"});
  s = scenario("switch", "ring", 4);
  s.compute_s = -0.5;
  check_message(refused(s), {"compute_s = -0.5", "-1"});
  s = scenario("sip-ring", "ring", 4);
  s.reconfiguration_s = -0.25;
  check_message(refused(s), {"reconfiguration_s = -0.25"});
  check_message(refusal([&] { set_field(s, "rate_bit_per_s", FieldValue(0.0), "a list"); }),
                {"a list", "1..1e+18"});
}

// Six operations a parameter and sample; fails when the workload's layers still count
TEST_CASE("a model of one's own has the weights that it is given") {
  Scenario s = scenario("switch", "ring", 16);
  s.weights = 300'000'000;
  s.batch = 512;
  s = in_force(s);
  CHECK(gradient_bytes(s, model_of(s)) == 4 * 3e8);
  CHECK(s.compute_s == Approx(6 * 3e8 * 512 / s.compute_rate_flop_per_s));
  CHECK_FALSE(reads_key(s, "workload"));
  s.context = 5;
  CHECK_FALSE(reads_key(s, "context"));
}

TEST_CASE("what would take hours or all memory is refused") {
  check_message(refused(scenario("sip-ring", "ring", 5000)), {"5000 servers", "4096"});
  check_message(refused(scenario("sip-ring", "sharded-parameter-server", 1024)), {"1024 servers", "512"});
  check_message(refused(scenario("switch", "sharded-parameter-server", 4096)), {"4096 servers", "2048"});
  check_message(refused(scenario("oddl", "parameter-server", 8192)), {"8192 servers", "4096"});
  Scenario s = scenario("fat-tree", "ring", 16384);
  s.sub_flows = 4096;
  check_message(refused(s), {"16384 servers of 4096 sub_flows"});
  s = scenario("fat-tree", "sharded-parameter-server", 2048);
  s.sub_flows = 64;
  check_message(refused(s), {"2048 servers and 64 sub_flows"});
}

// fails when OptINC's codes are averaged without the scales that they stand for, or numbers of 32 bits get some
TEST_CASE("codes of OptINC have scales of 32 bits unless the scenario says otherwise") {
  Scenario s = scenario("optinc", "optinc", 4);
  CHECK(in_force(s).scale_bits == 0);
  for (const int bits : {1, 8, 16}) {
    s.bits = bits;
    CHECK(in_force(s).scale_bits == 32);
    CHECK(reads_key(s, "block"));
  }
  s.scale_bits = 0;
  CHECK(in_force(s).scale_bits == 0);
  CHECK_FALSE(reads_key(s, "block"));
  s = scenario("switch", "ring", 4);
  s.bits = 16;  // may be floating-point numbers
  CHECK(in_force(s).scale_bits == 0);
}

// fails when a model of one's own goes by the name of a workload
TEST_CASE("a model of one's own has a name of its own") {
  Scenario s = scenario("switch", "ring", 4);
  CHECK(in_force(s).workload == "resnet50-cifar100-imagenet-stem");
  s.weights = 7'000'000'000;
  CHECK(in_force(s).workload == "own model of 7000000000 weights");
}

// fails when a key's reader is forgotten in visit_rows
TEST_CASE("a scenario reads the keys of its network, collective and arithmetic alone") {
  const auto reads = [](const Scenario& s, std::vector<std::string_view> yes,
                        std::vector<std::string_view> no) {
    for (const auto key : yes) {
      INFO(s.network << " " << key);
      CHECK(reads_key(s, key));
    }
    for (const auto key : no) {
      INFO(s.network << " " << key);
      CHECK_FALSE(reads_key(s, key));
    }
  };
  reads(scenario("switch", "ring", 4), {"hop_latency_s", "batch", "ports"},
        {"radix", "oversubscription", "routing", "sub_flows", "seed", "chunks", "wavelengths", "block",
         "context"});
  reads(scenario("fat-tree", "tree", 4), {"routing", "sub_flows", "seed", "chunks"}, {"ports", "setup_s"});
  reads(scenario("oddl", "ring", 4), {"control_delay_s", "laser_tuning_s", "setup_s", "job_iterations"},
        {"hop_latency_s", "reconfiguration_s", "wavelengths"});
  reads(scenario("sip-ring", "ring", 4), {"wavelengths", "reconfiguration_s", "placement"},
        {"setup_s", "seed"});
  Scenario s = scenario("optinc", "optinc", 4);
  reads(s, {"fan_in", "design", "chip_latency_s"},
        {"hop_latency_s", "buckets", "adding_latency_s", "transceiver_j_per_bit", "designs"});
  s.scale_bits = 32;
  s.compute_s = 1.0;
  s.design = "a row";
  reads(s, {"hop_latency_s", "buckets", "transceiver_j_per_bit", "switch_j_per_bit", "designs"},
        {"batch", "flop_per_mac", "chip_latency_s"});
  s = scenario("fat-tree", "ring", 4);
  s.routing = "spray";
  reads(s, {"routing"}, {"sub_flows", "seed"});
}

// fails when a value that is left to us is not filled in
TEST_CASE("in force, every value that was left open has a number") {
  Scenario s = in_force(scenario("sip-ring", "double-tree", 100));
  CHECK(s.reconfiguration_s == 25e-6);
  CHECK(s.wavelength_rate_bit_per_s == Approx(800e9 / 64));
  CHECK(s.chunks > 1);
  CHECK(s.compute_s > 0.0);
  CHECK(in_force(scenario("sip-ocs", "ring", 4)).reconfiguration_s == 10e-3);
  CHECK(in_force(scenario("fat-tree", "ring", 17)).radix == 6);
  CHECK(in_force(scenario("optinc", "optinc", 16)).levels == 2);
  s = scenario("optinc", "optinc", 16);
  CHECK(simulate_iteration(in_force(s)).total_s == simulate_iteration(s).total_s);
}
