// Low-pass filters, what they pass of noise, and the intersymbol interference they cause.

#include "physics/devices/lowpass.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <tuple>

#include "tests/support/catch.hpp"
#include "tests/support/meshes.hpp"
#include "tests/support/refusal.hpp"

using namespace optinc;
using namespace optinc::testing;

namespace {

constexpr double tau = 6.283185307179586;
const Lowpass one_pole{LowpassShape::one_pole, 30e9};
const Lowpass bessel{LowpassShape::bessel_thomson_4, 30e9};
const std::array two_poles{Lowpass{LowpassShape::one_pole, 40e9},
                           Lowpass{LowpassShape::bessel_thomson_4, 32e9}};
const std::array<Lowpass, 4> four{
    two_poles[0], two_poles[1], {LowpassShape::one_pole, 43e9}, {LowpassShape::bessel_thomson_4, 20e9}};

/// D of a modulator (one pole) before a Bessel-Thomson receiver: their differential equations, typed here, by
/// fourth-order Runge-Kutta with 512 steps a symbol, and the best of 512 sampling instants.
double slow_distortion(double modulator_hz, double receiver_hz, double rate_bd) {
  constexpr std::size_t steps = 512, symbols = 24;
  const double dt = 1 / (rate_bd * steps), w = tau * receiver_hz / 2.11391767490422;
  using State = std::array<double, 5>;  // modulator; receiver and its first three derivatives, times w^-n
  const auto slope = [&](const State& x, double drive) {
    return State{tau * modulator_hz * (drive - x[0]), w * x[2], w * x[3], w * x[4],
                 w * (105 * (x[0] - x[1]) - 105 * x[2] - 45 * x[3] - 10 * x[4])};
  };
  const auto moved = [](State x, const State& by, double factor) {
    for (std::size_t i = 0; i < x.size(); ++i) x[i] += factor * by[i];
    return x;
  };
  State x{};
  std::array<double, steps> sum{}, peak{};
  for (std::size_t n = 0; n < steps * symbols; ++n) {
    const double drive = n < steps ? 1 : 0;
    const State a = slope(x, drive), b = slope(moved(x, a, dt / 2), drive);
    const State c = slope(moved(x, b, dt / 2), drive), d = slope(moved(x, c, dt), drive);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] += dt / 6 * (a[i] + 2 * b[i] + 2 * c[i] + d[i]);
    sum[n % steps] += std::abs(x[1]);
    peak[n % steps] = std::max(peak[n % steps], x[1]);
  }
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < steps; ++i) least = std::min(least, (sum[i] - peak[i]) / peak[i]);
  return least;
}

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

// One pole in closed form; the reference filter against sums of its impulse response with itself
TEST_CASE("low-pass: correlation of noise from instant to instant") {
  for (const double lag_s : {0.0, 3e-12, 25e-12}) {
    CHECK(noise_correlation(std::span(&one_pole, 1), lag_s) == Approx(std::exp(-tau * 30e9 * lag_s)));
    constexpr double dt = 0.05e-12;
    const auto h = impulse_response_per_s(std::span(&bessel, 1), dt, 4000);
    const auto lag = static_cast<std::size_t>(std::lround(lag_s / dt));
    double product = 0.0, energy = 0.0;
    for (std::size_t k = 0; k + lag < h.size(); ++k) product += h[k] * h[k + lag], energy += h[k] * h[k];
    CHECK(noise_correlation(std::span(&bessel, 1), lag_s) == Approx(product / energy).margin(1e-4));
  }
}

// Of means over a window, by a sum over the window; the integral of the step response by one over time. Fails
// when the triangle is one of half the width, or the integral begins elsewhere than at 0
TEST_CASE("low-pass: integrals of the step response and of the noise's correlation") {
  constexpr int parts = 2000;
  for (const Lowpass& filter : {one_pole, bessel}) {
    const std::span of(&filter, 1);
    for (const double window_s : {5e-12, 40e-12})
      for (const double lag_s : {0.0, 5e-12, 12e-12, 40e-12}) {
        double mean = 0.0, area_s = 0.0;
        const double du = 2 * window_s / parts, dt = lag_s / parts;
        for (int k = 0; k < parts; ++k) {
          const double u = -window_s + (k + 0.5) * du;
          mean += (1 - std::abs(u) / window_s) * noise_correlation(of, lag_s + u) * du / window_s;
          const double t = (k + 0.5) * dt;
          area_s += step_response(of, std::span(&t, 1))[0] * dt;
        }
        CHECK(averaged_noise_correlation(of, lag_s, window_s) == Approx(mean).margin(1e-5));
        CHECK(step_response(of, std::span(&lag_s, 1), -1)[0] == Approx(area_s).epsilon(1e-5));
      }
  }
  check_message(refusal([] { averaged_noise_correlation(std::span(&one_pole, 1), 0.0, 0.0); }), {"window_s"});
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

// More signals than fill a register. Fails when what enters at the last filter passes the first as well, when a
// signal meets another's state, or when answers come a step too early
TEST_CASE("cascade: signals that enter at the last filter, answers that come early, and float32") {
  using Plane = FieldBatch::Plane;
  Stream s = test_stream(703);
  Plane held(19, 40), at_last(19, 40);
  for (Plane* drawn : {&held, &at_last}) s.normals(std::span(drawn->data(), 19 * 40));
  const double step_s = 2e-12;
  const Plane whole = filter_held<double>(two_poles, step_s, held),
              last = filter_held<double>(std::span(two_poles).last(1), step_s, at_last);
  for (int p = 0; p < 19; ++p) {
    const Eigen::VectorXd row = held.row(p);
    const auto alone = filter_held(two_poles, step_s, std::span(row.data(), 40));
    for (int k = 0; k < 40; ++k) CHECK(whole(p, k) == Approx(alone[static_cast<std::size_t>(k)]).margin(1e-14));
  }
  const Plane both = filter_held<double>(two_poles, step_s, held, at_last, 3);
  CHECK((both.leftCols(37) - (whole + last).rightCols(37)).cwiseAbs().maxCoeff() < 1e-12);
  CHECK(both.rightCols(3).isZero(0));
  const auto in_float = filter_held<float>(two_poles, step_s, held.cast<float>(), at_last.cast<float>(), 3);
  CHECK((both - in_float.cast<double>()).cwiseAbs().maxCoeff() < 1e-5);
  check_message(refusal([&] { filter_held<double>(two_poles, step_s, held, at_last.leftCols(39)); }),
                {"(19, 39)", "(19, 40)"});
  check_message(refusal([&] { filter_held<double>(two_poles, step_s, held, {}, 41); }), {"41 of 40 steps"});
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

// Fails when a residue of one filter is not multiplied by the response of the others, or by that of one other
TEST_CASE("cascade: its response is the product of its filters' responses") {
  for (double f = 0; f < 200e9; f += 1.7e9) {
    CAPTURE(f);
    Complex product = 1;
    for (const Lowpass& filter : four) product *= lowpass_response(filter, f);
    CHECK(std::abs(lowpass_response(four, f) - product) < 1e-12);
    CHECK(std::abs(lowpass_response(two_poles, f) -
                   lowpass_response(two_poles[0], f) * lowpass_response(two_poles[1], f)) < 1e-13);
  }
  double delay_s = 0;
  for (const Lowpass& filter : four) delay_s += lowpass_delay_s(filter);
  CHECK(lowpass_delay_s(four) == Approx(delay_s).epsilon(1e-12));
}

// Two poles a, b: (pi/2) a b/(a + b). Otherwise the midpoint rule over f = 40 GHz tan u. Fails when the
// cascade's noise bandwidth is the narrowest filter's, or when poles of different filters are not paired
TEST_CASE("cascade: noise bandwidth") {
  const std::array poles{Lowpass{LowpassShape::one_pole, 40e9}, Lowpass{LowpassShape::one_pole, 10e9}};
  CHECK(noise_bandwidth_hz(poles) == Approx(1.5707963267948966 * 8e9).epsilon(1e-12));
  double sum = 0;
  constexpr int n = 20000;
  for (int k = 0; k < n; ++k) {
    const double u = (k + 0.5) / n * tau / 4, f = 40e9 * std::tan(u);
    sum += std::norm(lowpass_response(two_poles[0], f) * lowpass_response(two_poles[1], f)) * 40e9 /
           (std::cos(u) * std::cos(u)) * (tau / 4 / n);
  }
  CHECK(noise_bandwidth_hz(two_poles) == Approx(sum).epsilon(1e-9));
}

// The second filter is given the mean of the first one's output over each step, to second order in the step.
// Fails when the answer after the symbol is a step's, or is that of one filter; when impulse response, held
// response and symbol response belong to different filters
TEST_CASE("cascade: a signal through one filter, then through the other") {
  const double rate_bd = 50e9, step_s = 1 / (2000 * rate_bd);
  std::vector<double> held(2000 * 8, 0.0);
  std::fill_n(held.begin(), 2000, 1.0);
  auto between = filter_held(two_poles[0], step_s, held);
  for (std::size_t k = between.size(); --k > 0;) between[k] = (between[k] + between[k - 1]) / 2;
  between[0] /= 2;
  const auto out = filter_held(two_poles[1], step_s, between);
  const auto at_once = filter_held(two_poles, step_s, held);
  for (std::size_t k = 0; k < out.size(); k += 97) CHECK(at_once[k] == Approx(out[k]).margin(1e-6));

  const auto impulse = impulse_response_per_s(two_poles, step_s, 2000);
  for (std::size_t k = 2; k < impulse.size(); k += 97)  // the slope of the step response
    CHECK(impulse[k] / rate_bd == Approx((out[k] - out[k - 2]) / 2 * 2000).margin(1e-2));

  const SymbolResponse r = symbol_response(two_poles, rate_bd);
  const auto sample = [&](double t) {  // between two steps
    const double k = t / step_s - 1;
    const auto i = static_cast<std::size_t>(k);
    return out[i] + (k - std::floor(k)) * (out[i + 1] - out[i]);
  };
  CHECK(r.main == Approx(sample(r.delay_s)).margin(1e-6));
  for (std::size_t k = 0; k < r.before.size(); ++k)
    CHECK(r.before[k] == Approx(sample(r.delay_s - static_cast<double>(k + 1) / rate_bd)).margin(1e-6));
  for (std::size_t k = 0; k < 5; ++k)
    CHECK(r.after[k] == Approx(sample(r.delay_s + static_cast<double>(k + 1) / rate_bd)).margin(1e-6));
}

// Fails when the instant is not refined between the coarse ones, when the coarse search ends before the symbol
// does, or when a receiver that overshoots is sampled at its peak (D = 0.009 at 10 GBd)
TEST_CASE("intersymbol interference: the sampling instant is that of least distortion") {
  for (double rate_bd = 25e9; rate_bd < 100e9; rate_bd += 5e9) {
    CAPTURE(rate_bd);
    const double fine = peak_distortion(symbol_response(two_poles, rate_bd, 4096));
    CHECK(peak_distortion(symbol_response(two_poles, rate_bd)) == Approx(fine).epsilon(1e-6));
    CHECK(peak_distortion(symbol_response(two_poles, rate_bd, 8)) == Approx(fine).epsilon(1e-6));
  }
  CHECK(peak_distortion(symbol_response(bessel, 10e9)) < 1e-4);
}

// D = (1 - opening)/(M - 1), q/(1 - q) = D, q = e^(-2 pi f/R). Fails when levels are counted for eyes
TEST_CASE("symbol rate limit: one pole in closed form") {
  for (const int levels : {2, 4, 13, 64})
    for (const double opening : {0.0, 0.5, 0.9}) {
      CAPTURE(levels, opening);
      const double d = (1 - opening) / (levels - 1);
      const double limit_bd = symbol_rate_limit_bd(std::span(&two_poles[0], 1), levels, opening);
      CHECK(limit_bd == Approx(tau * 40e9 / std::log1p(1 / d)).epsilon(1e-7));
    }
}

// 45.772 GBd, and D = 0.064836 at 50 GBd, also by NumPy from the roots of the polynomial and 4000 instants a
// symbol. Fails when D of the two_poles is put together from those of its filters, (1 + D_1)(1 + D_2) - 1,
// which allows 59 GBd; or when the instant is one of 32
TEST_CASE("symbol rate limit: a two_poles against its differential equations") {
  CHECK(peak_distortion(symbol_response(two_poles, 50e9)) == Approx(0.0648358).epsilon(1e-5));
  CHECK(symbol_rate_limit_bd(two_poles, 13) == Approx(45.7717e9).epsilon(1e-5));
  for (const auto& [modulator_hz, receiver_hz, levels, opening] :
       {std::tuple{40e9, 32e9, 13, 0.5}, {100e9, 60e9, 4, 0.5}, {20e9, 60e9, 4, 0.0}, {30e9, 1e9, 13, 0.8}}) {
    CAPTURE(modulator_hz, receiver_hz, levels, opening);
    double least = 0.1 * receiver_hz, most = 10 * receiver_hz;
    while (most / least > 1 + 1e-5) {
      const double middle = std::sqrt(least * most);
      const bool open = 1 - (levels - 1) * slow_distortion(modulator_hz, receiver_hz, middle) > opening;
      (open ? least : most) = middle;
    }
    const std::array cascade{Lowpass{LowpassShape::one_pole, modulator_hz},
                             Lowpass{LowpassShape::bessel_thomson_4, receiver_hz}};
    CHECK(symbol_rate_limit_bd(cascade, levels, opening) == Approx(least).epsilon(1e-4));
  }
}

// Fails when a bandwidth is not scaled, when one filter's limit stands for all, or when the search depends on
// where it starts or on the order
TEST_CASE("symbol rate limit: scales with the bandwidths, falls with every filter and level") {
  const double limit_bd = symbol_rate_limit_bd(two_poles, 13);
  for (const double k : {1e-6, 0.1, 3.0, 1e3}) {
    auto scaled = two_poles;
    for (Lowpass& filter : scaled) filter.bandwidth_hz *= k;
    CHECK(symbol_rate_limit_bd(scaled, 13) == Approx(k * limit_bd).epsilon(1e-7));
  }
  for (const Lowpass& filter : two_poles) CHECK(limit_bd < symbol_rate_limit_bd(std::span(&filter, 1), 13));
  CHECK(symbol_rate_limit_bd(four, 13) < limit_bd);
  CHECK(symbol_rate_limit_bd(std::array{two_poles[1], two_poles[0]}, 13) == Approx(limit_bd).epsilon(1e-8));
  CHECK(symbol_rate_limit_bd(two_poles, 14) < limit_bd);
  CHECK(symbol_rate_limit_bd(two_poles, 13, 0.6) < limit_bd);
}

TEST_CASE("low-pass: impossible ones are refused") {
  check_message(refusal([] { noise_bandwidth_hz({LowpassShape::one_pole, 0}); }), {"bandwidth_hz = 0"});
  check_message(refusal([] { symbol_response(Lowpass{}, 50e9, 7); }), {"samples_per_symbol = 7"});
  check_message(refusal([] { symbol_response(Lowpass{}, 50e9, 8, 1); }), {"symbols = 1"});
  check_message(refusal([] { symbol_response(Lowpass{}, 0); }), {"symbol_rate_bd"});
  check_message(refusal([] { impulse_response_per_s(Lowpass{}, -1, 4); }), {"step_s"});

  const auto limit = [](std::vector<Lowpass> cascade, int levels, double opening) {
    return refusal([&] { symbol_rate_limit_bd(cascade, levels, opening); });
  };
  check_message(limit({bessel}, 1, 0.5), {"levels = 1"});
  check_message(limit({bessel}, 13, 1), {"eye_opening = 1"});
  check_message(limit({bessel}, 13, -0.1), {"eye_opening = -0.1"});
  check_message(limit({bessel}, 13, std::nan("")), {"eye_opening = nan"});
  check_message(limit({bessel}, 502, 0.5), {"levels = 502", "eye_opening = 0.5", "0.000998"});
  CHECK(limit({bessel}, 501, 0.5).empty());
  check_message(limit({}, 13, 0.5), {"0 filters"});
  check_message(limit({bessel, {LowpassShape::one_pole, 0}}, 13, 0.5), {"bandwidth_hz = 0"});
  check_message(limit({bessel, one_pole, bessel}, 13, 0.5), {"bandwidth_hz = 30000000000", "0.1 % larger"});
  CHECK(limit({one_pole, {LowpassShape::one_pole, 30.03e9}}, 13, 0.5).empty());
  CHECK(limit({one_pole, bessel}, 13, 0.5).empty());
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
