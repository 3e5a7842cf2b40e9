#pragma once

#include "onn/network/network.hpp"
#include "physics/mesh/engine/mesh_engine.hpp"

namespace optinc {

/// One block S U as hardware: a Clements mesh for U (a combining tree for a sum) and, behind it, a column of
/// attenuating MZIs for S, where there is one.
struct BlockDesign {
  MeshTopology mesh;
  MeshEngine<double> engine;  ///< for the mesh, not settled: a chip settles a copy
  MeshProgram mesh_program;   ///< U on a perfect mesh
  MeshTopology attenuators;   ///< n MZIs side by side: ports 2i (signal) and 2i+1 (dark)
  Vector attenuation;         ///< signed field transmission asked of each, sigma / passive_scale, in [-1, 1]; 1
                              ///< without MZIs
  /// Of a chip whose losses were measured (with_known_losses()): loss of an arm of the mesh beyond the error
  /// model's, dB, and what the attenuators take off besides, so that no block of the layer outshines another.
  double measured_arm_loss_db = 0.0, dimming = 1.0;
};

/// Largest transmission asked of an attenuator: one with splitter errors passes at most cos(alpha - beta).
inline constexpr double attenuator_headroom = 0.99;

/// Wiring of a block's attenuators: one column of `count` MZIs on ports 2i and 2i+1.
MeshTopology attenuator_topology(int count);

/// Where the light of one input of a layer comes from.
struct LaneDesign {
  int source = -1;  ///< layer, or -1: unit P
  int row = 0;      ///< its output, or P's lane
  int copies = 1;   ///< of unit P's lanes: light that a passive splitter shares out to so many reads
};

/// One layer: light is fanned out 1:r to r blocks (tall) or the blocks' outputs are fanned in r:1 (wide), both
/// at a field factor 1/sqrt(r); receivers put the passive scale back as gain and apply the bias as a threshold.
struct LayerDesign : LayerFunction {
  double passive_scale = 1.0;  ///< what sigma was divided by to fit passive attenuators
  std::vector<BlockDesign> blocks;
  Eigen::MatrixXd weight;         ///< W, what the whole layer is meant to do (outputs, inputs)
  double largest_output = 1.0;    ///< largest magnitude that leaves it over all words
  std::vector<LaneDesign> lanes;  ///< (inputs)
  double measured_arm_loss_db =
      0.0;  ///< of an arm of its columns beyond the error model's (with_known_losses())

  /// 1/sqrt(r), the unavoidable field loss of fan-out or fan-in.
  double fan_field_factor() const;
  /// MZI columns in series: those of the mesh and one attenuator.
  int columns() const { return blocks.front().mesh.columns() + blocks.front().attenuators.columns(); }
};

/// A whole OptINC unit, free of errors: what is handed to fabrication.
struct ChipDesign {
  Task task;
  std::vector<LayerDesign> layers;
  bool feed_forward = false;  ///< Network::is_feed_forward() of its network

  /// MZIs of all layers.
  int mzi_count() const;
  /// Whether receivers stand behind a layer that are not the servers'.
  bool has_neurons() const;
  /// Layers behind which unit T stands, in the order of the answer's digits.
  std::vector<std::size_t> server_layers() const;
};

/// All meshes of a chip in the order in which they are numbered: of every block of every layer its mesh, then
/// its attenuators.
std::vector<MeshTopology> meshes_of(const ChipDesign& design);

/// The same from the shape of a network alone, before it is trained (network_outline()).
std::vector<MeshTopology> meshes_of(const Network& shape);

/// Programs a trained network onto meshes: every U is decomposed into phases, every sigma becomes an
/// attenuation. Attenuators keep 1 % head-room, for one with splitter errors passes at most cos(alpha - beta).
/// Full scales come from every word of the task, or from design_words() of them where there are more.
/// Throws Error as validate_network does, and where a U is not unitary or row 0 of a sum's has not norm 1 to
/// 1e-6.
ChipDesign design_chip(const Network& network);

}  // namespace optinc
