#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include <Eigen/Dense>

#include "onn/task/task.hpp"
#include "physics/core/enum_names.hpp"

namespace optinc {

/// How a layer's weight (outputs x inputs) is built of square matrices U, each a mesh of MZIs, and of diagonals
/// S, each a column of attenuators behind one.
enum class Wiring {
  /// Square blocks of n = min(outputs, inputs), of two widths one divides the other:
  ///   outputs >= inputs ("tall"):  W = [S_0 U_0; ...; S_{r-1} U_{r-1}], light fanned out to r blocks
  ///   outputs <  inputs ("wide"):  W = [S_0 U_0, ..., S_{r-1} U_{r-1}], the blocks' light fanned in
  blocks,
  /// One output, W = S_0 row 0 of U_0 (norm 1; the others do not count): a tree of MZIs adds inputs coherently.
  sum,
};

/// As users write them.
template <>
inline constexpr EnumNames enum_names<Wiring> = {"wiring", {"blocks", "sum"}};

/// What becomes of the light behind a layer.
enum class LayerEnd {
  receivers,  ///< one receiver a neuron: z = W x + b, rectified, limited; then a modulator
  light,      ///< none: it goes on into the layer that reads it
  servers,    ///< unit T and the servers' receivers: these are digits of the answer, y = W x + b
};

/// As users write them.
template <>
inline constexpr EnumNames enum_names<LayerEnd> = {"ending", {"receivers", "light", "servers"}};

/// What a layer does to what it reads, besides its weight W: y = f(W x + b). The network's layers and the
/// chip's have this in common.
struct LayerFunction {
  int outputs = 0;
  int inputs = 0;
  Eigen::VectorXd bias;  ///< b (outputs)
  Wiring wiring = Wiring::blocks;
  LayerEnd ending = LayerEnd::receivers;
  double ceiling =
      std::numeric_limits<double>::infinity();  ///< of the receivers' output: min(max(z, 0), ceiling)
  double offset = 0.0;  ///< added by the modulators' bias after that: both levels of a step may carry light

  /// Whether blocks stand one above the other.
  bool tall() const { return outputs >= inputs; }
  /// Whether light behind it meets receivers of its own, or the servers'.
  bool received() const { return ending != LayerEnd::light; }
  /// f(z), element by element: z itself unless receivers of the layer's own stand behind it.
  Eigen::MatrixXd activation(const Eigen::Ref<const Eigen::MatrixXd>& z) const;
  /// What leaves the layer, f(W x + b), shape (outputs, words), for inputs x (inputs, words).
  Eigen::MatrixXd forward(const Eigen::MatrixXd& weight, const Eigen::MatrixXd& x) const;
};

/// One layer. Its `reads` are signals: 0 .. M-1 the digit averages behind unit P, then every layer's outputs,
/// layer by layer. A signal may be read by several layers, or twice by one.
struct SigmaULayer : LayerFunction {
  /// r blocks U, (n, n): orthogonal, as a mesh can realise them, except after with_matrix_errors(), which
  /// stands for a chip's errors. forward() takes any matrices, design_chip() refuses those that are not
  /// orthogonal.
  std::vector<Eigen::MatrixXd> unitary;
  std::vector<Eigen::VectorXd> sigma;  ///< r blocks, (n), signed; a sum has one number
  std::vector<int> reads;              ///< (inputs)
  bool attenuated = true;              ///< false: no attenuators, every sigma is one and the same number

  /// Rows of one square block.
  int block_size() const { return wiring == Wiring::sum ? inputs : std::min(outputs, inputs); }
  /// Square blocks side by side, or one above the other.
  int blocks() const { return wiring == Wiring::sum ? 1 : std::max(outputs, inputs) / block_size(); }
  /// W, shape (outputs, inputs).
  Eigen::MatrixXd weight() const;
};

/// The float64 optical neural network: digits' averages a -> digits of the answer. Layers with receivers
/// rectify (ReLU), those of the servers do not; the answer's digits are the servers' layers' outputs in order,
/// most significant first. The truth that the physical chain is compared with.
struct Network {
  Task task;
  std::vector<SigmaULayer> layers;

  /// Layer widths, inputs first: {M, hidden.., M}.
  std::vector<int> widths() const;
  /// Number of the first signal that a layer puts out.
  int first_signal(std::size_t layer) const;
  /// Whether every layer reads the whole layer before it and nothing else, the last is the servers', every
  /// weight is of attenuated blocks S U, and receivers add no offset: what training makes.
  bool is_feed_forward() const;
};

/// Zero layers of the given widths, each reading the one before. Throws Error unless each width is >= 1 and of
/// two neighbours one divides the other (otherwise the weight cannot be cut into square blocks).
Network make_network(const Task& task, std::span<const int> hidden);

/// What make_network() makes without any number in it (unitary, sigma and bias are empty): enough for
/// mzi_count() and whatever else asks for widths and wiring alone, and no memory to speak of. Throws Error for
/// more than 1000 layers or 2^27 weights, and where make_network() does, which begins with it.
Network network_outline(const Task& task, std::span<const int> hidden);

/// Outputs y, shape (M, words), for averages a, shape (M, words).
Eigen::MatrixXd forward(const Network& network, const Eigen::Ref<const Eigen::MatrixXd>& averages);

/// Throws Error unless layers read signals that are there, what goes to the servers is the task's digits, light
/// that goes on is read once, and weights have the shapes of their wiring.
void validate_network(const Network& network);

/// Largest magnitude that leaves each layer over all given words; shape (layers).
Eigen::VectorXd largest_activations(const Network& network, const Eigen::Ref<const Eigen::MatrixXd>& averages);

/// How often each signal is read, (signals).
std::vector<int> signal_reads(const Network& network);

/// MZIs of the network as built: per block a mesh of n(n-1)/2 (n - 1 a sum) and its attenuators.
std::int64_t mzi_count(const Network& network);
/// MZIs of the same weights by full singular value decomposition: two meshes and min(outputs, inputs) per
/// layer.
std::int64_t mzi_count_full_svd(const Network& network);
/// MZI columns in series on the longest way through the layers: per layer the mesh's n (1 where n = 2, 0 where
/// n = 1; ceil(log2 n) a sum) and one attenuator.
int mzi_depth(const Network& network);

}  // namespace optinc
