#pragma once

#include "physics/core/parallel.hpp"
#include "physics/mesh/engine/field_blocks.hpp"
#include "physics/mesh/engine/scaled_mesh.hpp"
#include "physics/mesh/program.hpp"

// Between Eigen's types and the plain arrays of the kernels; for the engine's own files.

namespace optinc {

template <class Real>
MeshParameters<Real> parameters_of(const MeshProgramOf<Real>& p, const MeshErrorsOf<Real>& e) {
  return {p.theta.data(),      p.phi.data(),          e.theta_offset.data(),      e.phi_offset.data(),
          e.alpha.data(),      e.beta.data(),         e.theta_arm_loss_db.data(), e.phi_arm_loss_db.data(),
          e.other_arm_loss_db, p.output_phase.data(), e.output_offset.data()};
}

template <class Real>
FieldPlanes<Real> planes_of(FieldBatchOf<Real>& fields) {
  return {fields.re.data(), fields.im.data(), static_cast<std::size_t>(fields.words())};
}

/// The same fields in blocks.
template <class Real>
FieldBlocks<Real> packed(const FieldBatchOf<Real>& fields) {
  FieldBlocks<Real> blocks(static_cast<std::size_t>(fields.ports()), static_cast<std::size_t>(fields.words()));
  pack<Real>({fields.re.data(), fields.im.data(), blocks.words}, 0, blocks);
  return blocks;
}

/// Fields <- matrix times fields, both in planes. (A + iB)(X + iY) = AX - BY + i((A + B)(X + Y) - AX - BY):
/// three real products in place of four. Words are cut into shares of a fixed size, whatever the threads, for
/// how a product is cut decides how it is rounded.
template <class Real>
void multiply(const FieldBatchOf<Real>& matrix, FieldBatchOf<Real>& fields, int threads) {
  using Plane = typename FieldBatchOf<Real>::Plane;
  const Plane sum = matrix.re + matrix.im;
  constexpr Eigen::Index share = 512;
  const Eigen::Index words = fields.words();
  parallel_for((words + share - 1) / share, threads, [&](Eigen::Index i) {
    const Eigen::Index count = std::min(share, words - i * share);
    auto x = fields.re.middleCols(i * share, count), y = fields.im.middleCols(i * share, count);
    const Plane ax = matrix.re * x, by = matrix.im * y, both = sum * Plane(x + y);
    x = ax - by;
    y = both - ax - by;
  });
}

}  // namespace optinc
