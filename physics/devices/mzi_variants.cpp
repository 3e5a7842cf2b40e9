#include "physics/devices/mzi_variants.hpp"

#include "physics/core/units.hpp"
#include "physics/devices/coupler.hpp"
#include "physics/devices/phase_shifter.hpp"

namespace optinc {

using constants::pi;

SymmetricMziSettings push_pull(double theta, double common) { return {common + theta / 2, common - theta / 2}; }

Matrix2 symmetric_mzi(const SymmetricMziSettings& settings, const SymmetricMziErrors& e) {
  const Complex upper = phase_shifter(settings.upper + e.upper_offset, e.upper_loss_db);
  const Complex lower = phase_shifter(settings.lower + e.lower_offset, e.lower_loss_db);
  return coupler(pi / 4 + e.beta) * Eigen::Vector2cd(upper, lower).asDiagonal() * coupler(pi / 4 + e.alpha);
}

Matrix2 real_mzi(const MziSettings& settings, const MziVariantErrors& e) {
  const double theta = settings.theta + e.mzi.theta_offset;
  return phase_shifter(e.common_offset - theta / 2 - pi / 2) * mzi(settings, e.mzi);
}

Matrix2 three_splitter_mzi(const MziSettings& settings, const MziVariantErrors& e) {
  return phase_shifter(e.common_offset) * mzi(settings, e.mzi) * coupler(pi / 4 + e.gamma);
}

Matrix2 balanced_three_splitter_mzi(const MziSettings& settings, const MziVariantErrors& e) {
  const double both = settings.theta + e.mzi.theta_offset + settings.phi + e.mzi.phi_offset;
  Matrix2 t = phase_shifter(-both / 2 - 3 * pi / 4) * three_splitter_mzi(settings, e);
  t.row(1) *= phase_shifter(pi / 2 + e.output_offset);
  return t;
}

}  // namespace optinc
