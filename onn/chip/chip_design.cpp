#include "onn/chip/chip_design.hpp"

#include <algorithm>
#include <cmath>

#include "onn/task/words.hpp"
#include "physics/core/check.hpp"
#include "physics/devices/power_divider.hpp"
#include "physics/mesh/combining_tree.hpp"
#include "physics/mesh/decomposition.hpp"

namespace optinc {
namespace {

MeshTopology mesh_wiring(const SigmaULayer& layer) {
  return layer.wiring == Wiring::sum ? combining_tree_topology(layer.block_size())
                                     : clements_topology(layer.block_size());
}

BlockDesign design_block(const SigmaULayer& layer, std::size_t b, double passive_scale) {
  const bool sum = layer.wiring == Wiring::sum;
  if (sum) {
    const double norm = layer.unitary[b].row(0).norm();  // a tree adds up to a unit vector, no other
    validate(std::abs(norm - 1) <= 1e-6,
             "row 0 of a sum's unitary has norm {} (1: sigma holds the size). Divide the row by it.", norm);
  }
  const MeshTopology mesh = mesh_wiring(layer);
  return {mesh, MeshEngine<double>(mesh),
          sum ? program_combining_tree(layer.unitary[b].row(0).transpose())
              : decompose_clements(layer.unitary[b].cast<Complex>()),
          attenuator_topology(layer.attenuated ? static_cast<int>(layer.sigma[b].size()) : 0),
          layer.sigma[b] / passive_scale};
}

LayerDesign design_layer(const SigmaULayer& layer) {
  double largest_sigma = 0.0;
  for (const auto& s : layer.sigma) largest_sigma = std::max(largest_sigma, s.cwiseAbs().maxCoeff());
  LayerDesign design;
  static_cast<LayerFunction&>(design) = layer;
  design.weight = layer.weight();
  if (largest_sigma > 0) design.passive_scale = largest_sigma / (layer.attenuated ? attenuator_headroom : 1.0);
  for (std::size_t b = 0; b < layer.unitary.size(); ++b)
    design.blocks.push_back(design_block(layer, b, design.passive_scale));
  return design;
}

/// Where signal number `signal` comes from.
LaneDesign lane_of(const Network& network, int signal, const std::vector<int>& reads) {
  int first = network.task.input_digits();
  if (signal < first) return {-1, signal, reads[static_cast<std::size_t>(signal)]};
  for (std::size_t l = 0;; first += network.layers[l++].outputs)
    if (signal < first + network.layers[l].outputs) return {static_cast<int>(l), signal - first, 1};
}

}  // namespace

MeshTopology attenuator_topology(int count) {
  MeshTopology t;
  t.ports = std::max(2 * count, 1);  // none: a bare waveguide
  for (int i = 0; i < count; ++i) t.mzis.push_back({2 * i, 2 * i + 1});
  if (count > 0) t.column_begin.push_back(count);
  return t;
}

double LayerDesign::fan_field_factor() const { return split_field_factor(static_cast<int>(blocks.size())); }

int ChipDesign::mzi_count() const {
  int count = 0;
  for (const auto& layer : layers)
    for (const auto& block : layer.blocks) count += block.mesh.mzi_count() + block.attenuators.mzi_count();
  return count;
}

bool ChipDesign::has_neurons() const {
  return std::ranges::any_of(layers, [](const LayerDesign& l) { return l.ending == LayerEnd::receivers; });
}

std::vector<std::size_t> ChipDesign::server_layers() const {
  std::vector<std::size_t> found;
  for (std::size_t l = 0; l < layers.size(); ++l)
    if (layers[l].ending == LayerEnd::servers) found.push_back(l);
  return found;
}

std::vector<MeshTopology> meshes_of(const ChipDesign& design) {
  std::vector<MeshTopology> meshes;
  for (const LayerDesign& layer : design.layers)
    for (const BlockDesign& block : layer.blocks) {
      meshes.push_back(block.mesh);
      meshes.push_back(block.attenuators);
    }
  return meshes;
}

std::vector<MeshTopology> meshes_of(const Network& shape) {
  std::vector<MeshTopology> meshes;
  for (const SigmaULayer& layer : shape.layers)
    for (int b = 0; b < layer.blocks(); ++b) {
      meshes.push_back(mesh_wiring(layer));
      meshes.push_back(attenuator_topology(!layer.attenuated             ? 0
                                           : layer.wiring == Wiring::sum ? 1
                                                                         : layer.block_size()));
    }
  return meshes;
}

ChipDesign design_chip(const Network& network) {
  validate_network(network);
  ChipDesign design{network.task, {}, network.is_feed_forward()};
  const auto reads = signal_reads(network);
  const Eigen::VectorXd largest = largest_activations(network, design_words(network.task));
  for (std::size_t l = 0; l < network.layers.size(); ++l) {
    LayerDesign layer = design_layer(network.layers[l]);
    layer.largest_output = std::max(largest[static_cast<Eigen::Index>(l)], 1e-12);
    for (const int signal : network.layers[l].reads) layer.lanes.push_back(lane_of(network, signal, reads));
    design.layers.push_back(std::move(layer));
  }
  return design;
}

}  // namespace optinc
