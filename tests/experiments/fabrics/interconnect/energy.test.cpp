#include "experiments/fabrics/interconnect/energy.hpp"

#include <cmath>
#include <utility>

#include "experiments/fabrics/interconnect/fabric.hpp"
#include "experiments/fabrics/interconnect/simulate.hpp"

#include "tests/experiments/fabrics/interconnect/scenario_of.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/refusal.hpp"

using namespace optinc;

namespace {

Scenario costed_tree(std::int64_t servers) { return costed(scenario("optinc", "optinc", servers)); }

IterationEnergy energy(const Scenario& s) { return simulate_iteration(s).energy; }

}  // namespace

// mutations: static power during the communication alone; drivers during the whole iteration; total_s without
// what computing hides; one chip a unit
TEST_CASE("heaters of OptINC burn all iteration long, drivers while symbols are sent") {
  Scenario s = costed_tree(4);
  for (const double overlap : {0.0, 1.0}) {
    s.overlap = overlap;
    const IterationResult r = simulate_iteration(s);
    CHECK(r.total_s > 1.5 * r.exposed_s);
    CHECK(r.energy.chips == 2.0);
    CHECK(r.energy.static_j == Approx(2 * 1000.0 * r.total_s));
    CHECK(r.energy.symbol_j == Approx(2 * 40.0 * r.payload_bytes / 100e9));
    CHECK(r.energy.total_j() ==
          Approx(r.energy.static_j + r.energy.symbol_j));  // no transceivers of OptINC ports
  }
  CHECK(energy(costed_tree(16)).static_j == Approx(10 * 1000.0 * simulate_iteration(costed_tree(16)).total_s));
}

// mutations: chips not rounded up; a chip more where the rate divides; slots_per_word, transceivers or line
// overhead left out; drivers charged for symbols that chips side by side could send and do not
TEST_CASE("chips side by side are as many as carry a server's port, and send each symbol once") {
  Scenario s = costed_tree(4);
  const double symbol_j = energy(s).symbol_j;
  for (const auto& [rate, chips] :
       {std::pair{800e9, 2.0}, {801e9, 3.0}, {400e9, 1.0}, {100e9, 1.0}, {1200e9, 3.0}}) {
    s.rate_bit_per_s = rate;
    CHECK(energy(s).chips == chips);
    CHECK(energy(s).symbol_j == Approx(symbol_j));  // of the same symbols
  }
  s = costed_tree(4);
  s.transceivers = 3;
  CHECK(energy(s).chips == 6.0);
  s.transceivers = 1;
  s.unit->slots_per_word = 5;
  CHECK(energy(s).chips == 10.0);
  CHECK(energy(s).symbol_j == Approx(5 * symbol_j));
  s.unit->slots_per_word = 1;
  s.efficiency = 0.5;
  CHECK(energy(s).chips == 2.0);
  CHECK(energy(s).symbol_j == Approx(2 * symbol_j));
  s = costed_tree(4);
  s.unit->symbol_rate_bd = 100e9 / 11;  // 800e9 over eight times this is above 11 in doubles
  CHECK(energy(s).chips == 11.0);
}

// mutation: a scenario without a design costs nothing
TEST_CASE("the energy of units without a design is not known") {
  Scenario s = scenario("optinc", "optinc", 4);
  const IterationEnergy e = energy(s);
  for (const double x : {e.chips, e.static_j, e.symbol_j, e.total_j()}) CHECK(std::isnan(x));
  CHECK_FALSE(e.rate_reachable);
  s.design = "not costed";
  check_message(refusal([&] { simulate_iteration(s); }), {"tested", "not costed", "cost_units"});
  s.network = "switch";
  s.collective = "ring";  // which reads no design
  CHECK(energy(s).total_j() > 0.0);
}

// mutation: carries_its_rate not asked
TEST_CASE(
    "a unit is marked where its symbol rate is beyond the bound of its devices, and no other network is") {
  Scenario s = costed_tree(4);
  UnitCost unit = *s.unit;
  unit.symbol_rate_limit_bd = 0.99 * unit.symbol_rate_bd;
  s.unit = unit;
  CHECK_FALSE(energy(s).rate_reachable);
  unit.symbol_rate_limit_bd = unit.symbol_rate_bd;
  s.unit = unit;
  CHECK(energy(s).rate_reachable);
  CHECK(energy(scenario("switch", "ring", 4)).rate_reachable);
}

// mutation: the design's delay is not taken
TEST_CASE("a design gives the delay of its units") {
  Scenario s = costed_tree(4);
  CHECK(in_force(s).chip_latency_s == 3e-9);
  const double with = simulate_iteration(s).time.latency_s;
  s.unit.reset();
  CHECK(with - simulate_iteration(s).time.latency_s == Approx(3e-9 - 0.7e-9).epsilon(1e-6));
}

// mutations: one end of a link between two transceivers; links between switches left out, or not thinner
TEST_CASE("transceivers count by the fibres of their network") {
  for (const double oversubscription : {1.0, 4.0}) {
    Scenario tree = scenario("fat-tree", "ring", 16);
    tree.routing = "spray";
    tree.radix = 4;
    tree.efficiency = 0.5;  // of the line rate, which transceivers burn for
    tree.oversubscription = oversubscription;
    double all = 0.0;
    for (const double bytes_per_s : make_fabric(tree).links.capacity_bytes_per_s) all += 8 * bytes_per_s / 0.5;
    CHECK(fibres_bit_per_s(tree) == Approx(all));
    tree.servers = 15;  // the last host's port stays empty
    CHECK(fibres_bit_per_s(tree) == Approx(all - 2 * 800e9));
  }
  CHECK(fibres_bit_per_s(scenario("switch", "ring", 4)) == 8 * 800e9);
  for (const char* circuits : {"sip-ring", "sip-ocs", "oddl"})
    CHECK(fibres_bit_per_s(scenario(circuits, "ring", 4)) == 4 * 800e9);
}

// mutations: transceivers burn while they send; traffic through a switch counts twice
TEST_CASE("transceivers burn all iteration long, switches by the bit") {
  Scenario s = scenario("switch", "ring", 4);
  s.transceivers = 2;
  s.compute_s = 1.0;
  const IterationResult r = simulate_iteration(s);
  CHECK(r.energy.transceivers_w == Approx(2 * 2 * 4 * 16.0));  // modules of 16 W, at both ends
  CHECK(r.energy.transceivers_j == Approx(256.0 * r.total_s));
  CHECK(r.energy.switches_j == Approx(8 * 4 * 1.5 * r.payload_bytes * 10e-12));
  s.collective = "adding-switch";
  CHECK(energy(s).switches_j ==
        Approx(8 * 4 * r.payload_bytes * 10e-12));  // up once; down no switch is entered
}

// mutation: the network that scales travel over costs nothing, or every OptINC port has transceivers
TEST_CASE("scales of OptINC cost a side network") {
  Scenario s = costed_tree(4);
  s.scale_bits = 32;
  const IterationResult r = simulate_iteration(s);
  CHECK(r.energy.transceivers_j == Approx(2 * 4 * 16.0 * r.total_s));
  CHECK(r.energy.switches_j == Approx(8 * 4 * 1.5 * r.payload_bytes / 256 * 10e-12));
  Scenario by_default = costed_tree(4), without = by_default;
  by_default.scale_bits = -1;
  CHECK(energy(by_default).total_j() == r.energy.total_j());  // codes of 8 bits are nothing without scales
  without.scale_bits = 0;
  CHECK(energy(without).transceivers_j == 0.0);
}
