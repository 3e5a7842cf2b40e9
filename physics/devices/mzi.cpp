#include "physics/devices/mzi.hpp"

#include <algorithm>
#include <cmath>

#include "physics/core/units.hpp"
#include "physics/devices/coupler.hpp"
#include "physics/devices/phase_shifter.hpp"

namespace optinc {

using constants::pi;

Matrix2 mzi(const MziSettings& settings, const MziErrors& e) {
  const Complex external = phase_shifter(settings.phi + e.phi_offset, e.phi_arm_loss_db);
  const Complex internal = phase_shifter(settings.theta + e.theta_offset, e.theta_arm_loss_db);
  const double external_other = field_ratio_of_loss_db(e.phi_other_loss_db);
  const double internal_other = field_ratio_of_loss_db(e.theta_other_loss_db);
  return coupler(pi / 4 + e.beta) * Eigen::Vector2cd(internal, internal_other).asDiagonal() *
         coupler(pi / 4 + e.alpha) * Eigen::Vector2cd(external, external_other).asDiagonal();
}

MziDerivatives mzi_derivatives(const MziSettings& settings, const MziErrors& e) {
  const Complex i(0, 1);
  const Complex external = phase_shifter(settings.phi + e.phi_offset, e.phi_arm_loss_db);
  const Complex internal = phase_shifter(settings.theta + e.theta_offset, e.theta_arm_loss_db);
  const double external_other = field_ratio_of_loss_db(e.phi_other_loss_db);
  const double internal_other = field_ratio_of_loss_db(e.theta_other_loss_db);
  const double per_db = -std::log(10.0) / 20;
  const auto diagonal = [](Complex upper, Complex lower) {
    return Matrix2(Eigen::Vector2cd(upper, lower).asDiagonal());
  };
  const auto slope = [&](double eta) {  // DC'(eta) = i exchange DC(eta)
    Matrix2 m = coupler(eta);
    m.row(0).swap(m.row(1));
    return Matrix2(i * m);
  };
  const Matrix2 first = coupler(pi / 4 + e.alpha), second = coupler(pi / 4 + e.beta);
  const Matrix2 inner = diagonal(internal, internal_other), outer = diagonal(external, external_other);
  const Matrix2 up_to_inner = first * outer, from_outer = second * inner * first;
  return {second * diagonal(i * internal, 0.0) * up_to_inner,
          from_outer * diagonal(i * external, 0.0),
          second * inner * slope(pi / 4 + e.alpha) * outer,
          slope(pi / 4 + e.beta) * inner * up_to_inner,
          second * diagonal(per_db * internal, 0.0) * up_to_inner,
          second * diagonal(0.0, per_db * internal_other) * up_to_inner,
          from_outer * diagonal(per_db * external, 0.0),
          from_outer * diagonal(0.0, per_db * external_other)};
}

Matrix2 mzi_closed_form(double theta, double phi, double alpha, double beta) {
  const Complex i(0, 1);
  const double c = std::cos(theta / 2), s = std::sin(theta / 2);
  const double c_plus = std::cos(alpha + beta), c_minus = std::cos(alpha - beta);
  const double s_plus = std::sin(alpha + beta), s_minus = std::sin(alpha - beta);
  const Complex external = std::polar(1.0, phi);
  Matrix2 t;
  t << external * (i * s * c_minus - c * s_plus), i * c * c_plus - s * s_minus,
      external * (i * c * c_plus + s * s_minus), -i * s * c_minus - c * s_plus;
  return std::polar(1.0, theta / 2) * t;
}

double mzi_theta_for_bar_power(double bar_power, double alpha, double beta, bool& clipped) {
  const double least = std::sin(alpha + beta) * std::sin(alpha + beta);
  const double share = (bar_power - least) / (std::cos(2 * alpha) * std::cos(2 * beta));
  // The bound is physical; the last bits of a bar power computed from other angles are not a clip.
  constexpr double rounding = 1e-15;
  clipped = !(share >= -rounding && share <= 1.0 + rounding);
  return 2 * std::asin(std::sqrt(std::clamp(share, 0.0, 1.0)));
}

}  // namespace optinc
