#include "onn/chip_design.hpp"

#include "onn/words.hpp"
#include "physics/devices/power_divider.hpp"
#include "physics/mesh/decomposition.hpp"

namespace optinc {
namespace {

constexpr double attenuator_headroom = 0.99;

LayerDesign design_layer(const SigmaULayer& layer) {
  double largest_sigma = 0.0;
  for (const auto& s : layer.sigma) largest_sigma = std::max(largest_sigma, s.cwiseAbs().maxCoeff());
  LayerDesign design{layer.outputs, layer.inputs, layer.tall(), 1.0, {}, layer.weight(), layer.bias};
  if (largest_sigma > 0) design.passive_scale = largest_sigma / attenuator_headroom;
  const int n = layer.block_size();
  const MeshTopology mesh = clements_topology(n);
  for (std::size_t b = 0; b < layer.unitary.size(); ++b)
    design.blocks.push_back({mesh, MeshEngine<double>(mesh),
                             decompose_clements(layer.unitary[b].cast<Complex>()), attenuator_topology(n),
                             layer.sigma[b] / design.passive_scale});
  return design;
}

}  // namespace

MeshTopology attenuator_topology(int count) {
  MeshTopology t;
  t.ports = 2 * count;
  for (int i = 0; i < count; ++i) t.mzis.push_back({2 * i, 2 * i + 1});
  t.column_begin.push_back(count);
  return t;
}

double LayerDesign::fan_field_factor() const { return split_field_factor(static_cast<int>(blocks.size())); }

int ChipDesign::mzi_count() const {
  int count = 0;
  for (const auto& layer : layers)
    for (const auto& block : layer.blocks) count += block.mesh.mzi_count() + block.attenuators.mzi_count();
  return count;
}

ChipDesign design_chip(const Network& network) {
  ChipDesign design{network.task, {}};
  for (const auto& layer : network.layers) design.layers.push_back(design_layer(layer));
  const Eigen::VectorXd largest = largest_activations(network, word_table(network.task).averages);
  for (std::size_t l = 1; l < design.layers.size(); ++l)
    design.layers[l].largest_input = std::max(largest[static_cast<Eigen::Index>(l) - 1], 1e-12);
  return design;
}

}  // namespace optinc
