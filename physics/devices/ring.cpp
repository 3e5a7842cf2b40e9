#include "physics/devices/ring.hpp"

#include <cmath>

#include "physics/core/check_values.hpp"
#include "physics/core/units.hpp"

namespace optinc {
namespace {

/// 1 / (1 - loop): the sum over all turns.
Complex turns(Complex loop) {
  const Complex left = 1.0 - loop;
  validate(std::abs(left) > 1e-12,
           "a ring in resonance that loses no light and couples none out (its field grows without bound). Give "
           "it a loss, or a coupler.");
  return 1.0 / left;
}

/// Phase psi that backscatter adds to a turn of one standing wave and takes from that of the other.
double backscatter_rad(const Ring& ring, double wavelength_m) {
  validate_not_negative("splitting_m", ring.splitting_m);
  return ring.splitting_m == 0 ? 0.0
                               : constants::pi * ring.splitting_m / free_spectral_range_m(ring, wavelength_m);
}

/// Sum and difference of the two standing waves, from the transmission of a ring with so much phase more.
template <class At>
RingFields of_standing_waves(const Ring& ring, double wavelength_m, At&& transmission) {
  const double psi = backscatter_rad(ring, wavelength_m);
  const Matrix plus = transmission(psi);
  if (psi == 0) return {plus, Matrix::Zero(plus.rows(), plus.cols())};
  const Matrix minus = transmission(-psi);
  return {(plus + minus) / 2, (plus - minus) / 2};
}

Complex all_pass(const Ring& ring, double wavelength_m, double warmer_k, double more_rad) {
  const Matrix2 bus = directional_coupler(ring.bus, wavelength_m);
  const Complex turn = waveguide_field(ring.guide, wavelength_m, warmer_k) * std::polar(1.0, more_rad);
  return bus(0, 0) + bus(0, 1) * turn * bus(1, 0) * turns(bus(1, 1) * turn);
}

Matrix2 add_drop(const Ring& ring, double wavelength_m, double warmer_k, double more_rad) {
  const Matrix2 bus = directional_coupler(ring.bus, wavelength_m),
                drop = directional_coupler(ring.drop, wavelength_m);
  Waveguide half = ring.guide;
  half.length_m /= 2;
  const Complex side = std::pow(10.0, -waveguide_loss_db(ring.guide) / 40) *
                       std::polar(1.0, waveguide_phase_rad(half, wavelength_m, warmer_k) + more_rad / 2);
  const Complex turn = side * side, all = turns(bus(1, 1) * drop(1, 1) * turn);
  Matrix2 t;
  t(0, 0) = bus(0, 0) + bus(0, 1) * drop(1, 1) * turn * bus(1, 0) * all;
  t(1, 1) = drop(0, 0) + drop(0, 1) * bus(1, 1) * turn * drop(1, 0) * all;
  t(1, 0) = t(0, 1) = bus(0, 1) * drop(1, 0) * side * all;
  return t;
}

}  // namespace

RingFields all_pass_fields(const Ring& ring, double wavelength_m, double warmer_k) {
  return of_standing_waves(ring, wavelength_m, [&](double psi) -> Matrix {
    return Matrix::Constant(1, 1, all_pass(ring, wavelength_m, warmer_k, psi));
  });
}

RingFields add_drop_fields(const Ring& ring, double wavelength_m, double warmer_k) {
  return of_standing_waves(ring, wavelength_m,
                           [&](double psi) -> Matrix { return add_drop(ring, wavelength_m, warmer_k, psi); });
}

Complex all_pass_ring(const Ring& ring, double wavelength_m, double warmer_k) {
  return all_pass_fields(ring, wavelength_m, warmer_k).forward(0, 0);
}

Matrix2 add_drop_ring(const Ring& ring, double wavelength_m, double warmer_k) {
  return add_drop_fields(ring, wavelength_m, warmer_k).forward;
}

double free_spectral_range_m(const Ring& ring, double wavelength_m) {
  validate_waveguide(ring.guide);
  validate(ring.guide.length_m > 0, "a ring of circumference 0 (> 0 m). Give guide.length_m.");
  return wavelength_m * wavelength_m / (group_index(ring.guide.index, wavelength_m) * ring.guide.length_m);
}

double critical_coupling_rad(const Waveguide& guide) {
  validate_waveguide(guide);
  const double loss_db = waveguide_loss_db(guide);
  validate(loss_db > 0, "critical coupling to a ring without loss (it would be no coupling). Give it a loss.");
  return std::acos(field_ratio_of_loss_db(loss_db));
}

double all_pass_extinction(const Ring& ring, double wavelength_m) {
  const double t = std::abs(directional_coupler(ring.bus, wavelength_m)(0, 0)),
               a = field_ratio_of_loss_db(waveguide_loss_db(ring.guide));
  const double ratio = (t - a) * (1 + t * a) / ((t + a) * (1 - t * a));
  return ratio * ratio;
}

}  // namespace optinc
