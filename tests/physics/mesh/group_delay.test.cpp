#include "physics/mesh/group_delay.hpp"

#include "physics/core/units.hpp"
#include "physics/devices/coupler.hpp"
#include "physics/devices/waveguide.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/refusal.hpp"

using namespace optinc;
using Catch::Matchers::WithinAbs;
using Catch::Matchers::WithinRel;

namespace {

constexpr double wavelength_m = 1550e-9, delay_s_per_m = 4.1978005 / 299792458.0;  // n_g / c of the strip

/// Two guides side by side, the upper between couplers or not.
Matrix2 guides(double upper_m, double lower_m, double upper_loss_db_per_cm, bool coupled, double at_m) {
  Waveguide upper = soi_strip_500x220(upper_m), lower = soi_strip_500x220(lower_m);
  upper.loss_db_per_cm = upper_loss_db_per_cm;
  lower.loss_db_per_cm = 0.0;
  Matrix2 arms = Matrix2::Zero();
  arms(0, 0) = waveguide_field(upper, at_m);
  arms(1, 1) = waveguide_field(lower, at_m);
  return coupled ? Matrix2(coupler(constants::pi / 4) * arms * coupler(constants::pi / 4)) : arms;
}

PathDelays delays(double upper_m, double lower_m, double upper_loss_db_per_cm = 0.0, bool coupled = true,
                  double step_m = 1e-13, double common_s = 0.0) {
  const auto at = [&](double from_m) {
    return guides(upper_m, lower_m, upper_loss_db_per_cm, coupled, wavelength_m + from_m);
  };
  return path_delays(at(0.0), at(-step_m), at(step_m), wavelength_m, step_m, common_s);
}

}  // namespace

// n_g L / c of a guide, of every path. Fails when the sign is that of fields exp(-i phi), or the slope is by
// lambda
TEST_CASE("guides of one length delay every path by n_g L / c") {
  const PathDelays alike = delays(1e-3, 1e-3);
  CHECK_THAT(alike.mean_s, WithinRel(1e-3 * delay_s_per_m, 1e-6));
  CHECK_THAT(alike.delay_s(0, 1), WithinRel(1e-3 * delay_s_per_m, 1e-6));
  CHECK(std::isnan(delays(1e-3, 2e-3, 0.0, false).delay_s(0, 1)));  // no light
  CHECK_THAT(delays(1e-3, 1e-3, 0.0, true, 1e-13, 5e-12).mean_s, WithinRel(5e-12 + 1e-3 * delay_s_per_m, 1e-6));
}

// An interferometer of couplers of a half has T_ij = e^{i (k1 + k2) / 2} times a real number or i: half the sum
// of its arms on every path, whatever their difference. Fails when a path's delay is taken from amplitudes, too
TEST_CASE("an interferometer delays every path by the mean of its arms") {
  const PathDelays paths = delays(100e-6, 130e-6);
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j) CHECK_THAT(paths.delay_s(i, j), WithinRel(115e-6 * delay_s_per_m, 1e-5));
  CHECK_THAT(paths.mean_s, WithinRel(115e-6 * delay_s_per_m, 1e-5));
  CHECK(paths.spread_s < 1e-5 * paths.mean_s);
}

// Guides of 1 and 2 mm, the first with 10 log10(2) dB: the weighted mean is 5/3 mm, the spread sqrt(2) / 3 mm.
// Fails when paths are weighted by amplitude or equally
TEST_CASE("mean and spread of delays are weighted by power") {
  const PathDelays alike = delays(1e-3, 2e-3, 0.0, false);
  CHECK_THAT(alike.mean_s, WithinRel(1.5e-3 * delay_s_per_m, 1e-5));
  CHECK_THAT(alike.spread_s, WithinRel(0.5e-3 * delay_s_per_m, 1e-5));
  const PathDelays lossy = delays(1e-3, 2e-3, 10 * 10 * std::log10(2.0), false);
  CHECK_THAT(lossy.mean_s, WithinRel(5.0 / 3 * 1e-3 * delay_s_per_m, 1e-5));
  CHECK_THAT(lossy.spread_s, WithinRel(std::sqrt(2.0) / 3 * 1e-3 * delay_s_per_m, 1e-5));
}

// Fails when a step goes in once as a difference and once as half of one
TEST_CASE("a group delay does not depend on the step of its difference") {
  const PathDelays one = delays(300e-6, 340e-6, 20.0), other = delays(300e-6, 340e-6, 20.0, true, 1e-12);
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j) CHECK_THAT(one.delay_s(i, j), WithinRel(other.delay_s(i, j), 1e-5));
}

TEST_CASE("delays of matrices of two shapes, or without a step, are refused") {
  const Matrix two = Matrix::Identity(2, 2), three = Matrix::Identity(3, 3);
  CHECK_THAT(refusal([&] { path_delays(two, three, two, wavelength_m, 1e-12, 0.0); }),
             ContainsSubstring("3 x 3 beside one of 2 x 2"));
  CHECK_THAT(refusal([&] { path_delays(two, two, two, wavelength_m, 0.0, 0.0); }), ContainsSubstring("step_m"));
}
