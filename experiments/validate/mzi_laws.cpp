#include <algorithm>
#include <cmath>
#include <numbers>

#include "experiments/validate/laws.hpp"
#include "experiments/validate/measure.hpp"
#include "physics/devices/coupler.hpp"
#include "physics/devices/mzi.hpp"

// Expected: the elements of an imperfect MZI as products of sines and cosines (docs/guide/theory.md), typed
// here.

namespace optinc {
namespace {

constexpr double pi = std::numbers::pi;
constexpr double scan_beta = 0.03;

/// Random phases over 2 pi, splitter errors up to 0.3 rad.
struct RandomMzi {
  MziSettings settings;
  MziErrors errors;
};
RandomMzi draw_mzi(const LawTrial& trial) {
  Stream s = trial.stream(Purpose::splitter_error);
  const auto within = [&s](double low, double high) { return low + (high - low) * s.uniform(); };
  RandomMzi m;
  m.settings = {within(0, 2 * pi), within(0, 2 * pi)};
  m.errors.alpha = within(-0.3, 0.3);
  m.errors.beta = within(-0.3, 0.3);
  return m;
}

double largest_element(const Matrix2& m) { return m.cwiseAbs().maxCoeff<Eigen::PropagateNaN>(); }

/// Element by element from the half angles of sums and differences of the splitter errors.
Matrix2 expected_mzi(double theta, double phi, double alpha, double beta) {
  const Complex i(0, 1), external = std::exp(i * phi);
  const double bar_loss = std::sin(alpha + beta), bar_gain = std::cos(alpha - beta);
  const double cross_loss = std::sin(alpha - beta), cross_gain = std::cos(alpha + beta);
  const double s = std::sin(theta / 2), c = std::cos(theta / 2);
  Matrix2 t;
  t << external * Complex(-c * bar_loss, s * bar_gain), Complex(-s * cross_loss, c * cross_gain),
      external * Complex(s * cross_loss, c * cross_gain), Complex(-c * bar_loss, -s * bar_gain);
  return std::exp(i * (theta / 2)) * t;
}

/// Least and largest |T_00|^2 of mzi() over one turn of theta.
std::pair<double, double> scan_bar_power(double alpha, int steps) {
  MziErrors errors;
  errors.alpha = alpha;
  errors.beta = scan_beta;
  std::pair<double, double> range = {2, -1};
  for (int k = 0; k < steps; ++k) {
    const double power = std::norm(mzi({2 * pi * k / steps, 0.7}, errors)(0, 0));
    range = {std::min(range.first, power), std::max(range.second, power)};
  }
  return range;
}

}  // namespace

std::vector<Law> mzi_laws() {
  const auto square = [](double x) { return x * x; };
  const LawAxis alpha = {"alpha", "rad", "error of the first splitter"};
  const std::vector<LawPoint> scan = {{-0.05, 20000}, {0, 20000}, {0.02, 20000}, {0.05, 20000}};
  return {
      {.row = "1",
       .name = "MZI unitary",
       .kind = LawKind::conservation,
       .formula = "T^H T = 1",
       .quantity = "max |T^H T - 1|",
       .expected = constant(0),
       .absolute_tolerance = 1e-14,
       .measure = largest_of([](double, const LawTrial& trial) {
         const RandomMzi m = draw_mzi(trial);
         const Matrix2 t = mzi(m.settings, m.errors);
         return largest_element(t.adjoint() * t - Matrix2::Identity());
       }),
       .points = {{0, 1000}}},
      {.row = "1",
       .name = "MZI reciprocal",
       .kind = LawKind::conservation,
       .formula = "back to front, T^T: alpha and beta change places, phi moves to the end",
       .quantity = "max |T^T - T_back|",
       .expected = constant(0),
       .absolute_tolerance = 1e-14,
       .measure = largest_of([](double, const LawTrial& trial) {
         const RandomMzi m = draw_mzi(trial);
         MziErrors mirrored;
         mirrored.alpha = m.errors.beta;
         mirrored.beta = m.errors.alpha;
         Matrix2 back = mzi({m.settings.theta, 0.0}, mirrored);
         back.row(0) *= std::exp(Complex(0, m.settings.phi));
         return largest_element(mzi(m.settings, m.errors).transpose() - back);
       }),
       .points = {{0, 1000}}},
      {.row = "1",
       .name = "couplers in series",
       .kind = LawKind::exact,
       .formula = "DC(a) DC(b) = DC(a + b), DC(pi/4)^2 = i exchange",
       .quantity = "max |DC(a) DC(b) - DC(a + b)|",
       .expected = constant(0),
       .absolute_tolerance = 1e-14,
       .measure = largest_of([](double, const LawTrial& trial) {
         const RandomMzi m = draw_mzi(trial);
         const double a = m.settings.theta, b = m.settings.phi;
         Matrix2 sum, exchange;
         sum << std::cos(a + b), Complex(0, std::sin(a + b)), Complex(0, std::sin(a + b)), std::cos(a + b);
         exchange << 0, Complex(0, 1), Complex(0, 1), 0;
         return std::max(largest_element(coupler(a) * coupler(b) - sum),
                         largest_element(coupler(pi / 4) * coupler(pi / 4) - exchange));
       }),
       .points = {{0, 1000}}},
      {.row = "2",
       .name = "MZI product",
       .formula = "T_00 = e^{i(theta/2 + phi)} (i S cos(a-b) - C sin(a+b)), ..",
       .quantity = "max |T - closed form|",
       .expected = constant(0),
       .absolute_tolerance = 1e-14,
       .measure = largest_of([](double, const LawTrial& trial) {
         const RandomMzi m = draw_mzi(trial);
         return largest_element(mzi(m.settings, m.errors) -
                                expected_mzi(m.settings.theta, m.settings.phi, m.errors.alpha, m.errors.beta));
       }),
       .points = {{0, 1000}}},
      {.row = "3",
       .name = "MZI least bar power",
       .kind = LawKind::analytic,
       .formula = "sin^2(alpha + beta), beta = 0.03",
       .quantity = "least |T_00|^2 over theta",
       .expected = [=](double a) { return square(std::sin(a + scan_beta)); },
       .absolute_tolerance = 1e-6,
       .measure =
           [](double a, const Effort& e) {
             return Measured{scan_bar_power(a, e.trials).first, 0, {}};
           },
       .axis = alpha,
       .points = scan},
      {.row = "3",
       .name = "MZI largest bar power",
       .kind = LawKind::analytic,
       .formula = "cos^2(alpha - beta), beta = 0.03",
       .quantity = "largest |T_00|^2 over theta",
       .expected = [=](double a) { return square(std::cos(a - scan_beta)); },
       .absolute_tolerance = 1e-6,
       .measure =
           [](double a, const Effort& e) {
             return Measured{scan_bar_power(a, e.trials).second, 0, {}};
           },
       .axis = alpha,
       .points = scan},
  };
}

}  // namespace optinc
