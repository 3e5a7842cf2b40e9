#include "experiments/fabrics/interconnect/max_min.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <numeric>

#include <fmt/format.h>

#include "experiments/fabrics/interconnect/fat_tree.hpp"
#include "physics/random/stream.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/refusal.hpp"

using namespace optinc;

namespace {

/// The textbook, slowly: all unfixed rates grow alike until a link is full, which fixes the flows over it.
std::vector<double> slow_rates(const std::vector<double>& capacity, const std::vector<Flow>& flows,
                               const std::vector<bool>& there) {
  std::vector<double> rates(flows.size(), 0.0);
  std::vector<bool> fixed(flows.size());
  for (std::size_t f = 0; f < flows.size(); ++f) fixed[f] = !there[f];
  for (;;) {
    double grow = std::numeric_limits<double>::infinity();
    std::vector<double> slack(capacity);
    std::vector<int> growing(capacity.size(), 0);
    for (std::size_t f = 0; f < flows.size(); ++f)
      for (const int l : flows[f].links) {
        slack[static_cast<std::size_t>(l)] -= rates[f];
        if (!fixed[f]) ++growing[static_cast<std::size_t>(l)];
      }
    for (std::size_t l = 0; l < capacity.size(); ++l)
      if (growing[l] > 0) grow = std::min(grow, slack[l] / growing[l]);
    if (std::isinf(grow)) return rates;
    for (std::size_t f = 0; f < flows.size(); ++f)
      if (!fixed[f]) rates[f] += grow;
    for (std::size_t f = 0; f < flows.size(); ++f)
      for (const int l : flows[f].links) {
        const auto link = static_cast<std::size_t>(l);
        if (growing[link] > 0 && slack[link] - growing[link] * grow <= 1e-12 * capacity[link]) fixed[f] = true;
      }
  }
}

std::vector<double> slow_times(const std::vector<double>& capacity, const std::vector<Flow>& flows) {
  std::vector<double> left, sent(flows.size(), 0.0);
  for (const Flow& f : flows) left.push_back(f.bytes);
  std::vector<bool> there(flows.size(), true);
  double now = 0.0;
  while (std::find(there.begin(), there.end(), true) != there.end()) {
    const auto rates = slow_rates(capacity, flows, there);
    double step = std::numeric_limits<double>::infinity();
    for (std::size_t f = 0; f < flows.size(); ++f)
      if (there[f]) step = std::min(step, left[f] / rates[f]);
    now += step;
    for (std::size_t f = 0; f < flows.size(); ++f) {
      if (!there[f]) continue;
      left[f] -= step * rates[f];
      if (left[f] > 1e-10 * flows[f].bytes) continue;
      there[f] = false;
      sent[f] = now;
    }
  }
  return sent;
}

struct Random {
  std::vector<double> capacity;
  std::vector<Flow> flows;
};

Random random_network(std::uint32_t number, bool equal_sizes) {
  Stream stream(5, Purpose::test, number);
  Random r;
  const std::uint32_t links = 3 + stream.below(10), flows = 1 + stream.below(40);
  for (std::uint32_t l = 0; l < links; ++l) r.capacity.push_back(1.0 + stream.below(4));
  for (std::uint32_t f = 0; f < flows; ++f) {
    Flow flow{{}, equal_sizes ? 2.0 : 1.0 + 9.0 * stream.uniform(), 0.0};
    for (std::uint32_t l = 0; l < links; ++l)
      if (stream.uniform() < 0.3) flow.links.push_back(static_cast<int>(l));
    if (flow.links.empty()) flow.links.push_back(static_cast<int>(stream.below(links)));
    r.flows.push_back(flow);
  }
  return r;
}

/// Every flow has a full link on which none is faster.
void require_fair(const Random& r, const std::vector<double>& rates) {
  std::vector<double> load(r.capacity.size(), 0.0), fastest(load);
  for (std::size_t f = 0; f < r.flows.size(); ++f)
    for (const int l : r.flows[f].links) {
      load[static_cast<std::size_t>(l)] += rates[f];
      fastest[static_cast<std::size_t>(l)] = std::max(fastest[static_cast<std::size_t>(l)], rates[f]);
    }
  for (std::size_t l = 0; l < load.size(); ++l) REQUIRE(load[l] <= r.capacity[l] * (1 + 1e-11));
  for (std::size_t f = 0; f < r.flows.size(); ++f)
    REQUIRE(std::any_of(r.flows[f].links.begin(), r.flows[f].links.end(), [&](int l) {
      const auto link = static_cast<std::size_t>(l);
      return load[link] >= r.capacity[link] * (1 - 1e-11) && rates[f] >= fastest[link] * (1 - 1e-11);
    }));
}

}  // namespace

// fails when the share that a fixed flow takes from its other links is left out
TEST_CASE("max-min rates: every flow has a full link on which none is faster") {
  for (std::uint32_t n = 0; n < 200; ++n) {
    const Random r = random_network(n, false);
    const auto rates = max_min_rates(r.capacity, r.flows);
    require_fair(r, rates);
  }
}

// fails when a flow that came or went leaves the rates of those as they were that it meets by way of others
TEST_CASE("rates while flows come and go are those of all that are there, bit by bit") {
  for (std::uint32_t n = 0; n < 50; ++n) {
    const Random r = random_network(n, false);
    MaxMinSolver solver(r.capacity, r.flows);
    Stream stream(5, Purpose::test, n, 1);
    std::vector<char> there(r.flows.size(), 0);
    for (int step = 0; step < 60; ++step) {
      const auto f = stream.below(static_cast<std::uint32_t>(there.size()));
      there[f] ^= 1;
      solver.set(f, there[f] != 0);
      if (step % 3 == 0) continue;  // several changes at once
      std::vector<Flow> present;
      for (std::size_t i = 0; i < there.size(); ++i)
        if (there[i]) present.push_back(r.flows[i]);
      const auto expected = max_min_rates(r.capacity, present);
      const auto& rates = solver.rates();
      std::size_t next = 0;
      for (std::size_t i = 0; i < there.size(); ++i) REQUIRE(rates[i] == (there[i] ? expected[next++] : 0.0));
    }
  }
}

TEST_CASE("a hundred thousand flows at once, between random hosts of a fat-tree of 1,024, are shared fairly") {
  const FatTree tree{.radix = 16, .link_bytes_per_s = 12.5e9};
  const LinkTable links = fat_tree_links(tree);
  Stream stream(5, Purpose::test, 1000);
  std::vector<Flow> flows;
  while (flows.size() < 100000) {
    const int from = static_cast<int>(stream.below(1024)), to = static_cast<int>(stream.below(1024));
    if (from != to) flows.push_back({fat_tree_paths(tree, from, to)[0], 1.0, 0.0});
  }
  const auto start = std::chrono::steady_clock::now();
  const auto rates = max_min_rates(links.capacity_bytes_per_s, flows);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  fmt::print("max-min rates of {} flows over {} links: {:.3g} s\n", flows.size(), links.names.size(),
             took.count());  // of claim flows
  require_fair({links.capacity_bytes_per_s, flows}, rates);
}

// fails when rates are not shared anew after a completion
TEST_CASE("flows end when a slow water-filling says") {
  for (std::uint32_t n = 0; n < 100; ++n) {
    const Random r = random_network(n, false);
    const auto times = complete_flows(r.capacity, r.flows);
    const auto slow = slow_times(r.capacity, r.flows);
    for (std::size_t f = 0; f < slow.size(); ++f) REQUIRE(times.sent_s[f] == Approx(slow[f]).epsilon(1e-9));
  }
}

// fails when the closed form takes the link of most flows and not that of the longest time
TEST_CASE("flows of one size end when the longest link does") {
  for (std::uint32_t n = 0; n < 200; ++n) {
    Random r = random_network(n, true);
    for (Flow& f : r.flows) f.latency_s = 0.25;
    const auto times = complete_flows(r.capacity, r.flows);
    const PhaseEnd end = phase_end(r.capacity, r.flows);
    REQUIRE(end.arrived_s ==
            Approx(*std::max_element(times.arrived_s.begin(), times.arrived_s.end())).epsilon(1e-10));
    REQUIRE(end.latency_s == 0.25);
  }
}

// fails when latency delays the flow's share of a link
TEST_CASE("two flows, one link: the second goes on alone, each arrives its latency later") {
  const std::vector<double> capacity = {2.0};
  const std::vector<Flow> flows = {{{0}, 2.0, 10.0}, {{0}, 6.0, 0.5}};
  const auto times = complete_flows(capacity, flows);
  CHECK(times.sent_s[0] == Approx(2.0));  // 1 byte/s each
  CHECK(times.sent_s[1] == Approx(4.0));  // 4 bytes left at 2 bytes/s
  CHECK(times.arrived_s[0] == Approx(12.0));
  const PhaseEnd end = phase_end(capacity, flows);
  CHECK(end.arrived_s == Approx(12.0));
  CHECK(end.latency_s == 10.0);
}

TEST_CASE("flows that cannot be are refused") {
  const std::vector<double> good = {1.0}, none = {0.0}, nan = {std::nan("")};
  const std::vector<Flow> flow = {{{0}, 1.0, 0.0}};
  check_message(refusal([&] { max_min_rates(none, flow); }), {"link 0", "0 bytes/s"});
  check_message(refusal([&] { max_min_rates(nan, flow); }), {"link 0", "nan"});
  check_message(refusal([&] {
                  complete_flows(good, std::vector<Flow>{{{}, 1.0, 0.0}});
                }),
                {"flow 0", "no link"});
  check_message(refusal([&] { complete_flows(good, std::vector<Flow>{{{3}, 1.0, 0.0}}); }), {"link 3", "0..0"});
  check_message(refusal([&] { complete_flows(good, std::vector<Flow>{{{0}, -1.0, 0.0}}); }), {"-1 bytes"});
  check_message(refusal([&] { complete_flows(good, std::vector<Flow>{{{0}, 1.0, -2.0}}); }), {"latency", "-2"});
  check_message(refusal([&] {
                  max_min_rates(good, std::vector<Flow>{{{0, 0}, 1.0, 0.0}});
                }),
                {"flow 0", "twice"});
}
