#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "physics/core/check.hpp"
#include "physics/core/parallel.hpp"
#include "physics/mesh/blocks.hpp"
#include "physics/mesh/engine/field_blocks.hpp"
#include "physics/mesh/engine/scaled_mesh.hpp"
#include "physics/mesh/program.hpp"
#include "physics/simd/detail/targets.hpp"

// Between Eigen's types and the plain arrays of the kernels; for the engine's own files.

namespace optinc {

template <class Real>
MeshParameters<Real> parameters_of(const MeshProgramOf<Real>& p, const MeshErrorsOf<Real>& e) {
  return {p.theta.data(),
          p.phi.data(),
          e.theta_offset.data(),
          e.phi_offset.data(),
          e.alpha.data(),
          e.beta.data(),
          e.theta_arm_loss_db.data(),
          e.phi_arm_loss_db.data(),
          e.theta_other_loss_db.data(),
          e.phi_other_loss_db.data(),
          e.idle_arm_loss_db,
          p.output_phase.data(),
          e.output_offset.data()};
}

/// Blocks in the kernels' form and precision.
template <class Real>
class BlockPlanes {
 public:
  /// Copies the blocks of a mesh, and sees how much light the lossiest of them costs.
  explicit BlockPlanes(const MeshBlocks& mesh)
      : planes_(8 * mesh.blocks.size()),
        screen_re_(mesh.screen.real().template cast<Real>()),
        screen_im_(mesh.screen.imag().template cast<Real>()),
        idle_factor_(static_cast<Real>(mesh.idle_factor)) {
    const std::size_t count = mesh.blocks.size();
    double least = std::sqrt(0.5), most = std::sqrt(0.5);  // pivots, which are the factors of the scales
    for (std::size_t k = 0; k < count; ++k) {
      const Matrix2& m = mesh.blocks[k];
      const bool cross = std::abs(m(0, 0) * m(1, 1)) < std::abs(m(0, 1) * m(1, 0));
      const double first = std::abs(m(0, cross ? 1 : 0)), second = std::abs(m(1, cross ? 0 : 1));
      least = std::min({least, first, second});
      most = std::max({most, first, second});
      for (std::size_t i = 0; i < 4; ++i) {
        const Complex element = m(static_cast<int>(i / 2), static_cast<int>(i % 2));
        planes_[2 * i * count + k] = static_cast<Real>(element.real());
        planes_[(2 * i + 1) * count + k] = static_cast<Real>(element.imag());
      }
    }
    if (mesh.idle_factor > 0) {
      least = std::min(least, mesh.idle_factor);
      most = std::max(most, mesh.idle_factor);
    }
    // 3 dB a column is what lossless blocks may cost
    lossiest_db_ = -20 * std::log10(std::max(std::min(least, 0.5 / most), 1e-30) * std::sqrt(2.0));
  }
  /// Pointers to the planes, while this lives.
  BlockParameters<Real> parameters() const {
    return {planes_.data(), screen_re_.data(), screen_im_.data(), idle_factor_, lossiest_db_};
  }

 private:
  std::vector<Real> planes_;
  VectorOf<Real> screen_re_, screen_im_;
  Real idle_factor_;
  double lossiest_db_ = 0.0;
};

template <class Real>
FieldPlanes<Real> planes_of(FieldBatchOf<Real>& fields) {
  return {fields.re.data(), fields.im.data(), static_cast<std::size_t>(fields.words())};
}

/// Throws Error for blocks that are not one or two registers of words wide.
template <class Real>
void require_width(const FieldBlocks<Real>& fields) {
  const std::size_t lanes = simd_lanes<Real>();
  validate(
      fields.width == lanes || fields.width == 2 * lanes,
      "fields in blocks of {} words meet kernels for blocks of {} or {} (the SIMD target has changed). Make "
      "them anew.",
      fields.width, lanes, 2 * lanes);
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
