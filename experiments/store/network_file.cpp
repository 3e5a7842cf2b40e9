#include "experiments/store/network_file.hpp"

#include "experiments/store/stored_values.hpp"
#include "physics/core/check.hpp"

namespace optinc {
namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

std::size_t count(Eigen::Index n) { return static_cast<std::size_t>(n); }

void save_layer(const Group& group, const SigmaULayer& layer) {
  const std::size_t n = count(layer.block_size()), blocks = count(layer.blocks());
  group.counting_dimension("block", blocks, "square block of the weight");
  group.counting_dimension("row", n, "output port of the mesh");
  group.counting_dimension("column", n, "input port of the mesh");
  group.counting_dimension("channel", n, "attenuator behind the mesh");
  group.counting_dimension("neuron", count(layer.outputs), "output of the layer");
  std::vector<double> unitary, sigma;
  for (std::size_t b = 0; b < blocks; ++b) {
    const RowMajor u = layer.unitary[b];
    unitary.insert(unitary.end(), u.data(), u.data() + u.size());
    sigma.insert(sigma.end(), layer.sigma[b].begin(), layer.sigma[b].end());
  }
  group.dataset("unitary", {"block", "row", "column"}, unitary, "1", "orthogonal matrix of every block");
  group.dataset("sigma", {"block", "channel"}, sigma, "1", "signed attenuation behind every block");
  group.dataset("bias", {"neuron"}, std::vector<double>(layer.bias.begin(), layer.bias.end()), "1", "bias");
  group.attributes().set("outputs", std::int64_t{layer.outputs});
  group.attributes().set("inputs", std::int64_t{layer.inputs});
}

void load_layer(const Group& group, SigmaULayer& layer) {
  const Eigen::Index n = layer.block_size();
  const std::size_t blocks = count(layer.blocks());
  const auto unitary = finite_values(group, "unitary", {blocks, count(n), count(n)});
  const auto sigma = finite_values(group, "sigma", {blocks, count(n)});
  const auto bias = finite_values(group, "bias", {count(layer.outputs)});
  for (std::size_t b = 0; b < blocks; ++b) {
    Eigen::MatrixXd& u = layer.unitary[b];
    u = Eigen::Map<const RowMajor>(unitary.data() + b * count(n * n), n, n);
    const double error = (u * u.transpose() - Eigen::MatrixXd::Identity(n, n)).cwiseAbs().maxCoeff();
    validate(error <= 1e-9,
             "{}: block {} is not orthogonal (max |U U^T - I| = {:.3g}, expected <= 1e-9). Train it again.",
             group.where("unitary"), b, error);
    layer.sigma[b] = Eigen::Map<const Eigen::VectorXd>(sigma.data() + b * count(n), n);
  }
  layer.bias = Eigen::Map<const Eigen::VectorXd>(bias.data(), layer.outputs);
}

/// make_network whose complaints name the file; sets the task's rounding too.
Network blank_network(const Group& group, Task task, std::span<const int> hidden) {
  const std::string rounding = group.attributes().text("rounding");
  try {
    task.rounding = rounding_of_name(rounding);
    return make_network(task, hidden);
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}", group.where(), error.what()));
  }
}

}  // namespace

void save_network(const Group& group, const Network& network) {
  group.attributes().set("servers", std::int64_t{network.task.servers});
  group.attributes().set("digits", std::int64_t{network.task.digits});
  group.attributes().set("rounding", rounding_name(network.task.rounding));
  group.attributes().set("layers", static_cast<std::int64_t>(network.layers.size()));
  for (std::size_t l = 0; l < network.layers.size(); ++l)
    save_layer(group.group(fmt::format("layer{}", l)), network.layers[l]);
}

Network load_network(const Group& group) {
  // limits keep a damaged number from asking for more memory than any network needs
  constexpr std::int64_t most_servers = 64, most_digits = 8, most_layers = 1000, widest = 4096;
  const auto read_count = [](const Group& from, std::string_view name, std::int64_t largest) {
    return static_cast<int>(stored_count(from, name, largest));
  };
  const Task task{read_count(group, "servers", most_servers), read_count(group, "digits", most_digits), {}};
  const int layers = read_count(group, "layers", most_layers);
  std::vector<int> hidden;
  int width = task.digits;
  for (int l = 0; l < layers; ++l) {
    const Group layer = group.open(fmt::format("layer{}", l));
    const int inputs = read_count(layer, "inputs", widest), outputs = read_count(layer, "outputs", widest);
    const int wanted = l + 1 == layers ? task.digits : outputs;
    validate(inputs == width && outputs == wanted,
             "{}: {} inputs, {} outputs (expected {} and {}). Give a file that OptINC wrote.", layer.where(),
             inputs, outputs, width, wanted);
    if (l + 1 < layers) hidden.push_back(width = outputs);
  }
  Network network = blank_network(group, task, hidden);
  for (std::size_t l = 0; l < network.layers.size(); ++l)
    load_layer(group.open(fmt::format("layer{}", l)), network.layers[l]);
  return network;
}

}  // namespace optinc
