#include "experiments/files/hdf5/network_file.hpp"

#include <algorithm>
#include <cmath>

#include "experiments/files/hdf5/stored_values.hpp"
#include "physics/core/check.hpp"
#include "physics/core/names.hpp"

namespace optinc {
namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

std::size_t count(Eigen::Index n) { return static_cast<std::size_t>(n); }

void save_layer(const Group& group, const SigmaULayer& layer) {
  const std::size_t n = count(layer.block_size()), blocks = count(layer.blocks());
  group.counting_dimension("block", blocks, "square block of the weight");
  group.counting_dimension("row", n, "output port of the mesh");
  group.counting_dimension("column", n, "input port of the mesh");
  group.counting_dimension("channel", count(layer.sigma[0].size()), "attenuator behind the mesh");
  group.counting_dimension("input", count(layer.inputs), "input of the layer");
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
  group.dataset("reads", {"input"}, std::vector<std::int64_t>(layer.reads.begin(), layer.reads.end()), "1",
                "signal that an input reads");
  group.attributes().set("wiring", name_of(layer.wiring));
  group.attributes().set("ending", name_of(layer.ending));
  group.attributes().set("ceiling", std::isfinite(layer.ceiling) ? layer.ceiling : 0.0);
  group.attributes().set("offset", layer.offset);
  group.attributes().set("attenuated", std::int64_t{layer.attenuated ? 1 : 0});
  group.attributes().set("outputs", std::int64_t{layer.outputs});
  group.attributes().set("inputs", std::int64_t{layer.inputs});
}

/// The value of an enumeration by the name an attribute has.
template <NamedEnum E>
E named(const Group& group, const char* attribute) {
  const std::string name = group.attributes().text(attribute);
  const std::optional<E> found = find_value<E>(name);
  validate(found.has_value(), "{}: attribute {} is \"{}\" ({}). Give a file that OptINC wrote.", group.where(),
           attribute, name, join_names(names_of<E>()));
  return *found;
}

SigmaULayer load_layer(const Group& group, int inputs, int outputs, bool last, int first_read) {
  SigmaULayer layer;
  layer.inputs = inputs;
  layer.outputs = outputs;
  layer.ending = last ? LayerEnd::servers : LayerEnd::receivers;
  if (group.exists("reads")) {  // files before schema 3 hold plain networks
    layer.wiring = named<Wiring>(group, "wiring");
    layer.ending = named<LayerEnd>(group, "ending");
    const double ceiling = group.attributes().number("ceiling");
    if (ceiling != 0) layer.ceiling = ceiling;
    layer.offset = group.attributes().number("offset");
    layer.attenuated = group.attributes().integer("attenuated") != 0;
    for (const std::int64_t signal : group.read<std::int64_t>("reads", {count(inputs)}))
      layer.reads.push_back(static_cast<int>(std::clamp<std::int64_t>(signal, -1, 1 << 30)));
  } else {
    for (int i = 0; i < inputs; ++i) layer.reads.push_back(first_read + i);
  }
  const bool cut = layer.wiring == Wiring::sum || std::max(inputs, outputs) % std::min(inputs, outputs) == 0;
  validate(cut,
           "{}: {} inputs, {} outputs (of two neighbouring widths one must divide the other). Give a file that "
           "OptINC wrote.",
           group.where(), inputs, outputs);
  const Eigen::Index n = layer.block_size();
  const std::size_t blocks = count(layer.blocks()), channels = layer.wiring == Wiring::sum ? 1 : count(n);
  const auto unitary = finite_values(group, "unitary", {blocks, count(n), count(n)});
  const auto sigma = finite_values(group, "sigma", {blocks, channels});
  const auto bias = finite_values(group, "bias", {count(outputs)});
  for (std::size_t b = 0; b < blocks; ++b) {
    const Eigen::MatrixXd u = Eigen::Map<const RowMajor>(unitary.data() + b * count(n * n), n, n);
    const double error = (u * u.transpose() - Eigen::MatrixXd::Identity(n, n)).cwiseAbs().maxCoeff();
    validate(error <= 1e-9,
             "{}: block {} is not orthogonal (max |U U^T - I| = {:.3g}, expected <= 1e-9). Train it again.",
             group.where("unitary"), b, error);
    layer.unitary.push_back(u);
    layer.sigma.push_back(
        Eigen::Map<const Eigen::VectorXd>(sigma.data() + b * channels, static_cast<Eigen::Index>(channels)));
  }
  layer.bias = Eigen::Map<const Eigen::VectorXd>(bias.data(), outputs);
  return layer;
}

}  // namespace

void save_network(const Group& group, const Network& network) {
  group.attributes().set("servers", std::int64_t{network.task.servers});
  group.attributes().set("digits", std::int64_t{network.task.digits});
  group.attributes().set("rounding", name_of(network.task.rounding));
  group.attributes().set("level", name_of(network.task.level));
  group.attributes().set("reduction", name_of(network.task.reduction));
  if (network.task.outputs != Outputs::answer) group.attributes().set("outputs", name_of(network.task.outputs));
  if (network.task.adder != Adder::light) group.attributes().set("adder", name_of(network.task.adder));
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
  Network network;
  network.task.servers = read_count(group, "servers", most_servers);
  network.task.digits = read_count(group, "digits", most_digits);
  const int layers = read_count(group, "layers", most_layers);
  try {
    network.task.rounding = value_of_name<Rounding>(group.attributes().text("rounding"));
    if (group.attributes().has("level"))
      network.task.level = value_of_name<CascadeLevel>(group.attributes().text("level"));
    if (group.attributes().has("reduction"))
      network.task.reduction = value_of_name<Reduction>(group.attributes().text("reduction"));
    if (group.attributes().has("outputs"))
      network.task.outputs = value_of_name<Outputs>(group.attributes().text("outputs"));
    if (group.attributes().has("adder"))
      network.task.adder = value_of_name<Adder>(group.attributes().text("adder"));
    validate_task(network.task);
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}", group.where(), error.what()));
  }
  int before = 0, width = network.task.input_digits();
  for (int l = 0; l < layers; ++l) {
    const Group layer = group.open(fmt::format("layer{}", l));
    const int inputs = read_count(layer, "inputs", widest), outputs = read_count(layer, "outputs", widest);
    const bool last = l + 1 == layers;
    if (!layer.exists("reads")) {
      const int wanted = last ? network.task.output_digits() : outputs;
      validate(inputs == width && outputs == wanted,
               "{}: {} inputs, {} outputs (expected {} and {}). Give a file that OptINC wrote.", layer.where(),
               inputs, outputs, width, wanted);
    }
    network.layers.push_back(load_layer(layer, inputs, outputs, last, before));
    before += width;
    width = outputs;
  }
  try {
    validate_network(network);
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}", group.where(), error.what()));
  }
  return network;
}

}  // namespace optinc
