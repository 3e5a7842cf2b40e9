#include "physics/devices/coupler.hpp"

#include <boost/math/special_functions/sinc.hpp>
#include <fmt/format.h>

#include "physics/core/check_values.hpp"

namespace optinc {
namespace {

/// [[delta_beta/2, kappa], [kappa, -delta_beta/2]]: dT/dz = i G T, and G^2 = s^2.
Matrix2 generator(const MismatchedCoupler& d) {
  Matrix2 g;
  g << d.delta_beta_per_m / 2, d.coupling_per_m, d.coupling_per_m, -d.delta_beta_per_m / 2;
  return g;
}

double beat_per_m(const MismatchedCoupler& d) { return std::hypot(d.coupling_per_m, d.delta_beta_per_m / 2); }

/// (cos x - sin x / x) / x^2 = d sinc(x)/dx / x, whose limit at 0 is -1/3.
double sinc_slope_over_x(double x) {
  // both terms are 1 there: the series is better than their difference
  if (std::abs(x) < 1e-2) return -1.0 / 3 + x * x / 30 - x * x * x * x / 840;
  return (std::cos(x) - boost::math::sinc_pi(x)) / (x * x);
}

void validate_mismatched(const MismatchedCoupler& d) {
  validate_finite("coupling_per_m", d.coupling_per_m);
  validate_finite("delta_beta_per_m", d.delta_beta_per_m);
  validate_not_negative("length_m", d.length_m);
}

}  // namespace

Matrix2 coupler(double eta_rad) {
  const double bar = std::cos(eta_rad), cross = std::sin(eta_rad);
  Matrix2 t;
  t << bar, Complex(0, cross), Complex(0, cross), bar;
  return t;
}

Matrix2 coupler_derivative(double eta_rad) {
  const double bar = -std::sin(eta_rad), cross = std::cos(eta_rad);
  Matrix2 t;
  t << bar, Complex(0, cross), Complex(0, cross), bar;
  return t;
}

double coupler_eta_rad(const DirectionalCoupler& d, double wavelength_m) {
  return detuned_eta_rad(d.eta_rad, d.eta_relative_slope_per_m, wavelength_m - d.wavelength_m);
}

Matrix2 directional_coupler(const DirectionalCoupler& d, double wavelength_m) {
  validate_coupler(d);
  validate_positive("wavelength_m", wavelength_m);
  return field_ratio_of_loss_db(d.excess_loss_db) * coupler(coupler_eta_rad(d, wavelength_m));
}

Matrix2 directional_coupler_derivative(const DirectionalCoupler& d, double wavelength_m) {
  validate_coupler(d);
  validate_positive("wavelength_m", wavelength_m);
  return field_ratio_of_loss_db(d.excess_loss_db) * coupler_derivative(coupler_eta_rad(d, wavelength_m));
}

void validate_coupler(const DirectionalCoupler& d) {
  validate_finite("eta_rad", d.eta_rad);
  validate_finite("eta_relative_slope_per_m", d.eta_relative_slope_per_m);
  validate_positive("wavelength_m", d.wavelength_m);
  validate_not_negative("excess_loss_db", d.excess_loss_db);
}

std::vector<Warning> coupler_warnings(const DirectionalCoupler& d) {
  std::vector<Warning> warnings;
  if (std::abs(d.eta_relative_slope_per_m) > 6.4e6)
    warnings.push_back(
        {"eta_relative_slope_per_m",
         fmt::format("eta_relative_slope_per_m = {:g} (plain directional couplers lie below 6.4e6, that "
                     "is 0.64 % a nanometre; broadband ones near 6e5)",
                     d.eta_relative_slope_per_m)});
  if (d.excess_loss_db > 0.3)
    warnings.push_back(
        {"excess_loss_db", fmt::format("excess_loss_db = {:g} (directional couplers lie within 0.02..0.3 dB)",
                                       d.excess_loss_db)});
  return warnings;
}

Matrix2 mismatched_coupler(const MismatchedCoupler& d) {
  validate_mismatched(d);
  const double angle = beat_per_m(d) * d.length_m;
  return std::cos(angle) * Matrix2::Identity() +
         Complex(0, d.length_m * boost::math::sinc_pi(angle)) * generator(d);
}

MismatchedCouplerDerivatives mismatched_coupler_derivatives(const MismatchedCoupler& d) {
  validate_mismatched(d);
  const Complex i(0, 1);
  const double l = d.length_m, angle = beat_per_m(d) * l;
  const double sinc = boost::math::sinc_pi(angle);
  const Matrix2 g = generator(d);
  // T = cos(x) + i L sinc(x) G with x = s L and ds/dp = q/s, where q = kappa for kappa, delta_beta/4 for
  // delta_beta: dx/dp = L q/s, and every 1/s meets an x
  const auto by = [&](double q, const Matrix2& generator_slope) {
    return Matrix2(-l * l * q * sinc * Matrix2::Identity() +
                   i * l * (l * l * q * sinc_slope_over_x(angle) * g + sinc * generator_slope));
  };
  const Matrix2 exchange = (Matrix2() << 0, 1, 1, 0).finished();
  const Matrix2 difference = (Matrix2() << 0.5, 0, 0, -0.5).finished();
  return {by(d.coupling_per_m, exchange), by(d.delta_beta_per_m / 4, difference),
          i * g * mismatched_coupler(d)};
}

double most_cross_power(const MismatchedCoupler& d) {
  validate_mismatched(d);
  if (d.coupling_per_m == 0.0) return 0.0;
  const double share = d.coupling_per_m / beat_per_m(d);
  return share * share;
}

}  // namespace optinc
