#include "physics/mesh/engine/detail/checkpoint_gradient.hpp"

#include <cmath>

namespace optinc {
namespace {

using Fields = Eigen::Matrix<Complex, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// What every share of words has in common.
struct Mesh {
  const MeshTopology& topology;
  const MeshBlocks& numbers;

  int first(int column) const { return topology.column_begin[static_cast<std::size_t>(column)]; }

  /// Takes fields through one column; `adjoint` takes gradients back through it.
  void pass(int column, Fields& fields, bool adjoint) const {
    std::vector<bool> idles(static_cast<std::size_t>(topology.ports), true);
    int k = first(column);
    for (const auto& [upper, lower] : topology.column(column)) {
      const Matrix2& t = numbers.blocks[static_cast<std::size_t>(k++)];
      const Matrix2 m = adjoint ? Matrix2(t.adjoint()) : t;
      const Eigen::RowVectorXcd a = fields.row(upper), b = fields.row(lower);
      fields.row(upper) = m(0, 0) * a + m(0, 1) * b;
      fields.row(lower) = m(1, 0) * a + m(1, 1) * b;
      idles[static_cast<std::size_t>(upper)] = idles[static_cast<std::size_t>(lower)] = false;
    }
    for (int p = 0; p < topology.ports; ++p)
      if (idles[static_cast<std::size_t>(p)]) fields.row(p) *= numbers.idle_factor;
  }
};

/// Adds one column's share: fields in front of it, adjoint fields behind it.
void add_column(const Mesh& mesh, int column, const Fields& before, const Fields& behind, BlockSums& sums) {
  std::vector<bool> idles(static_cast<std::size_t>(mesh.topology.ports), true);
  int k = mesh.first(column);
  for (const auto& pair : mesh.topology.column(column)) {
    const int ports[2] = {pair.upper, pair.lower};
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 2; ++j)
        sums.blocks[static_cast<std::size_t>(k)](i, j) += behind.row(ports[j]).dot(before.row(ports[i]));
    idles[static_cast<std::size_t>(pair.upper)] = idles[static_cast<std::size_t>(pair.lower)] = false;
    ++k;
  }
  for (int p = 0; p < mesh.topology.ports; ++p)
    if (idles[static_cast<std::size_t>(p)]) sums.idle += behind.row(p).dot(before.row(p));
}

void walk_share(const Mesh& mesh, const Fields& inputs, Fields& gradient, BlockSums& sums) {
  const int columns = mesh.topology.columns();
  const Eigen::VectorXcd& screen = mesh.numbers.screen;
  const int stride = std::max(1, static_cast<int>(std::sqrt(columns)));
  std::vector<Fields> checkpoints;
  Fields fields = inputs;
  for (int c = 0; c < columns; ++c) {
    if (c % stride == 0) checkpoints.push_back(fields);
    mesh.pass(c, fields, false);
  }
  for (Eigen::Index p = 0; p < screen.size(); ++p) {
    gradient.row(p) *= std::conj(screen[p]);
    sums.outputs[p] += gradient.row(p).dot(fields.row(p));
  }
  for (int end = columns; end > 0;) {
    const int begin = (end - 1) / stride * stride;
    std::vector<Fields> in_front = {checkpoints[static_cast<std::size_t>(begin / stride)]};
    for (int c = begin; c + 1 < end; ++c) {
      in_front.push_back(in_front.back());
      mesh.pass(c, in_front.back(), false);
    }
    for (int c = end; c-- > begin;) {
      add_column(mesh, c, in_front[static_cast<std::size_t>(c - begin)], gradient, sums);
      mesh.pass(c, gradient, true);
    }
    end = begin;
  }
}

}  // namespace

BlockSums checkpoint_sums(const MeshTopology& topology, const MeshBlocks& numbers, const FieldBatch& inputs,
                          FieldBatch& gradient) {
  const Mesh mesh{topology, numbers};
  BlockSums sums{std::vector<Matrix2>(numbers.blocks.size(), Matrix2::Zero()), 0.0,
                 Eigen::VectorXcd::Zero(topology.ports)};
  constexpr Eigen::Index share = 64;
  for (Eigen::Index at = 0; at < inputs.words(); at += share) {
    const Eigen::Index words = std::min(share, inputs.words() - at);
    Fields x(inputs.ports(), words), lambda(inputs.ports(), words);
    x.real() = inputs.re.middleCols(at, words);
    x.imag() = inputs.im.middleCols(at, words);
    lambda.real() = gradient.re.middleCols(at, words);
    lambda.imag() = gradient.im.middleCols(at, words);
    walk_share(mesh, x, lambda, sums);
    gradient.re.middleCols(at, words) = lambda.real();
    gradient.im.middleCols(at, words) = lambda.imag();
  }
  return sums;
}

MeshGradient checkpoint_gradient(const MeshTopology& topology, const MeshProgram& program,
                                 const MeshErrors& errors, const FieldBatch& inputs, FieldBatch& gradient) {
  const BlockSums sums = checkpoint_sums(topology, mesh_blocks(topology, program, errors), inputs, gradient);
  MeshGradient g = no_gradient(topology);
  for (int k = 0; k < topology.mzi_count(); ++k)
    add_mzi_gradient(mzi_derivatives(program.mzi(k), errors.mzi(k)), sums.blocks[static_cast<std::size_t>(k)],
                     k, g);
  g.idle_arm_loss_db +=
      -std::log(10.0) / 10 * column_field_factor(errors) * sums.idle.real();  // two arm stages
  g.output_phase = -sums.outputs.imag();
  return g;
}

}  // namespace optinc
