#include "onn/margin/tail.hpp"

#include <cmath>
#include <numbers>

#include "onn/hardware/operating_values.hpp"

#include "tests/support/catch.hpp"

using namespace optinc;

namespace {

double tail(double x) { return std::erfc(x / std::numbers::sqrt2) / 2; }

/// Of one phase and Gaussian noise of rms 1, by the trapezoidal rule over the phase.
double integrated(double distance, double along, double bend) {
  constexpr double step = 1e-3, end = 14;
  double sum = 0.0;
  for (double z = -end; z <= end; z += step)
    sum += std::exp(-z * z / 2) * tail(distance - along * z + bend * (z * z - 1));
  return sum * step / std::sqrt(2 * std::numbers::pi);
}

}  // namespace

// By integration; the formula itself is good to 11 % for phases that move a level as much as noise does. Fails
// when a cumulant has another sign or factor: a Gaussian of the same variance is off by up to e^19 here
TEST_CASE("a tail with a phase is that of its integral") {
  for (const double distance : {-1.5, 0.5, 2.0, 4.0, 6.0})
    for (const double along : {0.0, 0.7})
      for (const double bend : {-0.9, -0.3, 0.0, 0.2, 0.8}) {
        CAPTURE(distance, along, bend);
        const double log_found = log_tail(distance, 1.0, {PhaseMove<double>{along * along, bend}});
        CHECK(log_found == Approx(std::log(integrated(distance, along, bend))).margin(0.11));
      }
}

// In closed form: without a bend all is Gaussian; phases of both signs that are alike cancel in the third
// cumulant
TEST_CASE("a tail without bends is a Gaussian's") {
  for (const double distance : {0.3, 4.0, 30.0})
    CHECK(log_tail(distance, 0.5, {PhaseMove<double>{0.25, 0.0}, PhaseMove<double>{0.25, 0.0}}) ==
          Approx(log_normal_tail(distance)).epsilon(1e-9));
  CHECK(log_tail(2.0, 4.0, std::vector<PhaseMove<double>>()) == log_normal_tail(1.0));
}

// Against difference quotients, of fourth order. Fails when the saddle keeps no derivative
TEST_CASE("derivatives of a tail are those of difference quotients") {
  const auto at = [](double x) {
    return log_tail(3.0 + x, 0.6 + 0.5 * x,
                    {PhaseMove<double>{0.3 - x, 0.2 + 2 * x}, PhaseMove<double>{0.1 + x, -0.25 - x}});
  };
  const OperatingTangent x = OperatingTangent::variable(0.0, 2);
  const OperatingTangent found = log_tail(
      OperatingTangent(3.0 + x), OperatingTangent(0.6 + 0.5 * x),
      {PhaseMove<OperatingTangent>{0.3 - x, 0.2 + 2.0 * x}, PhaseMove<OperatingTangent>{0.1 + x, -0.25 - x}});
  constexpr double d = 1e-3;
  CHECK(found.value == at(0));
  CHECK(found.slope[2] == Approx((at(-2 * d) - 8 * at(-d) + 8 * at(d) - at(2 * d)) / (12 * d)).epsilon(1e-6));
}
