#include "physics/mesh/headroom.hpp"

#include <algorithm>
#include <cmath>

#include <boost/math/tools/minima.hpp>

#include "physics/core/check.hpp"
#include "physics/core/units.hpp"

namespace optinc {
namespace {

/// Mean of f over Wigner's semicircle of this radius, by Gauss-Chebyshev quadrature of the second kind.
template <class F>
double semicircle_mean(double radius, F f) {
  constexpr int nodes = 400;
  double sum = 0.0;
  for (int k = 1; k <= nodes; ++k) {
    const double angle = k * constants::pi / (nodes + 1), sine = std::sin(angle);
    sum += sine * sine * f(radius * std::cos(angle));
  }
  return 2 * sum / (nodes + 1);
}

}  // namespace

HeadroomLaw headroom_law(const MeshTopology& mesh, double spread_db, double oscillator_rad) {
  validate(spread_db >= 0 && oscillator_rad >= 0,
           "a spread of {} dB and oscillators of {} rad (0 or more, both rms). Give magnitudes.", spread_db,
           oscillator_rad);
  const double e = std::log(10.0) / 20 * spread_db * std::sqrt(2.0 * mesh.mzi_count() / mesh.ports),
               radius = 2 * e, variance = oscillator_rad * oscillator_rad;
  const auto turned = [&](double l, double h) { return std::max(0.0, l + h - variance); };
  const auto square = [&](double h) {
    return semicircle_mean(radius,
                           [&](double l) {
                             const double x = turned(l, h), left = l + h - x;
                             return left * left + 2 * variance * x;
                           }) +
           variance * e * e;
  };
  constexpr int half_the_bits = 26;  // a minimum is known no better
  const auto [h, least] =
      boost::math::tools::brent_find_minima(square, -radius, radius + variance, half_the_bits);
  constexpr double db_per_neper = 20 / 2.302585092994046;
  return {std::sqrt(least), std::hypot(e, oscillator_rad * e), db_per_neper * h,
          std::sqrt(2 * semicircle_mean(radius, [&, best = h](double l) { return turned(l, best); }) + e * e)};
}

}  // namespace optinc
