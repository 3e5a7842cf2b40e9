// Low-pass filters, what they pass of noise, and the intersymbol interference they cause.

#include "physics/devices/lowpass.hpp"

#include <algorithm>
#include <cmath>

#include "tests/support/catch.hpp"
#include "tests/support/meshes.hpp"
#include "tests/support/refusal.hpp"

using namespace optinc;
using namespace optinc::testing;

namespace {

constexpr double tau = 6.283185307179586;
const Lowpass one_pole{LowpassShape::one_pole, 30e9};
const Lowpass bessel{LowpassShape::bessel_thomson_4, 30e9};

}  // namespace

// Fails when a root or a residue is off; the polynomial of the reference filter typed here
TEST_CASE("low-pass: responses are the rational functions of the literature") {
  for (double f = 0; f < 200e9; f += 7e9) {
    CAPTURE(f);
    CHECK(std::abs(lowpass_response(one_pole, f) - 1.0 / Complex(1, f / 30e9)) < 1e-14);
    const Complex y(0, 2.11391767490422 * f / 30e9);
    const Complex expected = 105.0 / (105.0 + y * (105.0 + y * (45.0 + y * (10.0 + y))));
    CHECK(std::abs(lowpass_response(bessel, f) - expected) < 1e-12);
  }
  for (const Lowpass& filter : {one_pole, bessel}) {
    CHECK(std::norm(lowpass_response(filter, 0)) == Approx(1).epsilon(1e-13));
    CHECK(std::norm(lowpass_response(filter, 30e9)) == Approx(0.5).epsilon(1e-12));
  }
}

// Fails when the noise bandwidth is two-sided. 1.04637 by trapezoids over |H|^2 (4 million points, elsewhere).
TEST_CASE("low-pass: noise bandwidths pi/2 and 1.0464 of the 3 dB bandwidth") {
  CHECK(noise_bandwidth_hz(one_pole) == Approx(1.5707963267948966 * 30e9).epsilon(1e-12));
  CHECK(noise_bandwidth_hz(bessel) == Approx(1.0463688869863785 * 30e9).epsilon(1e-9));
}

// Fails when 2 pi is missing in the poles
TEST_CASE("low-pass: impulse response, unit area, one pole e^(-t)") {
  const double dt = 1e-13;
  const auto h1 = impulse_response_per_s(one_pole, dt, 4);
  for (std::size_t k = 0; k < 4; ++k)
    CHECK(h1[k] == Approx(tau * 30e9 * std::exp(-tau * 30e9 * 1e-13 * static_cast<double>(k))).epsilon(1e-12));
  const auto h4 = impulse_response_per_s(bessel, dt, 4000);
  CHECK(std::abs(h4[0]) < 1e-10 * *std::max_element(h4.begin(), h4.end()));  // fourth order starts from rest
  double area = 0;
  for (const double h : h4) area += h * dt;
  CHECK(area == Approx(1).epsilon(1e-6));
}

// Fails when the recursion holds the previous sample instead of the present one
TEST_CASE("low-pass: a held step, and cutting the steps finer changes nothing") {
  const std::vector<double> ones(40, 1.0);
  const auto out = filter_held(one_pole, 1e-12, ones);
  for (std::size_t k = 0; k < 40; ++k)
    CHECK(out[k] == Approx(-std::expm1(-tau * 0.03 * static_cast<double>(k + 1))).epsilon(1e-12));
  Stream s = test_stream(700);
  std::vector<double> coarse(30), fine;
  s.normals(coarse);
  for (const double x : coarse) fine.insert(fine.end(), 5, x);
  for (const Lowpass& filter : {one_pole, bessel}) {
    const auto a = filter_held(filter, 5e-12, coarse), b = filter_held(filter, 1e-12, fine);
    for (std::size_t k = 0; k < coarse.size(); ++k) CHECK(a[k] == Approx(b[5 * k + 4]).margin(1e-12));
  }
}

// Fails when the noise bandwidth and the filter do not belong together
TEST_CASE("MC: low-pass: white noise comes out with variance S x noise bandwidth, 400000 samples") {
  const std::uint64_t seed = 701;
  CAPTURE(seed);
  constexpr std::size_t n = 400000;
  const double dt = 1e-13, density = 1e-20;  // 60 samples in the filter's 1/(2 pi f): white enough
  std::vector<double> noise(n);
  Stream s = test_stream(seed);
  s.normals(noise);
  for (double& x : noise) x *= std::sqrt(density / (2 * dt));  // one-sided density over 1/(2 dt)
  for (const auto& [filter, factor] : {std::pair{one_pole, 1.5707963267948966}, {bessel, 1.0463688869863785}}) {
    double m2 = 0;
    for (const double x : filter_held(filter, dt, noise)) m2 += x * x / n;
    // about n dt 2 B independent samples, of which the variance is known to sqrt(2/that)
    const double tolerance = 5 * std::sqrt(2.0 / (n * dt * 2 * factor * 30e9)) + 0.01;  // 0.01: dt/tau
    CAPTURE(factor, tolerance);
    CHECK(m2 / (density * factor * 30e9) == Approx(1).margin(tolerance));
  }
}

// Fails when samples are taken in the middle of the symbol, or the sum leaves a neighbour out. One pole:
// sampled at the symbol's end, h_k = q^k (1 - q), q = e^(-2 pi f T), so D = q/(1 - q).
TEST_CASE("intersymbol interference: one pole in closed form") {
  for (const double per_rate : {0.3, 0.5, 0.75}) {  // f_3dB/R_s
    CAPTURE(per_rate);
    const double q = std::exp(-tau * per_rate);
    const SymbolResponse r = symbol_response({LowpassShape::one_pole, per_rate * 50e9}, 50e9, 8, 64);
    CHECK(r.main == Approx(1 - q).epsilon(1e-12));
    CHECK(r.delay_s == Approx(20e-12).epsilon(1e-12));
    CHECK(r.before.empty());
    CHECK(r.after[2] == Approx(q * q * q * (1 - q)).epsilon(1e-10));
    CHECK(peak_distortion(r) == Approx(q / (1 - q)).epsilon(1e-10));
    CHECK(pam_eye_opening(peak_distortion(r)) == Approx(1 - 3 * q / (1 - q)).epsilon(1e-10));
  }
}

// Fails when precursors are dropped. The sum of all samples one symbol apart is the DC response, 1.
TEST_CASE("intersymbol interference: samples of a symbol add up to one, and less bandwidth is worse") {
  double last = 0;
  for (const double per_rate : {0.6, 0.5, 0.4, 0.3}) {  // above, the overshoot of 0.8 % rules
    CAPTURE(per_rate);
    const SymbolResponse r = symbol_response({LowpassShape::bessel_thomson_4, per_rate * 50e9}, 50e9);
    double sum = r.main;
    for (const double h : r.before) sum += h;
    for (const double h : r.after) sum += h;
    CHECK(sum == Approx(1).epsilon(1e-9));
    CHECK(!r.before.empty());
    CHECK(peak_distortion(r) > last);
    last = peak_distortion(r);
  }
}

TEST_CASE("low-pass: impossible ones are refused") {
  check_message(refusal([] { noise_bandwidth_hz({LowpassShape::one_pole, 0}); }), {"bandwidth_hz = 0"});
  check_message(refusal([] { symbol_response({}, 50e9, 7); }), {"samples_per_symbol = 7"});
  check_message(refusal([] { symbol_response({}, 50e9, 8, 1); }), {"symbols = 1"});
  check_message(refusal([] { symbol_response({}, 0); }), {"symbol_rate_bd"});
  check_message(refusal([] { impulse_response_per_s({}, -1, 4); }), {"step_s"});
  CHECK_NOTHROW(validate_lowpass({}));
}

// one pole 1/(2 pi f), Bessel-Thomson 2.1139/(2 pi f): 5.0 and 10.5 ps at 32 GHz; the slope of the phase at 1
// MHz. Fails when a residue is divided by its pole once
TEST_CASE("low-pass: group delay at zero frequency") {
  for (const auto& [shape, delay_s] :
       {std::pair{LowpassShape::one_pole, 1 / (tau * 32e9)},
        std::pair{LowpassShape::bessel_thomson_4, 2.1139176749 / (tau * 32e9)}}) {
    const Lowpass filter{shape, 32e9};
    CHECK(lowpass_delay_s(filter) == Approx(delay_s).epsilon(1e-9));
    CHECK(-std::arg(lowpass_response(filter, 1e6)) / (tau * 1e6) == Approx(delay_s).epsilon(1e-6));
  }
}
