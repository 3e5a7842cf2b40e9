// Real meshes behind homodyne receivers: errors of the wanted quadrature, ||Re(U_hw) - U||_F / sqrt(N), and of
// the whole matrix, for Haar-orthogonal U. With e^{i theta/2} taken along, a perfect MZI of a real program is
// real up to row phases and a splitter error is, to first order, imaginary against it (mzi_closed_form(): i S
// against C S+, i C against S S-). Hence:
//   uncorrected  U_hw = U + i K U + second order, K symmetric with <K^2> = m = E0^2 = 2 sigma^2 (N-1).
//   Unitarity makes
//                the wanted quadrature lose K^2/2 (semicircle: <(K^2/2)^2> = m^2/2), and the order of the
//                columns adds half the commutators, m^2/4: in phase sqrt(3)/2 E0^2 = sqrt(3) sigma^2 (N-1).
//   nearest      a clipped field r, uniform in [0, s], becomes s with its own phase: (s-r)^2, mean s^2/3, in
//   phase. quadrature   it becomes s turned by acos(r/s): s^2 - r^2, mean 2 s^2/3, out of phase: sqrt(2) of
//   nearest's E.
//                In phase stay the partner field's loss, (s^2-r^2)/2 on a share ~ sigma of the MZIs
//                (sigma^{5/2}), and products of two clips (sigma^3).

#include "tests/support/catch.hpp"
#include "tests/support/mesh_monte_carlo.hpp"

using namespace optinc;
using namespace optinc::testing;

namespace {

enum class Programming { uncorrected, nearest, quadrature };

/// rms over meshes of the error E and of its part in the wanted quadrature.
struct Errors {
  Sample all, in_phase;
};

Errors orthogonal_errors(Programming how, int n, double sigma, int meshes, std::uint64_t seed) {
  std::vector<double> in_phase(static_cast<std::size_t>(meshes));
  const auto all = measure(meshes, [&](std::uint32_t m) {
    const Matrix u = haar_target(Target::orthogonal, n, seed, m);
    const Clipping clipping = how == Programming::nearest ? Clipping::nearest : Clipping::quadrature;
    const Matrix hardware = how == Programming::uncorrected
                                ? uncorrected_mesh(u, sigma, {seed, 0, m})
                                : corrected_mesh(u, sigma, {seed, 0, m}, clipping).matrix;
    in_phase[m] = (hardware.real() - u.real()).norm() / std::sqrt(n);
    return frobenius_error(hardware, u);
  });
  return {summarise(all), summarise(in_phase)};
}

/// Slope of log(in-phase error) over two octaves of sigma, on the same targets and the same draws scaled.
double in_phase_slope(Programming how, int n, double sigma, int meshes, std::uint64_t seed) {
  return std::log(orthogonal_errors(how, n, 4 * sigma, meshes, seed).in_phase.rms /
                  orthogonal_errors(how, n, sigma, meshes, seed).in_phase.rms) /
         std::log(4.0);
}

}  // namespace

// R = 1500 (N = 16), 400 (N = 32): the same meshes in both, so the ratio's 5 standard errors are below 3 %, the
// tolerance. Fails when the clipped field is not turned (ratio 1), or turned twice as far
TEST_CASE("MC: quadrature clipping has sqrt(2) times the Frobenius error of nearest clipping") {
  const std::uint64_t seed = 1300;
  for (const auto& [n, meshes] : {std::pair{16, 1500}, {32, 400}}) {
    const double nearest = orthogonal_errors(Programming::nearest, n, 0.01, meshes, seed).all.rms;
    const double quadrature = orthogonal_errors(Programming::quadrature, n, 0.01, meshes, seed).all.rms;
    CAPTURE(seed, n, meshes, nearest, quadrature);
    CHECK(quadrature / nearest == Approx(std::sqrt(2.0)).epsilon(0.03));
  }
}

// R = 800: in-phase rms on common draws; 5 standard errors of a slope below 0.05 (heavier tails of quadrature:
// 0.1). Fails when a clipped field is not
// turned or turned twice as far, or when cross_counts and bar_counts change places
TEST_CASE(
    "MC: in phase, nearest clipping errs as sigma^1.5, no correction as sigma^2, quadrature as sigma^2.5") {
  const std::uint64_t seed = 1301;
  for (const auto& [n, meshes] : {std::pair{16, 800}, {32, 200}}) {
    const double nearest = in_phase_slope(Programming::nearest, n, 0.005, meshes, seed);
    const double uncorrected = in_phase_slope(Programming::uncorrected, n, 0.005, meshes, seed);
    const double quadrature = in_phase_slope(Programming::quadrature, n, 0.005, meshes, seed);
    CAPTURE(seed, n, meshes, nearest, uncorrected, quadrature);
    CHECK(nearest == Approx(1.5).margin(0.05));
    CHECK(uncorrected == Approx(2.0).margin(0.05));
    CHECK(quadrature > 2.4);
    CHECK(quadrature < 3.1);
  }
}

// fails when nearest clipping lets a clipped field turn
TEST_CASE("MC: nearest clipping puts all of its error into the wanted quadrature") {
  // R = 200; the imaginary part is of second order: less than a tenth of E at sigma = .02
  const Errors e = orthogonal_errors(Programming::nearest, 16, 0.02, 200, 1302);
  CAPTURE(e.all.rms, e.in_phase.rms);
  CHECK(e.in_phase.rms > 0.995 * e.all.rms);
}
