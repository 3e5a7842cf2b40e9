#include "physics/devices/ring.hpp"

#include <cmath>

#include "physics/core/units.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/refusal.hpp"

using namespace optinc;

namespace {

Ring without_dispersion() {
  Ring ring;
  ring.bus.eta_relative_slope_per_m = ring.drop.eta_relative_slope_per_m = 0;
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

// Coupled modes in closed form near a resonance: a bus through an add-drop ring passes
// |1 - G_e u/(u^2 + s^2/4)|^2 and drops |G_e u/(u^2 + s^2/4)|^2, u = G/2 + i d, and |G_e (s/2)/(u^2 + s^2/4)|^2
// goes back out of each input. G_e = FSR eta^2/(2 pi) per bus, G = 2 G_e + G_i, G_i = FSR loss/(2 pi).
// Fails when psi is that of half a turn, or backscatter goes the wrong way.
TEST_CASE("backscatter splits resonances, and what it returns is missing in front") {
  Ring ring = without_dispersion();
  ring.bus.eta_rad = ring.drop.eta_rad = 0.05;
  ring.guide.loss_db_per_cm = 3;
  const double at = resonance_m(ring, 1550e-9), fsr = free_spectral_range_m(ring, at);
  const double g_e = fsr * 0.05 * 0.05 / (2 * constants::pi),
               g_i = fsr * 3 * 0.628e-2 * std::log(10) / 10 / (2 * constants::pi);
  ring.splitting_m = 20e-12;
  double deepest = 1;
  int turning = 0;
  double before = 0, slope_before = 0;
  for (double d = -60e-12; d < 60e-12; d += 1e-12) {
    const RingFields fields = add_drop_fields(ring, at + d);
    const Complex u = (2 * g_e + g_i) / 2 + Complex(0, d), both = u * u + 1e-22;
    CHECK(std::norm(fields.forward(0, 0)) == Approx(std::norm(1.0 - g_e * u / both)).margin(5e-3));
    CHECK(std::norm(fields.forward(1, 0)) == Approx(std::norm(g_e * u / both)).margin(5e-3));
    for (const int out : {0, 1})
      CHECK(std::norm(fields.back(out, 0)) == Approx(std::norm(g_e * 1e-11 / both)).margin(5e-3));
    const double power = std::norm(fields.forward(0, 0)), slope = power - before;
    deepest = std::min(deepest, power);
    turning += slope_before < 0 && slope > 0;
    before = power, slope_before = slope;
  }
  CHECK(turning == 2);  // two dips, splitting beyond the linewidth of 2 x 3.6 + 1.6 pm
  CHECK(deepest > 0.1);
  CHECK(all_pass_fields(ring, at).back.norm() > 0.1);
  ring.splitting_m = 0;
  CHECK(add_drop_fields(ring, at).back.norm() == 0);
  CHECK_THAT(refusal([&] {
               ring.splitting_m = -1e-12;
               add_drop_ring(ring, at);
             }),
             ContainsSubstring("splitting_m"));
}

TEST_CASE("backscatter keeps the energy: S of a lossless ring is unitary at any wavelength and splitting") {
  Ring ring = without_dispersion();
  ring.guide.loss_db_per_cm = 0;
  ring.drop.eta_rad = 0.1;
  for (const double splitting : {5e-12, 100e-12, 3e-9})
    for (int i = 0; i < 20; ++i) {
      ring.splitting_m = splitting;
      const double at = 1545e-9 + 5e-10 * i;
      const RingFields one = all_pass_fields(ring, at), two = add_drop_fields(ring, at);
      CHECK(one.forward.squaredNorm() + one.back.squaredNorm() == Approx(1).epsilon(1e-12));
      Matrix s(4, 4);
      s << two.back, two.forward.transpose(), two.forward, two.back;
      CHECK((s.adjoint() * s - Matrix::Identity(4, 4)).norm() < 1e-12);
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
