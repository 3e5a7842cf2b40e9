#include "physics/devices/ring.hpp"

#include <cmath>

#include "physics/core/units.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/refusal.hpp"

using namespace optinc;

namespace {

Ring without_dispersion() {
  Ring ring;
  ring.bus.eta_slope_rad_per_m = ring.drop.eta_slope_rad_per_m = 0;
  ring.bus.excess_loss_db = ring.drop.excess_loss_db = 0;
  return ring;
}

/// Wavelength of least transmission within half a free spectral range of another, by golden section.
double resonance_m(const Ring& ring, double near_m) {
  const double fsr = free_spectral_range_m(ring, near_m);
  double best = near_m;
  for (double width = fsr / 2; width > 1e-17; width /= 20) {
    const double middle = best;
    for (int i = -40; i <= 40; ++i)
      if (const double at = middle + width * i / 40;
          std::norm(all_pass_ring(ring, at)) < std::norm(all_pass_ring(ring, best)))
        best = at;
  }
  return best;
}

}  // namespace

TEST_CASE("resonances of a ring are a free spectral range apart") {
  const Ring ring = without_dispersion();
  const double first = resonance_m(ring, 1550e-9), fsr = free_spectral_range_m(ring, first);
  const double next = resonance_m(ring, first + fsr);
  CHECK(fsr == Approx(9.11e-9).epsilon(0.01));  // lambda^2 / (4.198 x 62.8 um)
  // between the two the group index and the wavelength move: half a term of second order
  CHECK(next - first == Approx(fsr).epsilon(1.5 * fsr / first));
  CHECK(next - first == Approx(free_spectral_range_m(ring, (first + next) / 2)).epsilon(1e-4));
}

// Fails when the coupler's loss or the guide's is counted in power.
TEST_CASE("a ring at critical coupling passes nothing in resonance, and others what the closed form says") {
  Ring ring = without_dispersion();
  ring.guide.loss_db_per_cm = 20;
  ring.bus.eta_rad = critical_coupling_rad(ring.guide);
  CHECK(std::norm(all_pass_ring(ring, resonance_m(ring, 1550e-9))) < 1e-9);
  CHECK(all_pass_extinction(ring, 1550e-9) < 1e-20);
  for (const double eta : {0.1, 0.5}) {
    ring.bus.eta_rad = eta;
    const double low = resonance_m(ring, 1550e-9), fsr = free_spectral_range_m(ring, low);
    double high = 0;
    for (int i = 0; i <= 2000; ++i)
      high = std::max(high, std::norm(all_pass_ring(ring, low + fsr * (i / 2000.0))));
    CHECK(std::norm(all_pass_ring(ring, low)) / high == Approx(all_pass_extinction(ring, low)).epsilon(1e-4));
  }
}

TEST_CASE("a ring without loss passes all light, or shares it among its buses") {
  Ring ring = without_dispersion();
  ring.guide.loss_db_per_cm = 0;
  ring.drop.eta_rad = 0.5;
  for (int i = 0; i < 50; ++i) {
    const double at = 1545e-9 + 2e-10 * i;
    CHECK(std::norm(all_pass_ring(ring, at)) == Approx(1).epsilon(1e-12));
    const Matrix2 t = add_drop_ring(ring, at);
    CHECK((t.adjoint() * t - Matrix2::Identity()).norm() < 1e-12);
  }
}

TEST_CASE("heat moves a ring's resonance by lambda (dn/dT) / n_g") {
  const Ring ring = without_dispersion();
  const double cold = resonance_m(ring, 1550e-9);
  const double slope = cold * ring.guide.index_slope_per_k / group_index(ring.guide.index, cold);
  CHECK(slope == Approx(66e-12).epsilon(0.02));  // 66 pm per kelvin
  const double moved = cold + slope * 5;
  CHECK(std::norm(all_pass_ring(ring, moved, 5)) == Approx(std::norm(all_pass_ring(ring, cold))).epsilon(1e-2));
}

TEST_CASE("rings that cannot be are refused") {
  Ring ring = without_dispersion();
  ring.guide.loss_db_per_cm = 0;
  CHECK_THAT(refusal([&] { critical_coupling_rad(ring.guide); }), ContainsSubstring("without loss"));
  ring.bus.eta_rad = 0;
  ring.guide.length_m = 0;
  CHECK_THAT(refusal([&] { all_pass_ring(ring, 1550e-9); }), ContainsSubstring("loses no light"));
  CHECK_THAT(refusal([&] { free_spectral_range_m(ring, 1550e-9); }), ContainsSubstring("circumference 0"));
  ring.guide.length_m = -1;
  CHECK_THAT(refusal([&] { all_pass_ring(ring, 1550e-9); }), ContainsSubstring("length_m"));
}
