#include <cmath>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <set>

#include "experiments/fabrics/cluster/day.hpp"
#include "experiments/fabrics/interconnect/max_min.hpp"
#include "experiments/fabrics/interconnect/simulate.hpp"
#include "physics/core/check.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/scratch.hpp"

using namespace optinc;

namespace {

TrafficSettings on(const std::string& network, std::int64_t servers) {
  TrafficSettings t;
  t.network.name = "test";
  t.network.network = network;
  if (network == "fat-tree") t.network.routing = "spray";
  t.network.servers = servers;
  t.network.rate_bit_per_s = 100e9;
  t.network.step_latency_s = t.network.hop_latency_s = 0.0;
  t.network.workload = "vgg19";
  t.network.compute_s = 0.1;
  return t;
}

TrainingJob job_on(std::vector<int> nodes, std::uint32_t number = 0) {
  TrainingJob job;
  job.number = number;
  job.size = static_cast<int>(nodes.size());
  job.nodes = std::move(nodes);
  return job;
}

std::vector<int> first_nodes(int n) {
  std::vector<int> nodes(static_cast<std::size_t>(n));
  std::iota(nodes.begin(), nodes.end(), 0);
  return nodes;
}

constexpr double vgg_bytes = 4.0 * 143667240;

}  // namespace

// Three flows in lockstep are one of weight 3: fails when a weight is left out of the link's load or its rest
TEST_CASE("max-min rates of a flow with weights are those of so many flows") {
  const std::vector<double> capacity = {12.0, 9.0, 100.0};
  std::vector<Flow> apart(4, Flow{{0, 1}, 1.0, 0.0});
  apart[3].links = {1, 2};
  const std::vector<Flow> together = {{{0, 1}, 1.0, 0.0, {3.0, 3.0}}, {{1, 2}, 1.0, 0.0}};
  const auto a = max_min_rates(capacity, apart), b = max_min_rates(capacity, together);
  CHECK(b[0] == Approx(a[0]).epsilon(1e-12));
  CHECK(b[1] == Approx(a[3]).epsilon(1e-12));
  CHECK(b[0] == Approx(9.0 / 4).epsilon(1e-12));
  const std::vector<Flow> wrong = {{{0, 1}, 1.0, 0.0, {3.0}}};
  CHECK_THROWS_WITH(max_min_rates(capacity, wrong), ContainsSubstring("weights"));
  CHECK_THROWS_WITH(complete_flows(capacity, together), ContainsSubstring("weights"));
}

TEST_CASE("a ring alone is alpha-beta, whatever the buckets, and overlap hides what the backward pass can") {
  for (const char* network : {"switch", "fat-tree", "sip-ring", "oddl"}) {
    TrafficSettings t = on(network, 64);
    t.overlap = false;
    t.network.step_latency_s = 3e-6;
    const int n = 48;
    SharedNetwork shared(t);
    const JobTraffic job = shared.traffic_of(job_on(first_nodes(n)));
    const double beta_s = 2.0 * (n - 1) / n * vgg_bytes / 12.5e9,
                 alpha_s = 2.0 * (n - 1) * 3e-6 * static_cast<double>(job.bytes.size());
    CHECK(std::accumulate(job.bytes.begin(), job.bytes.end(), 0.0) == Approx(vgg_bytes).epsilon(1e-12));
    CHECK(job.alone_s() == Approx(0.1 + beta_s + alpha_s).epsilon(1e-6));
    t.overlap = true;
    t.network.compute_s = 30.0;
    // all but the last bucket, which is ready with the end of the backward pass, are hidden
    const JobTraffic hidden = SharedNetwork(t).traffic_of(job_on(first_nodes(n)));
    const double last_s = 2.0 * (n - 1) * (hidden.bytes.back() / n / 12.5e9 + 3e-6);
    CHECK(hidden.alone_s() == Approx(30.0 + last_s).epsilon(1e-6));
    CHECK(hidden.ready_s.back() == Approx(30.0).epsilon(1e-12));
  }
}

// 2 (d + m - 1) (a + 2 S/(m B)) of d = 4 and m = sqrt((d - 1) 2 S/(a B)) chunks: fails when a tree is not
// pipelined
TEST_CASE("a tree alone is pipelined in the best number of chunks") {
  TrafficSettings t = on("switch", 64);
  t.overlap = false;
  t.bucket_bytes = 1e15;
  t.network.step_latency_s = 3e-6;
  TrainingJob job = job_on(first_nodes(16));
  job.collective = "tree";
  const double load_s = 2 * vgg_bytes / 12.5e9, m = std::round(std::sqrt(3 * load_s / 3e-6));
  CHECK(SharedNetwork(t).traffic_of(job).alone_s() ==
        Approx(0.1 + 2 * (3 + m) * (3e-6 + load_s / m)).epsilon(1e-9));
}

// the same job through the other solver, flow by flow: fails when lockstep is taken for the mean flow
TEST_CASE("a job alone takes what interconnect finds for it") {
  for (const char* placement : {"linear", "random"}) {
    TrafficSettings t = on("fat-tree", 128);
    t.network.routing = "ecmp";
    t.network.sub_flows = 2;
    t.network.oversubscription = 2.0;
    t.network.placement = placement;
    t.overlap = false;
    const IterationResult by_flow = simulate_iteration(t.network);
    // a cluster's nodes are the scenario's servers, which the scenario has placed
    const JobTraffic job = SharedNetwork(t).traffic_of(job_on(first_nodes(128)));
    CHECK(job.alone_s() == Approx(by_flow.total_s).epsilon(1e-9));
  }
}

// fails when a bucket pays other latencies than interconnect has, or a level too many
TEST_CASE("a job that the network sums up takes what interconnect finds for it") {
  for (const char* network : {"adding-fat-tree", "optinc"}) {
    TrafficSettings t = on(network, 64);
    t.overlap = false;
    t.bucket_bytes = 1e15;  // one bucket
    Scenario& s = t.network;
    s.oversubscription = 2.0;
    s.step_latency_s = 1e-3;
    s.hop_latency_s = 1e-4;
    s.adding_latency_s = 1e-5;
    s.unit.emplace();
    s.unit->servers = 4;
    s.unit->bits = 8;
    s.unit->delay_s = 1e-3;
    Scenario alone = s;
    alone.servers = 16;
    if (std::string(network) == "optinc") {
      alone.collective = "optinc";
      alone.bits = 8;
      alone.scale_bits = 32;
    } else {
      alone.network = "fat-tree";
      alone.collective = "adding-switch";
      alone.routing = "ecmp";
      alone.radix = 8;  // of the cluster's 64 hosts, 4 at an edge switch
      s.radix = 8;
    }
    const JobTraffic job = SharedNetwork(t).traffic_of(job_on(first_nodes(16)));
    CHECK(job.alone_s() == Approx(simulate_iteration(alone).total_s).epsilon(1e-9));
  }
}

// Two jobs whose bytes take x alone and which compute for c < x: while one sends alone it is twice as fast, so
// that each iteration takes 2 x + c less the time in which one computes and the other sends, which is 0 .. c by
// where they began. Fails when a job keeps its share while it computes, or rates are not solved anew.
TEST_CASE("jobs that saturate a link share it, and those that do not meet do not slow each other") {
  TrafficSettings t = on("fat-tree", 16);
  t.overlap = false;
  t.network.oversubscription = 4.0;
  t.network.radix = 4;
  t.network.compute_s = 0.05;  // less than the bytes take
  SharedNetwork shared(t);
  // hosts 0 and 1 are one edge switch, of one pod of four hosts: both jobs leave it
  const JobTraffic a = shared.traffic_of(job_on({0, 4}, 0)), b = shared.traffic_of(job_on({1, 5}, 1)),
                   c = shared.traffic_of(job_on({8, 9}, 2));
  const std::vector<const JobTraffic*> jobs = {&a, &b, &c};
  const SharedIterations run = shared.iterations(jobs, 8, 1);
  // an edge switch sends 2 x 12.5/4 GB/s up: one ring of two fits at half the speed of its port, two do not
  const double alone_s = vgg_bytes / 6.25e9;
  CHECK(a.alone_s() == Approx(0.05 + alone_s).epsilon(1e-9));
  CHECK(run.coupled == 2);
  for (const std::size_t j : {0U, 1U}) {
    CHECK(run.iteration_s[j] >= 2.0 * alone_s * (1 - 1e-9));
    CHECK(run.iteration_s[j] <= 2.0 * alone_s + 0.05);
  }
  CHECK(run.iteration_s[2] == Approx(0.05 + vgg_bytes / 12.5e9).epsilon(1e-9));
  // what is known of a group is not simulated again, and one without a job is another group
  const SharedIterations again = shared.iterations(jobs, 8, 1, run);
  CHECK(again.events == 0);
  CHECK(again.iteration_s == run.iteration_s);
  const std::vector<const JobTraffic*> left = {&b, &c};
  CHECK(shared.iterations(left, 8, 1, run).iteration_s[0] == b.alone_s());
  // a longer window changes nothing: the two go on as they began, and may be advanced as one
  const SharedIterations longer = shared.iterations(jobs, 64, 1);
  CHECK(longer.iteration_s[0] == Approx(run.iteration_s[0]).epsilon(1e-9));
}

// Both jobs send a flow out of either edge switch of pod 0, whose trunk carries half of what the pod's does:
// each of the links says all that the others say. In a chain of three jobs either link says something of its
// own. Fails when links that imply each other are both left out, or one that is not implied.
TEST_CASE("links that imply each other still hold the flows over them") {
  TrafficSettings t = on("fat-tree", 16);
  t.overlap = false;
  t.network.oversubscription = 4.0;
  t.network.radix = 4;
  t.network.compute_s = 0.05;
  SharedNetwork shared(t);
  const JobTraffic a = shared.traffic_of(job_on({0, 4, 2, 8}, 0)),
                   b = shared.traffic_of(job_on({1, 6, 3, 12}, 1));
  const std::vector<const JobTraffic*> jobs = {&a, &b};
  const double alone_s = 2.0 * 3 / 4 * vgg_bytes / 6.25e9;
  CHECK(a.alone_s() == Approx(0.05 + alone_s).epsilon(1e-9));
  const SharedIterations run = shared.iterations(jobs, 8, 1);
  CHECK(run.coupled == 2);
  for (const std::size_t j : {0U, 1U}) {
    CHECK(run.iteration_s[j] >= 2.0 * alone_s * (1 - 1e-9));
    CHECK(run.iteration_s[j] <= 2.0 * alone_s + 0.05);
  }
  const JobTraffic c = shared.traffic_of(job_on({0, 2}, 2)), d = shared.traffic_of(job_on({1, 4}, 3)),
                   e = shared.traffic_of(job_on({5, 6}, 4));
  const std::vector<const JobTraffic*> chain = {&c, &d, &e};
  const SharedIterations chained = shared.iterations(chain, 8, 1);
  CHECK(chained.coupled == 3);
  for (const std::size_t j : {0U, 1U, 2U}) CHECK(chained.iteration_s[j] > 1.2 * c.alone_s());
}

TEST_CASE("jobs with paths of their own never slow each other") {
  TrafficSettings t = on("oddl", 64);
  SharedNetwork shared(t);
  const JobTraffic a = shared.traffic_of(job_on({0, 63, 1, 62})), b = shared.traffic_of(job_on({2, 60, 3, 61}));
  const std::vector<const JobTraffic*> jobs = {&a, &b};
  const SharedIterations run = shared.iterations(jobs, 4, 1);
  CHECK(run.coupled == 0);
  CHECK(run.events == 0);
  CHECK(run.iteration_s[0] == a.alone_s());
}

// the same scenario alone, by the simulation of one job: fails when ports, units or bytes through switches are
// counted differently
TEST_CASE("a job on all nodes draws the energy of its scenario") {
  for (const std::string network : {"switch", "fat-tree", "sip-ring", "oddl", "adding-fat-tree", "optinc"}) {
    CAPTURE(network);
    TrafficSettings t = on(network, 16);
    t.overlap = false;
    t.bucket_bytes = 1e12;
    t.network.unit.emplace();
    t.network.unit->servers = 4;
    t.network.unit->bits = 8;
    t.network.unit->symbol_rate_bd = 40e9;
    t.network.unit->static_power_w = 70.0;
    t.network.unit->symbol_power_w = 30.0;
    std::vector<int> nodes(16);
    std::iota(nodes.begin(), nodes.end(), 0);
    Scenario s = t.network;
    s.collective = "ring";
    if (network == "adding-fat-tree") {
      s.network = "fat-tree";
      s.collective = "adding-switch";
    } else if (network == "optinc") {
      s.collective = "optinc";
      s.bits = 8;
      s.scale_bits = 32;
    }
    const IterationResult whole = simulate_iteration(s);
    const SharedNetwork shared(t);
    const IterationEnergy e = shared.energy(shared.traffic_of(job_on(nodes)), whole.total_s);
    CHECK(e.static_j == Approx(whole.energy.static_j));
    CHECK(e.symbol_j == Approx(whole.energy.symbol_j));
    CHECK(e.transceivers_j == Approx(whole.energy.transceivers_j));
    CHECK(e.switches_j == Approx(whole.energy.switches_j));
    CHECK((e.static_j > 0.0) == (network == "optinc"));
    CHECK((e.switches_j > 0.0) == (network != "oddl" && network != "sip-ring"));
    nodes.resize(8);
    const JobTraffic half = shared.traffic_of(job_on(nodes));
    CHECK(shared.energy(half, whole.total_s).transceivers_j == Approx(e.transceivers_j / 2));
  }
}

// 1 + 1/2 + 1/3 + 1/4 times the mean delay, which no network makes up for; fails when a bucket is ready before
// the slowest node has computed it
TEST_CASE("an iteration waits for the slowest of its nodes") {
  TrafficSettings t = on("switch", 8);
  t.straggling = 0.2;
  const JobTraffic job = SharedNetwork(t).traffic_of(job_on({0, 1, 2, 3}));
  t.straggling = 0.0;
  const JobTraffic steady = SharedNetwork(t).traffic_of(job_on({0, 1, 2, 3}));
  const double slowest = 1.0 + 0.2 * 25 / 12;
  CHECK(job.compute_s == Approx(0.1 * slowest).epsilon(1e-12));
  REQUIRE(job.ready_s.size() == steady.ready_s.size());
  for (std::size_t b = 0; b < job.ready_s.size(); ++b)
    CHECK(job.ready_s[b] == Approx(steady.ready_s[b] * slowest).epsilon(1e-12));
}

TEST_CASE("placing: packed takes the lowest free nodes, scattered others, each once") {
  std::vector<bool> taken(64, false);
  taken[1] = taken[3] = true;
  CHECK(place_job(taken, 4, 0.0, 1, 0) == std::vector<int>{0, 2, 4, 5});
  for (const double scattered : {0.0, 0.1, 0.5, 1.0}) {
    const std::vector<int> nodes = place_job(taken, 40, scattered, 7, 3);
    const std::set<int> distinct(nodes.begin(), nodes.end());
    CHECK(distinct.size() == 40);
    CHECK(distinct.count(1) + distinct.count(3) == 0);
    CHECK((nodes == place_job(taken, 40, 0.0, 7, 3)) == (scattered == 0.0));
  }
  // all moved: any 4 of the 8 free nodes alike; 4,000 draws, five standard errors of a share of 1/2
  int packed = 0;
  for (std::uint32_t number = 0; number < 4000; ++number)
    for (const int n : place_job(std::vector<bool>(8, false), 4, 1.0, 1, number)) packed += n < 4;
  CHECK(packed / 16000.0 == Approx(0.5).margin(5 * 0.5 / std::sqrt(4000.0 * 4 * 7 / 4)));
  CHECK_THROWS_WITH(place_job(taken, 63, 0.0, 1, 0), ContainsSubstring("62 are free"));
}

// one job whose end is known: fails when its wait, its set-up or an iteration is lost or counted twice
TEST_CASE("a day of two jobs ends when it must, and every byte is counted") {
  DaySettings day;
  day.traffic = on("switch", 8);
  day.traffic.overlap = false;
  const double iteration_s = 0.1 + 2.0 * 7 / 8 * vgg_bytes / 12.5e9;
  day.jobs = {{10.0, 1000 * iteration_s, {}, 8}, {20.0, 500 * iteration_s, {}, 8}};
  day.horizon_s = 10.0 + 1200 * iteration_s;
  const DayResult r = run_day(day);
  CHECK(r.arrived == 2);
  CHECK(r.finished == 1);
  CHECK(r.iterations == Approx(1200.0).epsilon(1e-9));
  CHECK(r.mean_wait_s == Approx((1000 * iteration_s + 10.0 - 20.0) / 2).epsilon(1e-9));
  CHECK(r.sent_bytes == Approx(1200.0 * 2 * 7 * vgg_bytes).epsilon(1e-9));
  CHECK(r.utilisation == Approx(1200 * iteration_s / day.horizon_s).epsilon(1e-9));
  CHECK(r.mean_stretch == Approx(1.0).epsilon(1e-9));
  day.setup_s = 100 * iteration_s;
  CHECK(run_day(day).iterations == Approx(1000.0).epsilon(1e-9));
}

// Groups of 4. A job of one node takes node 0, the next one nodes 1 .. 6, whose ring leaves either group once.
// The third finds nodes 7 .. 10 free: its ring leaves group 1, whose only channel is taken. Once the first has
// left it finds 0, 7, 8, 9, and the channel out of group 0 is taken. The fourth needs none, but waits behind
// it. Fails when a job starts without channels, keeps them, or lets others pass
TEST_CASE("a job whose ring finds no channel between groups waits, and so do those behind it") {
  DaySettings day;
  day.traffic = on("oddl", 12);
  day.traffic.overlap = false;
  LightPaths& light = day.traffic.light;
  light.group_size = 4;
  light.band_hz = 80e9;  // one channel of 75 GHz
  const double ring_s = 0.1 + 2.0 * 5 / 6 * vgg_bytes / 12.5e9, end_s = 1000 * ring_s;
  day.jobs = {{0.0, 50.0, {}, 1}, {0.0, end_s, {}, 6}, {10.0, 60.0, {}, 4}, {20.0, 60.0, {}, 1}};
  day.horizon_s = 1000.0;
  const DayResult r = run_day(day);
  CHECK(r.delayed == 1);
  CHECK(r.blocked == 2);
  CHECK(r.refused == 0);
  CHECK(r.finished == 4);
  CHECK(r.mean_wait_s == Approx((end_s - 10.0 + end_s - 20.0) / 4).epsilon(1e-9));
  light.band_hz = 155e9;
  const DayResult enough = run_day(day);
  CHECK(enough.delayed + enough.blocked == 0);
  CHECK(enough.mean_wait_s == 0.0);
  // halving and doubling over 8 nodes: four connections between the groups at once, where there is one channel
  light.band_hz = 80e9;
  day.collectives = {"halving-doubling"};
  day.jobs = {{0.0, 50.0, {}, 8}, {0.0, 50.0, {}, 4}};
  CHECK(run_day(day).refused == 1);
  CHECK(run_day(day).delayed == 0);
  CHECK(run_day(day).finished == 1);
  light.band_hz = 4 * 75e9 * 1.0001;
  CHECK(run_day(day).finished == 2);
  day.traffic.network.network = "switch";
  light.band_hz = 80e9;
  CHECK(run_day(day).refused == 0);
}

// 16 nodes a group, so that a ring leaves it 16 times at most: 2 * 16 - 1 channels suffice whatever is set
// (Clos)
TEST_CASE("days of rings have nobody wait for channels where Clos' bound holds") {
  DaySettings day;
  day.traffic = on("oddl", 256);
  day.jobs = helios_like_jobs(256, 0.9, 2e4, 5);
  day.horizon_s = 2e4;
  day.scattered = 1.0;
  LightPaths& light = day.traffic.light;
  light.group_size = 16;
  light.band_hz = 31 * 75e9 * 1.0001;
  const DayResult clos = run_day(day);
  CHECK(clos.started > 100);
  CHECK(clos.delayed + clos.blocked + clos.refused == 0);
  light.band_hz = 80e9;
  const DayResult few = run_day(day);
  CHECK(few.delayed > 0);
  CHECK(few.blocked >= few.delayed);
  CHECK(few.mean_wait_s > clos.mean_wait_s);
  DaySettings shipped;  // and by default
  CHECK(wavelengths_of(shipped.traffic.light) >= 2 * shipped.traffic.light.group_size - 1);
}

// fails when a job that is never served waits, or holds nodes
TEST_CASE("a day turns away what its network does not serve") {
  DaySettings day;
  day.traffic = on("optinc", 64);
  day.traffic.network.unit.emplace();
  day.traffic.network.unit->servers = 4;
  day.traffic.network.unit->bits = 8;
  day.jobs = {{0.0, 100.0, {}, 32}, {1.0, 100.0, {}, 16}, {2.0, 100.0, {}, 64}};
  day.horizon_s = 1000.0;
  const DayResult r = run_day(day);
  CHECK(r.arrived == 3);
  CHECK(r.refused == 2);
  CHECK(r.finished == 1);
  CHECK(r.mean_wait_s == 0.0);
  CHECK(r.mean_stretch < 1.0);  // than a ring of 32 bits on an ideal network
  day.traffic.network.unit.reset();
  CHECK_THROWS_WITH(run_day(day), ContainsSubstring("cost of a unit"));
}

// 4,000 jobs, five standard errors
TEST_CASE(
    "MC: drawn jobs have the published mean size and median duration, and arrive at the rate of the load") {
  const auto jobs = helios_like_jobs(1024, 0.7, 4e5, 3);
  const double n = static_cast<double>(jobs.size()), rate = 0.7 * 1024 / (3.72 * 6652.0);
  CHECK(std::abs(n - rate * 4e5) < 5 * std::sqrt(rate * 4e5));
  double size = 0.0, square = 0.0, below = 0.0;
  for (const TrainingJob& j : jobs) {
    size += j.size / n;
    square += static_cast<double>(j.size) * j.size / n;
    below += j.duration_s < 206.0;
  }
  CHECK(std::abs(size - 3.72) < 5 * std::sqrt((square - size * size) / n));
  CHECK(std::abs(below / n - 0.5) < 5 * std::sqrt(0.25 / n));
}

TEST_CASE("a table of jobs is read by name, and refused by line") {
  const Scratch folder;
  const auto path = folder / "jobs.csv";
  const auto read = [&](const char* text) {
    std::ofstream(path) << text;
    return read_jobs(path, 64);
  };
  const auto jobs = read("arrival_s,nodes,duration_s\n0,4,60\n10.5,64,1e4\n");
  CHECK(jobs.size() == 2);
  CHECK(jobs[1].size == 64);
  CHECK(jobs[1].arrives_s == 10.5);
  const std::vector<std::pair<const char*, const char*>> bad = {
      {"arrival_s,nodes,duration_s\n5,4,60\n1,4,60\n", ":3: arrival_s = 1"},
      {"arrival_s,nodes,duration_s\n5,0,60\n", ":2: nodes = 0"},
      {"arrival_s,nodes,duration_s\n5,65,60\n", ":2"},
      {"arrival_s,nodes,duration_s\n5,4,-1\n", ":2: duration_s"},
      {"arrival_s,nodes,duration_s\n5,4,nan\n", ":2"},
      {"arrival_s,nodes,duration_s\n5,2.5,3\n", ":2"},
      {"arrival_s,nodes\n5,2\n", "duration_s"},
      {"arrival_s,nodes,duration_s,colour\n5,2,3,4\n", "colour"},
  };
  for (const auto& [text, message] : bad) CHECK_THROWS_WITH(read(text), ContainsSubstring(message));
  std::filesystem::remove(path);
}
