#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <Eigen/Dense>

#include "onn/task.hpp"

namespace optinc {

/// One layer z = W x + b whose weight W (outputs x inputs) is cut into r = max/min square blocks of
/// n = min(outputs, inputs), each a real diagonal times a real orthogonal matrix (one attenuator column behind
/// one unitary mesh):
///   outputs >= inputs ("tall"):  W = [S_0 U_0; ...; S_{r-1} U_{r-1}]   block b feeds outputs b n .. (b+1) n -
///   1 outputs <  inputs ("wide"):  W = [S_0 U_0, ..., S_{r-1} U_{r-1}]   block b reads  inputs  b n .. (b+1) n
///   - 1
struct SigmaULayer {
  int outputs = 0;
  int inputs = 0;
  std::vector<Eigen::MatrixXd> unitary;  ///< r blocks, (n, n), orthogonal
  std::vector<Eigen::VectorXd> sigma;    ///< r blocks, (n), signed
  Eigen::VectorXd bias;                  ///< (outputs)

  int block_size() const { return std::min(outputs, inputs); }
  int blocks() const { return std::max(outputs, inputs) / block_size(); }
  bool tall() const { return outputs >= inputs; }
  /// W, shape (outputs, inputs).
  Eigen::MatrixXd weight() const;
};

/// The float64 optical neural network: digits' averages a (M) -> digits of Q(mean) (M); ReLU between layers,
/// none after the last. The truth that the physical chain is compared with.
struct Network {
  Task task;
  std::vector<SigmaULayer> layers;

  /// Layer widths, inputs first: {M, hidden.., M}.
  std::vector<int> widths() const;
};

/// Zero layers of the given widths. Throws Error unless each width is >= 1 and of two neighbours one divides
/// the other (otherwise the weight cannot be cut into square blocks).
Network make_network(const Task& task, std::span<const int> hidden);

/// Outputs y, shape (M, words), for averages a, shape (M, words).
Eigen::MatrixXd forward(const Network& network, const Eigen::Ref<const Eigen::MatrixXd>& averages);

/// Largest activation that leaves each hidden layer over all given words; shape (layers - 1).
Eigen::VectorXd largest_activations(const Network& network, const Eigen::Ref<const Eigen::MatrixXd>& averages);

/// MZIs of the network as built: per block a mesh of n(n-1)/2 and n attenuators.
std::int64_t mzi_count(const Network& network);
/// MZIs of the same weights by full singular value decomposition: two meshes and min(outputs, inputs) per
/// layer.
std::int64_t mzi_count_full_svd(const Network& network);
/// MZI columns light passes in series: per layer the mesh's n (1 where n = 2, 0 where n = 1) and one
/// attenuator.
int mzi_depth(const Network& network);

}  // namespace optinc
