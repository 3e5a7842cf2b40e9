#include <numeric>

#include "experiments/fabrics/cluster/iteration.hpp"
#include "experiments/fabrics/interconnect/workloads.hpp"
#include "physics/core/check.hpp"

#include "tests/support/catch.hpp"

using namespace optinc;

namespace {

/// 100 Gb/s, no latency.
TrafficSettings plain(const std::string& network, std::int64_t nodes) {
  TrafficSettings t;
  t.network.network = network;
  t.network.servers = nodes;
  t.network.rate_bit_per_s = 100e9;
  t.network.step_latency_s = t.network.hop_latency_s = 0.0;
  return t;
}

std::vector<int> ranks_in_order(std::size_t n) {
  std::vector<int> nodes(n);
  std::iota(nodes.begin(), nodes.end(), 0);
  return nodes;
}

TraceRun run_on(const TrafficSettings& t, const ExecutionTrace& trace) {
  const SharedNetwork network(t);
  return run_trace(trace, &network, ranks_in_order(trace.ranks.size()));
}

TraceStep compute(double seconds, std::vector<std::uint32_t> after = {}) {
  return {StepKind::compute, seconds, 0.0, 0, 0, 0, std::move(after)};
}
TraceStep collective(StepKind kind, double bytes, std::vector<std::uint32_t> after = {}, int group = 0) {
  return {kind, 0.0, bytes, group, 0, 0, std::move(after)};
}
TraceStep message(StepKind kind, int peer, double bytes, std::vector<std::uint32_t> after = {}, int tag = 0) {
  return {kind, 0.0, bytes, 0, peer, tag, std::move(after)};
}

ParallelTraining training(std::int64_t data, std::int64_t tensor, std::int64_t pipeline,
                          std::int64_t microbatches) {
  ParallelTraining t;
  t.workload = "llama-8x384-untied";
  t.data = data;
  t.tensor = tensor;
  t.pipeline = pipeline;
  t.microbatches = microbatches;
  t.samples = 1000;
  t.flop_per_s = 1e12;
  return t;
}

/// Seconds of a forward pass: two operations a multiply-add, 1,000 samples. A block has 4 d^2 + 3 d 1,024
/// weights.
constexpr double block_s = 2.0 * (4.0 * 384 * 384 + 3.0 * 384 * 1024) * 1000 / 1e12,
                 words_s = 2.0 * 384 * 32000 * 1000 / 1e12;

}  // namespace

// fails when the accelerator computes two steps at once, or waits for communication that no step depends on
TEST_CASE("an accelerator computes one step at a time, beside its host and the network") {
  ExecutionTrace trace;
  trace.groups = {{0, 1}};
  for (int r = 0; r < 2; ++r)
    trace.ranks.push_back({compute(1e-3),
                           compute(2e-3),
                           {StepKind::host_compute, 5e-4, 0.0, 0, 0, 0, {}},
                           collective(StepKind::all_reduce, 12.5e6, {0}),
                           compute(1e-3, {3})});
  // ring of two: 2 steps of half of 12.5 MB at 12.5 GB/s take 1 ms, beside the second step of computing
  const TraceRun run = run_on(plain("switch", 8), trace);
  CHECK(run.iteration_s == Approx(4e-3).epsilon(1e-12));
  CHECK(run.compute_s == Approx(4e-3).epsilon(1e-12));
  CHECK(run.sent_bytes == Approx(2 * 12.5e6).epsilon(1e-12));
  CHECK(run.steps == 10);
  CHECK(run.operations == 1);
}

TEST_CASE("two operations of one port share it, and messages between two ranks follow each other") {
  // rank 0 sends 12.5 MB to each of 1 and 2: 2 ms in half the rate; then 12.5 MB more to 1, behind the first
  ExecutionTrace trace;
  trace.ranks = {{message(StepKind::send, 1, 12.5e6), message(StepKind::send, 2, 12.5e6),
                  message(StepKind::send, 1, 12.5e6, {}, 5)},
                 {message(StepKind::receive, 0, 12.5e6), message(StepKind::receive, 0, 12.5e6, {}, 5)},
                 {message(StepKind::receive, 0, 12.5e6)}};
  CHECK(run_on(plain("switch", 8), trace).iteration_s == Approx(3e-3).epsilon(1e-12));
  // what arrives before its receiver is there waits for it
  trace.ranks[1].push_back(compute(4e-3));
  trace.ranks[1][0].after = {2};
  trace.ranks[1].push_back(compute(1e-3, {0, 1}));
  CHECK(run_on(plain("switch", 8), trace).iteration_s == Approx(5e-3).epsilon(1e-12));
}

// fails when a message holds up another one of its ranks that is received before it, or waits for its receiver
TEST_CASE("ranks that send before they receive do not wait for each other") {
  ExecutionTrace trace;
  for (int r = 0; r < 2; ++r)
    trace.ranks.push_back(
        {message(StepKind::send, 1 - r, 12.5e6, {}, 1), message(StepKind::send, 1 - r, 12.5e6, {0}, 2),
         message(StepKind::receive, 1 - r, 12.5e6, {1}, 2), message(StepKind::receive, 1 - r, 12.5e6, {2}, 1)});
  CHECK(run_on(plain("switch", 8), trace).iteration_s == Approx(2e-3).epsilon(1e-12));
}

// 4 MB of gradients are 1 MB of codes and 3,906.25 B of scales; fails when light and side network share a port
TEST_CASE("messages beside OptINC's light cross ports of the side network") {
  TrafficSettings t = plain("optinc", 8);
  t.network.rate_bit_per_s = 8e9;
  t.network.fibre_m = t.network.io_latency_s = 0.0;
  t.network.unit.emplace();
  t.network.unit->servers = 4;
  t.network.unit->bits = 8;
  ExecutionTrace trace;
  trace.groups = {{0, 1, 2, 3}};
  for (int r = 0; r < 4; ++r) {
    trace.ranks.push_back({collective(StepKind::all_reduce, 4e6)});
    trace.ranks.back()[0].gradient_bits = 32;
  }
  const double sum_s = 1e-3 + 2.0 * 3 / 4 * 3906.25e-9;
  CHECK(run_on(t, trace).iteration_s == Approx(sum_s).epsilon(1e-9));
  // the scales share the side network's port for as long as they last, which holds up no light afterwards
  trace.ranks[0].push_back(message(StepKind::send, 1, 1e6));
  trace.ranks[1].push_back(message(StepKind::receive, 0, 1e6));
  CHECK(run_on(t, trace).iteration_s < 1e-3 + 3 * 2.0 * 3906.25e-9);
}

// Fails when the place of a step decides, or two operations of a group run at once.
TEST_CASE("operations of a group follow each other as their ranks reach them") {
  ExecutionTrace trace;
  trace.groups = {{0, 1}};
  for (int r = 0; r < 2; ++r)
    trace.ranks.push_back({collective(StepKind::all_reduce, 12.5e6, {2}),
                           collective(StepKind::all_reduce, 12.5e6), compute(3e-3)});
  CHECK(run_on(plain("switch", 8), trace).iteration_s == Approx(4e-3).epsilon(1e-12));
  for (auto& steps : trace.ranks) steps[0].after = {};
  CHECK(run_on(plain("switch", 8), trace).iteration_s == Approx(3e-3).epsilon(1e-12));
  for (auto& steps : trace.ranks) steps[2].seconds = 1.5e-3;
  CHECK(run_on(plain("switch", 8), trace).iteration_s == Approx(2e-3).epsilon(1e-12));
  // the first stands before one that it waits for, of another size
  for (auto& steps : trace.ranks)
    steps = {collective(StepKind::all_reduce, 12.5e6, {1}), collective(StepKind::all_gather, 25e6)};
  trace.ranks[1] = {collective(StepKind::all_gather, 25e6), collective(StepKind::all_reduce, 12.5e6, {0})};
  CHECK(run_on(plain("switch", 8), trace).iteration_s == Approx(2e-3).epsilon(1e-12));
}

TEST_CASE("broadcast, reduce, scatter and gather are alpha-beta") {
  constexpr int n = 6;
  constexpr double bytes = 6e6, alpha_s = 3e-6, whole_s = bytes / 12.5e9;
  TrafficSettings t = plain("switch", 8);
  t.network.step_latency_s = alpha_s;
  for (const auto& [kind, seconds] : {std::pair(StepKind::broadcast, (n - 1) * alpha_s + whole_s),
                                      std::pair(StepKind::reduce, (n - 1) * alpha_s + whole_s),
                                      std::pair(StepKind::scatter, alpha_s + whole_s * (n - 1) / n),
                                      std::pair(StepKind::gather, alpha_s + whole_s * (n - 1) / n)}) {
    ExecutionTrace trace;
    trace.groups = {{0, 1, 2, 3, 4, 5}};
    for (int r = 0; r < n; ++r) trace.ranks.push_back({collective(kind, bytes)});
    CHECK(run_on(t, trace).iteration_s == Approx(seconds).epsilon(1e-12));
  }
}

TEST_CASE("reduce-scatter, all-gather and all-to-all are alpha-beta") {
  constexpr int n = 6;
  constexpr double bytes = 6e6, alpha_s = 3e-6;
  TrafficSettings t = plain("switch", 8);
  t.network.step_latency_s = alpha_s;
  for (const StepKind kind : {StepKind::reduce_scatter, StepKind::all_gather, StepKind::all_to_all}) {
    ExecutionTrace trace;
    trace.groups = {{0, 1, 2, 3, 4, 5}};
    for (int r = 0; r < n; ++r) trace.ranks.push_back({collective(kind, bytes)});
    const TraceRun run = run_on(t, trace);
    CHECK(run.iteration_s == Approx((n - 1) * (alpha_s + bytes / n / 12.5e9)).epsilon(1e-12));
    CHECK(run.sent_bytes == Approx((n - 1) * bytes).epsilon(1e-12));
  }
  ExecutionTrace barrier;
  barrier.groups = {{0, 1, 2, 3, 4, 5}};
  for (int r = 0; r < n; ++r) barrier.ranks.push_back({collective(StepKind::barrier, 0.0)});
  CHECK(run_on(t, barrier).iteration_s == Approx(2 * (n - 1) * alpha_s).epsilon(1e-12));
}

// the last stage, which has the output words too, is the slowest and never waits: fails when a stage begins its
// backward passes too late (GPipe keeps this time) or too early, or when a microbatch is lost
TEST_CASE("stages of a pipeline whose communication takes no time") {
  for (const std::int64_t stages : {1, 2, 4, 8})
    for (const std::int64_t m : {1, 3, 8}) {
      const TraceRun run = run_trace(parallel_training(training(1, 1, stages, m)), nullptr, {});
      const double stage_s = 8.0 / static_cast<double>(stages) * block_s, last_s = stage_s + words_s;
      CHECK(run.iteration_s ==
            Approx(3.0 * (static_cast<double>(stages - 1) * stage_s + static_cast<double>(m) * last_s))
                .epsilon(1e-12));
      CHECK(run.compute_s == Approx(3.0 * static_cast<double>(m) * last_s).epsilon(1e-12));
    }
}

// fails when a stage keeps more microbatches than 1F1B lets it
TEST_CASE("a stage has at most as many microbatches under way as there are stages from it on") {
  const ExecutionTrace trace = parallel_training(training(1, 1, 4, 8));
  for (int p = 0; p < 4; ++p) {
    int under_way = 0, most = 0;  // forward passes less backward ones: what a rank sends on and gets back
    for (const TraceStep& step : trace.ranks[static_cast<std::size_t>(p)]) {
      const int towards_last = p < 3 ? p + 1 : -1;
      if (step.kind == StepKind::send && step.peer == towards_last) most = std::max(most, ++under_way);
      if (step.kind == StepKind::receive && step.peer == towards_last) --under_way;
    }
    if (p < 3) CHECK(most == 4 - p);
  }
}

TEST_CASE("ranks that share layers add up four times a block and microbatch") {
  const double f_s = (8 * block_s + words_s) / 2;
  const TraceRun run = run_on(plain("switch", 8), parallel_training(training(1, 2, 1, 3)));
  const double sum_s = 1000 * 384 * 2.0 / 12.5e9;  // 16 bits an activation; a ring of two sends all of it once
  CHECK(run.iteration_s == Approx(3 * (3 * f_s + 4 * 8 * sum_s)).epsilon(1e-12));
}

TEST_CASE("replicas average their gradients as data-parallel jobs do") {
  for (const char* network : {"switch", "fat-tree", "adding-fat-tree", "optinc"}) {
    TrafficSettings t = plain(network, 64);
    t.network.routing = "spray";
    t.network.workload = "llama-8x384-untied";
    t.network.compute_s = 3 * (8 * block_s + words_s);
    t.network.unit.emplace();
    t.network.unit->servers = 4;
    t.network.unit->bits = 8;
    t.overlap = false;
    t.bucket_bytes = 1e15;
    ParallelTraining p = training(4, 1, 1, 1);
    p.overlap = false;
    const SharedNetwork shared(t);
    TrainingJob job;
    job.nodes = {0, 1, 2, 3};
    job.size = 4;
    job.workload = t.network.workload;
    // an aggregation draws its core by the job's number, which does not change the time of one alone
    CHECK(run_trace(parallel_training(p), &shared, ranks_in_order(4)).iteration_s ==
          Approx(shared.traffic_of(job).alone_s()).epsilon(1e-9));
  }
}

// Fails when a bucket closes at the end of a block, or one without gradients is sent.
TEST_CASE("replicas overlap averages with their backward pass as jobs of a competition do") {
  for (const char* workload : {"llama-8x384-untied", "llama-8x384-tied", "vgg19"})
    for (const char* network : {"fat-tree", "oddl", "adding-fat-tree", "optinc"})
      for (const double bucket_bytes : {1e6, 2e6}) {
        TrafficSettings t = plain(network, 64);
        t.network.routing = "spray";
        t.network.workload = workload;
        t.network.step_latency_s = 2e-6;
        t.network.unit.emplace();
        t.network.unit->servers = 4;
        t.network.unit->bits = 8;
        t.network.unit->symbol_rate_bd = t.network.unit->symbol_rate_limit_bd = 40e9;
        t.network.unit->slots_per_word = 4;
        t.bucket_bytes = bucket_bytes;
        ParallelTraining p = training(4, 1, 1, 1);
        p.workload = workload;
        p.bucket_bytes = bucket_bytes;
        p.samples = 100;
        p.flop_per_s = 1e13;
        t.network.compute_s = 6.0 * static_cast<double>(workload_cost(workload).macs()) * 100 / 1e13;
        TrainingJob job;
        job.nodes = {0, 1, 2, 3};
        job.size = 4;
        job.workload = workload;
        INFO(workload << " on " << network << " in buckets of " << bucket_bytes);
        const SharedNetwork shared(t);
        const JobTraffic traffic = shared.traffic_of(job);
        const TraceRun run = run_trace(parallel_training(p), &shared, ranks_in_order(4));
        CHECK(run.iteration_s == Approx(traffic.alone_s()).epsilon(1e-9));
        CHECK(run.iteration_s > run.compute_s);
        const IterationEnergy e = shared.energy(4, run.switched_bytes, run.sums, run.iteration_s),
                              of_job = shared.energy(traffic, run.iteration_s);
        CHECK(e.total_j() == Approx(of_job.total_j()).epsilon(1e-9));
        CHECK(e.units == of_job.units);
      }
}

// A ring of four takes 1.5 ms, a message 1 ms. Fails when a ring sets its circuits anew, or keeps those whose
// transceiver a message has taken.
TEST_CASE("a ring keeps its circuits until their transceivers are needed") {
  const auto seconds = [](std::int64_t transceivers, double message_bytes) {
    TrafficSettings t = plain("oddl", 8);
    t.network.transceivers = transceivers;
    t.network.rate_bit_per_s = 100e9 / static_cast<double>(transceivers);
    t.set_s = 1e-3;
    ExecutionTrace trace;
    trace.groups = {{0, 1, 2, 3}};
    for (int r = 0; r < 4; ++r)
      trace.ranks.push_back(
          {collective(StepKind::all_reduce, 12.5e6), collective(StepKind::all_reduce, 12.5e6, {0})});
    if (message_bytes > 0.0)
      for (const auto& [rank, peer, kind] :
           {std::tuple(0UL, 2, StepKind::send), std::tuple(2UL, 0, StepKind::receive)}) {
        trace.ranks[rank].push_back(message(kind, peer, message_bytes, {0}));
        trace.ranks[rank][1].after.push_back(2);
      }
    return run_on(t, trace).iteration_s;
  };
  CHECK(seconds(1, 0.0) == Approx(3e-3).epsilon(1e-12));
  CHECK(seconds(1, 12.5e6) == Approx(1.5e-3 + 2e-3 + 2.5e-3).epsilon(1e-12));
  CHECK(seconds(2, 12.5e6) == Approx(1.5e-3 + 1e-3 + 1.5e-3).epsilon(1e-12));
}

// Twice the ranks in two groups: twice of everything. Fails when units are counted for the job as a whole.
TEST_CASE("every group that averages has units of its own") {
  TrafficSettings t = plain("optinc", 8);
  t.network.unit.emplace();
  t.network.unit->servers = 4;
  t.network.unit->bits = 8;
  t.network.unit->symbol_rate_bd = t.network.unit->symbol_rate_limit_bd = 40e9;
  t.network.unit->slots_per_word = 4;
  t.network.unit->static_power_w = 3.0;
  t.network.unit->symbol_power_w = 5.0;
  const SharedNetwork shared(t);
  const auto energy = [&](std::int64_t data, std::int64_t tensor) {
    const TraceRun run = run_trace(parallel_training(training(data, tensor, 1, 1)), &shared, ranks_in_order(8));
    return shared.energy(data * tensor, run.switched_bytes, run.sums, 1.0);
  };
  const IterationEnergy one = energy(4, 1), two = energy(4, 2);
  CHECK(one.units == 1);
  CHECK(two.units == 2);
  CHECK(two.static_j == Approx(2 * one.static_j));
  CHECK(two.symbol_j == Approx(one.symbol_j));  // each group half of the gradients
  CHECK(two.transceivers_j == Approx(2 * one.transceivers_j));
  CHECK(two.circuits_j == Approx(2 * one.circuits_j));
}

// Alone on a switch, buckets are exchanged one after the other, each as soon as the backward pass has reached
// its last layer: computed here from the layers themselves, last layer first. Fails when models without blocks
// are exchanged as a whole (VGG19 then takes 173.7 ms), and when the pass waits for an exchange.
TEST_CASE("VGG19, ResNet50: gradients of layers are averaged while the backward pass goes on") {
  const auto by_hand = [](const std::string& workload, double bucket_bytes) {
    const ModelCost model = workload_cost(workload);
    const double flop_per_s = 36e12, bytes_per_s = 12.5e9;
    double now_s = 2.0 * static_cast<double>(model.macs()) * 32 / flop_per_s, sent_s = 0.0, waiting = 0.0;
    for (auto layer = model.layers.rbegin(); layer != model.layers.rend(); ++layer) {
      now_s += 4.0 * static_cast<double>(layer->macs) * 32 / flop_per_s;
      waiting += 4.0 * static_cast<double>(layer->parameters);
      if (waiting < bucket_bytes && std::next(layer) != model.layers.rend()) continue;
      sent_s = std::max(sent_s, now_s) + 1.5 * waiting / bytes_per_s;  // a ring of four
      waiting = 0.0;
    }
    return std::max(now_s, sent_s);
  };
  ParallelTraining p;
  p.data = 4;
  p.samples = 32;
  p.flop_per_s = 36e12;
  const auto seconds = [&] { return run_on(plain("switch", 8), parallel_training(p)).iteration_s; };
  for (const char* workload : {"vgg19", "resnet50-cifar100-imagenet-stem", "resnet50-cifar100-cifar-stem"}) {
    p.workload = workload;
    for (const double bytes : {1.0, 1e6, 25.0 * (1 << 20), 1e15}) {
      p.bucket_bytes = bytes;
      INFO(workload << " in buckets of " << bytes);
      CHECK(seconds() == Approx(by_hand(workload, bytes)).epsilon(1e-9));
    }
    p.overlap = false;
    CHECK(seconds() == Approx(by_hand(workload, 1e15)).epsilon(1e-9));
    p.overlap = true;
  }
  p.workload = "vgg19";
  p.bucket_bytes = 1.0;  // layer by layer, the first one's 7 kB are sent after the pass
  CHECK(seconds() == Approx(0.1047).epsilon(1e-3));
  p.bucket_bytes = ParallelTraining().bucket_bytes;  // the last bucket holds 23.5 MB
  CHECK(seconds() == Approx(0.1047 + 1.5 * 23.5e6 / 12.5e9).epsilon(2e-3));
  p.overlap = false;  // all 574.7 MB after the pass
  CHECK(seconds() == Approx(0.1047 + 1.5 * 574.7e6 / 12.5e9).epsilon(1e-3));
}

// 6 FLOP a weight and token, of which the embedding has none: an independent count of the whole iteration
TEST_CASE("LLaMA-7B in 4 stages of 2 x 2 ranks computes what its weights say") {
  CHECK(workload_cost("llama-32x4096-untied").parameters() == 6738415616);  // published: 6.7 thousand million
  ParallelTraining p = training(2, 2, 4, 2);
  p.workload = "llama-32x4096-untied";
  double seconds = 0.0;
  for (const auto& steps : parallel_training(p).ranks)
    for (const TraceStep& step : steps) seconds += step.seconds;
  const double weights = 6738415616.0 - 32000.0 * 4096 - 65 * 4096;  // embedding and norms multiply nothing
  CHECK(seconds == Approx(6.0 * weights * 1000 * 2 * 2 / 1e12).epsilon(1e-12));
}

TEST_CASE("traces that cannot run are refused") {
  const auto run = [](ExecutionTrace trace) { return run_on(plain("switch", 8), trace); };
  ExecutionTrace trace;
  trace.groups = {{0, 1}};
  trace.ranks = {{collective(StepKind::all_reduce, 5.0)}, {collective(StepKind::all_gather, 5.0)}};
  CHECK_THROWS_WITH(run(trace),
                    ContainsSubstring("all-reduce of 5 bytes on rank 0, all-gather of 5 bytes on rank 1"));
  trace.ranks[1] = {compute(1.0)};
  CHECK_THROWS_WITH(run(trace), ContainsSubstring("1 of 2 ranks"));
  trace.ranks = {{message(StepKind::send, 1, 5.0)}, {}};
  CHECK_THROWS_WITH(run(trace), ContainsSubstring("rank 0 sends rank 1 1 messages of tag 0, 0 are received"));
  trace.ranks = {{message(StepKind::send, 1, 5.0)}, {message(StepKind::receive, 0, 6.0)}};
  CHECK_THROWS_WITH(run(trace), ContainsSubstring("5 bytes"));
  trace.ranks = {{compute(1.0, {1}), compute(1.0, {0})}, {}};
  CHECK_THROWS_WITH(run(trace), ContainsSubstring("2 of 2 steps never begin"));
  // each waits for the other's message before it sends its own
  trace.ranks = {{message(StepKind::receive, 1, 5.0), message(StepKind::send, 1, 5.0, {0})},
                 {message(StepKind::receive, 0, 5.0), message(StepKind::send, 0, 5.0, {0})}};
  CHECK_THROWS_WITH(run(trace), ContainsSubstring("4 of 4 steps never begin"));
  trace.groups = {{0, 1, 2}};
  trace.ranks.assign(3, {collective(StepKind::all_reduce, 5.0)});
  const SharedNetwork network(plain("switch", 8));
  CHECK_THROWS_WITH(run_trace(trace, &network, ranks_in_order(3), "halving-doubling"),
                    ContainsSubstring("a group of 3 ranks (a power of two)"));
  CHECK_THROWS_WITH(parallel_training(training(4096, 1, 1, 4096)), ContainsSubstring("Lower microbatches"));
  CHECK_THROWS_WITH(parallel_training(training(1, 1, 3, 1)), ContainsSubstring("8 blocks in 3 stages"));
  ParallelTraining images = training(1, 2, 1, 1);
  images.workload = "vgg19";
  CHECK_THROWS_WITH(parallel_training(images), ContainsSubstring("only models of equal blocks"));
}
