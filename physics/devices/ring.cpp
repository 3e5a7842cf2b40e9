#include "physics/devices/ring.hpp"

#include <cmath>

#include "physics/core/check.hpp"
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

}  // namespace

Complex all_pass_ring(const Ring& ring, double wavelength_m, double warmer_k) {
  const Matrix2 bus = directional_coupler(ring.bus, wavelength_m);
  const Complex turn = waveguide_field(ring.guide, wavelength_m, warmer_k);
  return bus(0, 0) + bus(0, 1) * turn * bus(1, 0) * turns(bus(1, 1) * turn);
}

Matrix2 add_drop_ring(const Ring& ring, double wavelength_m, double warmer_k) {
  const Matrix2 bus = directional_coupler(ring.bus, wavelength_m),
                drop = directional_coupler(ring.drop, wavelength_m);
  Waveguide half = ring.guide;
  half.length_m /= 2;
  const Complex side = std::pow(10.0, -waveguide_loss_db(ring.guide) / 40) *
                       std::polar(1.0, waveguide_phase_rad(half, wavelength_m, warmer_k));
  const Complex turn = side * side, all = turns(bus(1, 1) * drop(1, 1) * turn);
  Matrix2 t;
  t(0, 0) = bus(0, 0) + bus(0, 1) * drop(1, 1) * turn * bus(1, 0) * all;
  t(1, 1) = drop(0, 0) + drop(0, 1) * bus(1, 1) * turn * drop(1, 0) * all;
  t(1, 0) = t(0, 1) = bus(0, 1) * drop(1, 0) * side * all;
  return t;
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
