#include "experiments/fabrics/interconnect/collectives.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "experiments/fabrics/interconnect/workloads.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/refusal.hpp"

using namespace optinc;

namespace {

double sent_by(const std::vector<TransferPhase>& phases, int server) {
  double bytes = 0.0;
  for (const TransferPhase& p : phases)
    for (const Transfer& t : p.transfers)
      if (t.source == server) bytes += static_cast<double>(p.loads) * t.bytes;
  return bytes;
}

}  // namespace

// fails when a phase of the ring is left out, or halving sends half of everything in each phase
TEST_CASE("ring and halving-doubling send 2 (N-1)/N of the payload from every server") {
  for (const int n : {2, 4, 8, 16, 64})
    for (const char* name : {"ring", "halving-doubling", "sharded-parameter-server"}) {
      const auto phases = collective_phases(name, n, 840.0);
      for (int s = 0; s < n; ++s) REQUIRE(sent_by(phases, s) == Approx(840.0 * 2 * (n - 1) / n));
    }
  CHECK(sent_by(collective_phases("parameter-server", 8, 10.0), 0) == Approx(70.0));
}

// fails when every step of a pipeline counts as a full load: d + m - 1 in place of m
TEST_CASE("in a pipelined tree every edge carries the payload once, however many chunks") {
  for (const std::int64_t chunks : {1, 4, 100}) {
    const auto one = collective_phases("tree", 15, 60.0, chunks);
    CHECK(sent_by(one, 14) == Approx(60.0));     // a leaf, up
    CHECK(sent_by(one, 0) == Approx(2 * 60.0));  // the root, down to two
    CHECK(sent_by(one, 3) == Approx(3 * 60.0));  // between: up, and down to two
    const auto two = collective_phases("double-tree", 16, 60.0, chunks);
    double all = 0.0;
    for (int s = 0; s < 16; ++s) all += sent_by(two, s);
    CHECK(all == Approx(2 * 15 * 60.0));  // 15 edges of each tree, half of it both ways
  }
}

// fails when a phase is left out of the union
TEST_CASE("a server needs as many circuits as it has neighbours in the whole collective") {
  CHECK(circuit_degree("ring", 16) == 1);
  CHECK(circuit_degree("halving-doubling", 16) == 4);
  CHECK(circuit_degree("tree", 15) == 3);
  CHECK(circuit_degree("parameter-server", 16) == 15);
  CHECK(circuit_degree("sharded-parameter-server", 16) == 15);
}

// fails when the second tree is not mirrored
TEST_CASE("of two trees each server is inside one alone, and takes no more than one chunk a step") {
  for (const int n : {4, 8, 16, 64, 10}) {
    const auto phases = collective_phases("double-tree", n, 1.0, 5);
    for (const TransferPhase& p : phases) {
      std::vector<double> in(static_cast<std::size_t>(n), 0.0), out(in);
      for (const Transfer& t : p.transfers) {
        in[static_cast<std::size_t>(t.destination)] += t.bytes;
        out[static_cast<std::size_t>(t.source)] += t.bytes;
      }
      for (const auto& bytes : {in, out})
        CHECK(*std::max_element(bytes.begin(), bytes.end()) <= 0.2 * (1 + 1e-12));
      CHECK(p.transfers.size() == static_cast<std::size_t>(2 * (n - 1)));
    }
    const auto one = collective_phases("tree", n, 1.0, 5);
    CHECK(one[0].transfers.size() == static_cast<std::size_t>(n - 1));
    CHECK(one[0].repeats == static_cast<int>(std::floor(std::log2(n))) + 4);
  }
}

// fails when the factor of two children is left out of the tree
TEST_CASE("no other number of chunks is faster than the best") {
  for (const char* name : {"tree", "double-tree"}) {
    const double load = (std::string_view(name) == "tree" ? 2.0 : 1.0) * 1e8 / 1e11, a = 5e-6;
    const auto time = [&](double m) { return (6 + m - 1) * (a + load / m); };  // 64 servers: depth 6
    const auto best = static_cast<double>(best_chunks(name, 64, 1e8, 1e11, a));
    for (double m = 1; m < 300; m += 1) REQUIRE(time(best) <= time(m) * (1 + 1e-3));
  }
}

TEST_CASE("collectives of numbers that they cannot have are refused") {
  check_message(refusal([] { collective_phases("ring", 1, 1.0); }), {"1 servers", "2 or more"});
  check_message(refusal([] { collective_phases("halving-doubling", 12, 1.0); }), {"12", "power of two", "8"});
  check_message(refusal([] { collective_phases("double-tree", 5, 1.0); }), {"5", "even"});
  check_message(refusal([] { collective_phases("ring", 4, 0.0); }), {"0 bytes"});
  check_message(refusal([] { collective_phases("tree", 4, 1.0, 0); }), {"0 chunks"});
  check_message(refusal([] { collective_phases("rings", 4, 1.0); }), {"rings", "halving-doubling"});
}

// fails when biases of VGG, norms of ResNet or the stem's stride are left out
TEST_CASE("parameters and multiply-adds of the layer tables are the published counts") {
  CHECK(workload_cost("vgg19").parameters() == 143'667'240);
  CHECK(workload_cost("vgg19").macs() == 19'632'062'464);
  CHECK(workload_cost("resnet50-cifar100-imagenet-stem").parameters() ==
        25'557'032 - 900 * 2049);  // of 1,000 classes
  CHECK(workload_cost("resnet50-cifar100-cifar-stem").parameters() == 23'705'252);
  CHECK(workload_cost("resnet50-cifar100-imagenet-stem").macs() == Approx(83.6e6).epsilon(1e-3));
  CHECK(workload_cost("resnet50-cifar100-cifar-stem").macs() == Approx(1298e6).epsilon(1e-3));
  // 8 (4 d^2 + 3 d ff + 2 d) + d, and twice or once 32,000 d
  CHECK(workload_cost("llama-8x384-untied").parameters() == 14'155'776 + 6'528 + 2 * 12'288'000);
  CHECK(workload_cost("llama-8x384-tied").parameters() == 14'155'776 + 6'528 + 12'288'000);
  CHECK(workload_cost("llama-8x384-tied").macs() == 14'155'776 + 12'288'000);
  CHECK(workload_cost("llama-8x384-tied", 255).macs() == 14'155'776 + 12'288'000 + 8 * 384 * 256);
  check_message(refusal([] { workload_cost("vgg18"); }), {"vgg18", "vgg19"});
  check_message(refusal([] { workload_cost("vgg19", -1); }), {"context = -1"});
}
