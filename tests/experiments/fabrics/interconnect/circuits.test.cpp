#include "experiments/fabrics/interconnect/circuits.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "physics/random/stream.hpp"

#include "tests/support/catch.hpp"

using namespace optinc;

namespace {

/// Most transfers that one server sends or receives.
int degree(int servers, const std::vector<Transfer>& transfers) {
  std::vector<int> out(static_cast<std::size_t>(servers), 0), in = out;
  int most = 0;
  for (const Transfer& t : transfers)
    most = std::max(
        {most, ++out[static_cast<std::size_t>(t.source)], ++in[static_cast<std::size_t>(t.destination)]});
  return most;
}

/// Pairs of servers, each at most once.
std::vector<Transfer> random_transfers(std::uint32_t number, int servers) {
  Stream stream(11, Purpose::test, number);
  const double share = stream.uniform();
  std::vector<Transfer> transfers;
  for (int s = 0; s < servers; ++s)
    for (int d = 0; d < servers; ++d)
      if (s != d && stream.uniform() < share) transfers.push_back({s, d, 1.0});
  return transfers;
}

}  // namespace

// fails when the path of two colours is not swapped: greedy colours need up to twice as many
TEST_CASE("transfers of one server have different colours, no more than it has transfers") {
  for (std::uint32_t number = 0; number < 100; ++number) {
    const int servers = 3 + static_cast<int>(number % 10);
    const auto transfers = random_transfers(number, servers);
    const auto colours = edge_colours(servers, transfers);
    std::set<std::pair<int, int>> out, in;
    for (std::size_t t = 0; t < transfers.size(); ++t) {
      REQUIRE(out.insert({transfers[t].source, colours[t]}).second);
      REQUIRE(in.insert({transfers[t].destination, colours[t]}).second);
      REQUIRE(colours[t] < degree(servers, transfers));
    }
  }
}

// fails when rounds are not those of t transceivers, or the last one is as long as a full one
TEST_CASE("rounds of circuits: ceil(degree / t), bytes of the busiest port, one after the other") {
  const std::vector<Transfer> push = collective_phases("parameter-server", 16, 8.0)[0].transfers;
  for (const auto& [transceivers, expected] : {std::pair{1, 15}, {4, 4}, {15, 1}, {64, 1}}) {
    const auto rounds = circuit_rounds(16, push, transceivers, 2.0, 0.5);
    REQUIRE(rounds.size() == static_cast<std::size_t>(expected));
    double at_s = 0.0, serial_s = 0.0;
    std::size_t transfers = 0;
    for (const CircuitRound& round : rounds) {
      CHECK(round.start_s == Approx(at_s));
      CHECK(degree(16, round.transfers) <= transceivers);
      at_s += 0.5 + round.serial_s;
      serial_s += round.serial_s;
      transfers += round.transfers.size();
    }
    CHECK(transfers == push.size());
    CHECK(serial_s == Approx(15 * 8.0 / 2.0));
  }
}

// fails when transfers of one size are not spread evenly over the rounds
TEST_CASE("rounds of every collective take what the busiest port takes") {
  for (const char* name : {"ring", "halving-doubling", "tree", "double-tree", "parameter-server"})
    for (const int transceivers : {1, 2, 3})
      for (const TransferPhase& phase : collective_phases(name, 16, 1.0, 3)) {
        double serial_s = 0.0;
        for (const CircuitRound& round : circuit_rounds(16, phase.transfers, transceivers, 2.0, 0.0))
          serial_s += round.serial_s;
        CHECK(serial_s == Approx(busiest_port_s(16, phase.transfers, 2.0)));
      }
}
