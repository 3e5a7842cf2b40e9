#include "physics/mesh/propagation.hpp"

#include "physics/core/check.hpp"
#include "physics/core/units.hpp"

namespace optinc {
namespace {

/// [a; b] <- T [a; b] on `words` fields per port; the planes of one block never overlap.
void apply_mzi(const Matrix2& t, double* __restrict a_re, double* __restrict a_im, double* __restrict b_re,
               double* __restrict b_im, Eigen::Index words) {
  const double t00r = t(0, 0).real(), t00i = t(0, 0).imag(), t01r = t(0, 1).real(), t01i = t(0, 1).imag();
  const double t10r = t(1, 0).real(), t10i = t(1, 0).imag(), t11r = t(1, 1).real(), t11i = t(1, 1).imag();
  for (Eigen::Index w = 0; w < words; ++w) {
    const double ar = a_re[w], ai = a_im[w], br = b_re[w], bi = b_im[w];
    a_re[w] = t00r * ar - t00i * ai + t01r * br - t01i * bi;
    a_im[w] = t00r * ai + t00i * ar + t01r * bi + t01i * br;
    b_re[w] = t10r * ar - t10i * ai + t11r * br - t11i * bi;
    b_im[w] = t10r * ai + t10i * ar + t11r * bi + t11i * br;
  }
}

/// Sends a block that stays in cache through all columns.
void propagate_block(const MeshTopology& topology, const MeshState& state, FieldBatch& block) {
  const Eigen::Index words = block.words();
  const bool lossy_idle = state.idle_factor != 1.0;
  std::vector<bool> touched;
  std::size_t k = 0;
  for (int c = 0; c < topology.columns(); ++c) {
    if (lossy_idle) touched.assign(static_cast<std::size_t>(topology.ports), false);
    for (const auto& [upper, lower] : topology.column(c)) {
      apply_mzi(state.mzis[k++], block.re.row(upper).data(), block.im.row(upper).data(),
                block.re.row(lower).data(), block.im.row(lower).data(), words);
      if (lossy_idle)
        touched[static_cast<std::size_t>(upper)] = touched[static_cast<std::size_t>(lower)] = true;
    }
    if (!lossy_idle) continue;
    for (int p = 0; p < topology.ports; ++p) {
      if (touched[static_cast<std::size_t>(p)]) continue;
      block.re.row(p) *= state.idle_factor;
      block.im.row(p) *= state.idle_factor;
    }
  }
  for (int p = 0; p < topology.ports; ++p) {
    const double r = state.output[p].real(), i = state.output[p].imag();
    const Eigen::RowVectorXd re = block.re.row(p);
    block.re.row(p) = r * re - i * block.im.row(p);
    block.im.row(p) = r * block.im.row(p) + i * re;
  }
}

}  // namespace

MeshState settle(const MeshProgram& program, const MeshErrors& errors) {
  MeshState state;
  state.mzis.resize(static_cast<std::size_t>(program.theta.size()));
  for (std::size_t k = 0; k < state.mzis.size(); ++k) {
    const int i = static_cast<int>(k);
    state.mzis[k] = mzi(program.mzi(i), errors.mzi(i));
  }
  state.idle_factor = column_field_factor(errors);
  state.output = (Complex(0, 1) * (program.output_phase + errors.output_offset).cast<Complex>()).array().exp();
  return state;
}

void propagate(const MeshTopology& topology, const MeshState& state, FieldBatch& fields) {
  validate(fields.ports() == topology.ports && state.output.size() == topology.ports &&
               state.mzis.size() == topology.mzis.size(),
           "fields on {} ports meet a mesh of {} ports and {} MZIs, settled with {} and {} (they must agree). "
           "Send one "
           "field per port.",
           fields.ports(), topology.ports, topology.mzis.size(), state.output.size(), state.mzis.size());
  // 64 words of 128 ports are 128 KiB: both planes of a block stay in a core's L2 while all columns pass.
  constexpr Eigen::Index block_words = 64;
  for (Eigen::Index first = 0; first < fields.words(); first += block_words) {
    const Eigen::Index words = std::min(block_words, fields.words() - first);
    FieldBatch block;
    block.re = fields.re.middleCols(first, words);
    block.im = fields.im.middleCols(first, words);
    propagate_block(topology, state, block);
    fields.re.middleCols(first, words) = block.re;
    fields.im.middleCols(first, words) = block.im;
  }
}

Matrix transfer_matrix(const MeshTopology& topology, const MeshState& state) {
  FieldBatch unit(Matrix::Identity(topology.ports, topology.ports));
  propagate(topology, state, unit);
  return unit.complex();
}

}  // namespace optinc
