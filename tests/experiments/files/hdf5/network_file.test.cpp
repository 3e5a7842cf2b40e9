#include "experiments/files/hdf5/network_file.hpp"

#include <cmath>
#include <functional>

#include "physics/core/check.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/scratch.hpp"

using namespace optinc;
using Catch::Matchers::Contains;

namespace {

/// Orthogonal blocks, none symmetric, so that a transposed one shows.
Eigen::MatrixXd rotation(int n, double seed) {
  Eigen::MatrixXd a(n, n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) a(i, j) = std::sin(seed + 3.7 * i * i + 1.3 * j + i * j);
  return Eigen::HouseholderQR<Eigen::MatrixXd>(a).householderQ();
}

Network example() {
  Network network = make_network(Task{3, 4, Rounding::half_up, CascadeLevel::flat, Reduction::majority},
                                 std::vector<int>{8, 16, 8});
  double seed = 0.1;
  for (auto& layer : network.layers) {
    for (auto& u : layer.unitary) u = rotation(layer.block_size(), seed += 1.0);
    for (auto& s : layer.sigma) s = Eigen::VectorXd::LinSpaced(layer.block_size(), -seed, 2.0 / 3.0);
    layer.bias = Eigen::VectorXd::LinSpaced(layer.outputs, -0.1, seed += 1.0);
  }
  return network;
}

std::filesystem::path saved(const Scratch& scratch, const Network& network) {
  const auto path = scratch / "network.h5";
  std::filesystem::remove(path);
  File file = File::create(path);
  save_network(file.group("network"), network);
  file.close();
  return path;
}

Network loaded(const std::filesystem::path& path) {
  return load_network(File::open(path).root().open("network"));
}

/// A network group with one layer of 4 x 4 whose parts a test replaces.
struct Parts {
  std::vector<double> unitary = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
  std::vector<double> sigma = {1, 1, 1, 1};
  std::vector<double> bias = {0, 0, 0, 0};
  std::int64_t servers = 4, digits = 4, layers = 1, outputs = 4, inputs = 4;
  std::string rounding = "half-even";
  bool with_bias = true;
};

std::filesystem::path written(const Scratch& scratch, const Parts& p) {
  const auto path = scratch / "parts.h5";
  std::filesystem::remove(path);
  File file = File::create(path);
  const Group network = file.group("network"), layer = network.group("layer0");
  network.attributes().set("servers", p.servers);
  network.attributes().set("digits", p.digits);
  network.attributes().set("layers", p.layers);
  network.attributes().set("rounding", p.rounding);
  layer.attributes().set("outputs", p.outputs);
  layer.attributes().set("inputs", p.inputs);
  layer.counting_dimension("block", p.unitary.size() / 16, "b");
  for (const auto* name : {"row", "column"}) layer.counting_dimension(name, 4, name);
  layer.counting_dimension("channel", p.sigma.size(), "c");
  layer.counting_dimension("neuron", p.bias.size(), "n");
  layer.dataset("unitary", {"block", "row", "column"}, p.unitary, "1", "u");
  std::vector<double> sigma;
  for (std::size_t b = 0; b < p.unitary.size() / 16; ++b)
    sigma.insert(sigma.end(), p.sigma.begin(), p.sigma.end());
  layer.dataset("sigma", {"block", "channel"}, sigma, "1", "s");
  if (p.with_bias) layer.dataset("bias", {"neuron"}, p.bias, "1", "b");
  file.close();
  return path;
}

}  // namespace

TEST_CASE("a network comes back bit for bit") {
  const Scratch scratch;
  const Network network = example(), back = loaded(saved(scratch, network));
  CHECK(back.task == Task{3, 4, Rounding::half_up, CascadeLevel::flat, Reduction::majority});
  CHECK(back.widths() == network.widths());
  for (std::size_t l = 0; l < network.layers.size(); ++l) {
    REQUIRE(back.layers[l].unitary.size() == network.layers[l].unitary.size());
    for (std::size_t b = 0; b < network.layers[l].unitary.size(); ++b) {
      CHECK(back.layers[l].unitary[b] == network.layers[l].unitary[b]);
      CHECK(back.layers[l].sigma[b] == network.layers[l].sigma[b]);
    }
    CHECK(back.layers[l].bias == network.layers[l].bias);
  }
  const Eigen::MatrixXd averages = Eigen::MatrixXd::Random(4, 5);
  CHECK(forward(back, averages) == forward(network, averages));
}

TEST_CASE("a network without hidden layers comes back") {
  const Scratch scratch;
  const Network back = loaded(saved(scratch, make_network(Task{}, {})));
  CHECK(back.widths() == std::vector<int>{4, 4});
}

TEST_CASE("a damaged network names file, dataset and what was expected") {
  const Scratch scratch;
  const auto load = [&](const Parts& parts) { return loaded(written(scratch, parts)); };
  CHECK_NOTHROW(load({}));
  const auto with = [](const std::function<void(Parts&)>& damage) {
    Parts p;
    damage(p);
    return p;
  };
  CHECK_NOTHROW(load(with([](Parts& p) { p.unitary[5] = 1.0 + 1e-10; })));  // within 1e-9
  struct Case {
    std::function<void(Parts&)> damage;
    std::vector<std::string> parts;
  };
  for (const auto& [damage, parts] : std::vector<Case>{
           {[](Parts& p) { p.unitary[5] = 1.0 + 1e-9; },
            {"parts.h5: /network/layer0/unitary", "not orthogonal"}},
           {[](Parts& p) { p.unitary[1] = std::nan(""); },
            {"/network/layer0/unitary", "value 1 is not finite"}},
           {[](Parts& p) { p.sigma[2] = INFINITY; }, {"/network/layer0/sigma", "not finite"}},
           {[](Parts& p) { p.bias[3] = std::nan(""); }, {"/network/layer0/bias", "not finite"}},
           {[](Parts& p) { p.bias.resize(5); }, {"/network/layer0/bias", "shape (5)", "expected (4)"}},
           {[](Parts& p) { p.unitary.resize(32); }, {"/network/layer0/unitary", "expected (1, 4, 4)"}},
           {[](Parts& p) { p.with_bias = false; }, {"/network/layer0/bias", "missing"}},
           {[](Parts& p) { p.layers = 2; }, {"/network/layer1", "missing"}},
           {[](Parts& p) { p.outputs = 8; }, {"/network/layer0", "expected 4 and 4"}},
           {[](Parts& p) { p.inputs = 1 << 30; }, {"attribute inputs", "1..4096"}},
           {[](Parts& p) { p.digits = 9; }, {"/network", "attribute digits"}},
           {[](Parts& p) { p.rounding = "half"; }, {"parts.h5: /network", "half-even, half-up, floor"}}})
    check_message(refusal([&, &damage = damage] { load(with(damage)); }), parts);
}

TEST_CASE("a group that is no network says so") {
  const Scratch scratch;
  const File file = File::create(scratch / "other.h5");
  CHECK_THROWS_WITH(load_network(file.root()), Contains("other.h5: /") && Contains("attribute servers"));
}
