#include "experiments/fabrics/interconnect/fat_tree.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <set>
#include <tuple>
#include <utility>

#include "experiments/fabrics/interconnect/simulate.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/refusal.hpp"

using namespace optinc;

namespace {

FatTree tree(int radix, std::string_view routing, int sub_flows = 1) {
  FatTree t;
  t.radix = radix;
  t.routing = routing;
  t.sub_flows = sub_flows;
  return t;
}

/// Servers of a fat-tree, without latency; 0: the fewest ports that fit.
Scenario on_tree(std::int64_t servers, const char* routing, const char* placement, std::int64_t radix) {
  Scenario s;
  s.name = "tree";
  s.network = "fat-tree";
  s.routing = routing;
  s.placement = placement;
  s.servers = servers;
  s.radix = radix;
  s.step_latency_s = s.hop_latency_s = 0.0;
  return s;
}

/// Slowdown of a ring of 1,024 servers at random hosts.
double slowdown(std::int64_t seed, const char* routing, std::int64_t sub_flows, double oversubscription = 1.0) {
  Scenario s = on_tree(1024, routing, "random", 16);
  s.sub_flows = sub_flows;
  s.oversubscription = oversubscription;
  s.seed = seed;
  return simulate_iteration(s).slowdown;
}

/// Mean slowdown of seeds 1 to 8.
double mean_slowdown(Scenario s) {
  double mean = 0.0;
  for (s.seed = 1; s.seed <= 8; ++s.seed) mean += simulate_iteration(s).slowdown / 8;
  return mean;
}

/// Mean and its standard error of the fullest link's connections, over shifts of drawn distances among servers
/// in line on a tree of 16 ports, each connection through a switch and a core of its own drawing. Written apart
/// from the engine: it knows no links, only who shares them.
std::pair<double, double> drawn_slowdown(int servers) {
  constexpr int radix = 16, half = radix / 2, in_pod = half * half, shifts = 400;
  std::mt19937 draw(1);
  double sum = 0.0, squares = 0.0;
  for (int s = 0; s < shifts; ++s) {
    const int distance = 1 + static_cast<int>(draw() % static_cast<unsigned>(servers - 1));
    std::map<std::tuple<int, int, int, int>, int> load;  // kind of link and its place
    int fullest = 1;
    const auto cross = [&](int kind, int a, int b, int c) {
      fullest = std::max(fullest, ++load[{kind, a, b, c}]);
    };
    for (int from = 0; from < servers; ++from) {
      const int to = (from + distance) % servers;
      if (from / half == to / half) continue;  // below one switch
      const int up = static_cast<int>(draw() % half), core = static_cast<int>(draw() % half);
      cross(0, from / half, up, 0);
      cross(1, to / half, up, 0);
      if (from / in_pod == to / in_pod) continue;
      cross(2, from / in_pod, up, core);
      cross(3, to / in_pod, up, core);
    }
    sum += fullest;
    squares += fullest * fullest;
  }
  const double mean = sum / shifts;
  return {mean, std::sqrt((squares / shifts - mean * mean) / (shifts - 1))};
}

}  // namespace

// fails when edge, pod and core are confused
TEST_CASE("paths climb as far as they must, and up and down at the same switches") {
  for (const char* routing : {"spray", "d-mod-k", "ecmp"}) {
    const FatTree t = tree(8, routing);
    const LinkTable links = fat_tree_links(t);
    CHECK(t.hosts() == 128);
    if (t.routing != "spray") CHECK(links.names.size() == 6u * 128u);  // three tiers of hosts() links, two ways
    for (const auto& [to, length] : {std::pair{1, 2}, {5, 4}, {127, 6}}) {
      const auto paths = fat_tree_paths(t, 0, to);
      REQUIRE(paths.size() == 1);
      CHECK(paths[0].size() == static_cast<std::size_t>(length));
      CHECK(links.names[static_cast<std::size_t>(paths[0].front())] == "host 0 up");
      CHECK(links.names[static_cast<std::size_t>(paths[0].back())] == "host " + std::to_string(to) + " down");
    }
  }
  const FatTree t = tree(8, "d-mod-k");
  const auto path =
      fat_tree_paths(t, 0, 127);  // 127 = 7 of edge 31: switch 127 mod 4 = 3, core (127/4) mod 4 = 3
  const LinkTable links = fat_tree_links(t);
  CHECK(links.names[static_cast<std::size_t>(path[0][1])] == "edge 0 port 3 up");
  CHECK(links.names[static_cast<std::size_t>(path[0][2])] == "pod 0 core 15 up");
  CHECK(links.names[static_cast<std::size_t>(path[0][3])] == "pod 7 core 15 down");
  CHECK(links.names[static_cast<std::size_t>(path[0][4])] == "edge 31 port 3 down");
}

// fails when sub-flows of a connection take the same hash
TEST_CASE("sub-flows spread over the paths, the same ones for the same seed") {
  FatTree t = tree(8, "ecmp", 64);
  const auto paths = fat_tree_paths(t, 0, 127);
  CHECK(paths.size() == 64);
  CHECK(std::set(paths.begin(), paths.end()).size() > 12);  // of 16
  CHECK(fat_tree_paths(t, 0, 127) == paths);
  t.seed = 2;
  CHECK(fat_tree_paths(t, 0, 127) != paths);
}

// fails when the trunk has one link's capacity; sprayed permutations of an even tree never collide
TEST_CASE("sprayed, a ring of random hosts is as fast as its ports, and hashed ones in a line") {
  CHECK(slowdown(1, "spray", 1) == Approx(1.0));
  CHECK(slowdown(1, "spray", 1, 2.0) > 1.5);
  for (const char* routing : {"ecmp", "d-mod-k"})  // one connection leaves each edge switch
    CHECK(simulate_iteration(on_tree(1024, routing, "linear", 16)).slowdown == Approx(1.0));
}

// fails when the hash ignores source or destination. The specified means are of 4 or 5 seeds; the slowdown of
// one seed is the worst collision of 1,024, which moves by one of q: the mean of 8 seeds within 0.5 at q = 1
// (10 % of what is specified above), within 0.25 at 2 and 4, else 0.15
TEST_CASE("MC: hashed rings of random hosts collide as measured before") {
  for (const auto& [sub_flows, expected, off] :
       {std::tuple{1, 5.50, 0.5}, {2, 3.88, 0.25}, {4, 3.25, 0.25}, {8, 2.34, 0.15}, {16, 1.94, 0.15}}) {
    Scenario s = on_tree(1024, "ecmp", "random", 16);
    s.sub_flows = sub_flows;
    const double mean = mean_slowdown(s);
    INFO(sub_flows << ": " << mean);
    CHECK(std::abs(mean - expected) < off);
  }
  CHECK(slowdown(1, "ecmp", 1, 2.0) == Approx(2 * slowdown(1, "ecmp", 1)));
  const double small = mean_slowdown(on_tree(16, "ecmp", "random", 4));
  INFO(small);
  CHECK(std::abs(small - 2.8) < 0.5);  // of 10 seeds; of 1 to 4 connections a link
}

// fails when a phase's flows are not those of its distance, or D-mod-k hashes. Of halving and doubling 5.47 is
// specified; shifts are held to drawn_slowdown() of 400 shifts, to 5 sigma of both (4.75 and 5.63; specified
// are 4.29 and 5.12, which it does not give either)
TEST_CASE("MC: hashing slows other collectives too, where servers stand in line") {
  const auto of = [](const char* collective, std::int64_t servers, const char* routing) {
    Scenario s = on_tree(servers, routing, "linear", 16);
    s.collective = collective;
    return simulate_iteration(s).slowdown;
  };
  CHECK(std::abs(of("halving-doubling", 1024, "ecmp") - 5.47) < 0.5);
  for (const int servers : {256, 1024}) {
    const auto [mean, error] = drawn_slowdown(servers);
    const double found = of("sharded-parameter-server", servers, "ecmp");
    const double of_found = error * std::sqrt(400.0 / (servers - 1));  // a mean of so many shifts
    CAPTURE(servers, mean, error, found);
    CHECK(std::abs(found - mean) < 5 * std::hypot(error, of_found));
  }
  // 1.03 with 6e-6 s a step; without latency shifts of a tree that is full never collide
  CHECK(of("sharded-parameter-server", 256, "d-mod-k") < 1.03);
}

// fails when D-mod-k looks at the source, or links of unlike capacity are confused: a ring is as slow as the
// link that most of its connections share, counted here by hand
TEST_CASE("D-mod-k of random hosts is as slow as its fullest link") {
  for (std::int64_t seed = 1; seed <= 8; ++seed) {
    Scenario s = on_tree(1024, "d-mod-k", "random", 16);
    s.seed = seed;
    const std::vector<int> places = make_fabric(in_force(s)).places;
    const FatTree t = tree(16, "d-mod-k");
    std::vector<int> connections(fat_tree_links(t).names.size(), 0);
    for (std::size_t i = 0; i < places.size(); ++i) {
      const auto paths = fat_tree_paths(t, places[i], places[(i + 1) % places.size()]);
      for (const int l : paths[0]) ++connections[static_cast<std::size_t>(l)];
    }
    const int fullest = *std::max_element(connections.begin(), connections.end());
    CHECK(simulate_iteration(s).slowdown == Approx(fullest));
    CHECK(fullest >= 4);  // specified: 5.96, one seed
    CHECK(fullest <= 6);
  }
}

TEST_CASE("fat-trees that cannot be are refused") {
  check_message(refusal([] { fat_tree_links(tree(5, "ecmp")); }), {"radix 5", "even"});
  check_message(refusal([] { fat_tree_links(tree(4, "ecpm")); }), {"ecpm", "ecmp"});
  check_message(refusal([] { fat_tree_links(tree(4, "ecmp", 0)); }), {"sub_flows = 0"});
  FatTree t = tree(4, "ecmp");
  t.link_bytes_per_s = 0.0;
  check_message(refusal([&] { fat_tree_links(t); }), {"0 bytes/s"});
  t.link_bytes_per_s = 1.0;
  t.oversubscription = 0.5;
  check_message(refusal([&] { fat_tree_links(t); }), {"oversubscription = 0.5"});
  check_message(refusal([&] { fat_tree_paths(t, 0, 16); }), {"16", "0..15"});
  check_message(refusal([&] { fat_tree_paths(t, 3, 3); }), {"host 3", "itself"});
}
