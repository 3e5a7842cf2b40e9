// Random fields: the covariance asked for, from both samplers (row 22 of `optinc validate`), and what is
// refused.

#include "physics/variation/random_field.hpp"

#include <cmath>

#include "physics/core/units.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/meshes.hpp"
#include "tests/support/refusal.hpp"

using namespace optinc;
using namespace optinc::testing;

namespace {

double distance(const Sites& s, Eigen::Index i, Eigen::Index j) {
  return std::hypot(s.x_m[i] - s.x_m[j], s.y_m[i] - s.y_m[j]);
}

/// rho typed anew.
double rho(Kernel kernel, double d_over_l) {
  return kernel == Kernel::gaussian ? std::exp(-d_over_l * d_over_l) : std::exp(-d_over_l);
}

Sites lattice_sites(int columns, int rows, double step_x_m, double step_y_m) {
  Sites s{Vector(columns * rows), Vector(columns * rows)};
  for (int i = 0; i < columns * rows; ++i) {
    s.x_m[i] = step_x_m * (i / rows);
    s.y_m[i] = step_y_m * (i % rows);
  }
  return s;
}

Sites scattered_sites(int count, double extent_m, Stream& stream) {
  Sites s{Vector(count), Vector(count)};
  for (int i = 0; i < count; ++i) {
    s.x_m[i] = extent_m * stream.uniform();
    s.y_m[i] = extent_m * stream.uniform();
  }
  return s;
}

double worst_covariance(const Eigen::MatrixXd& covariance, const Sites& s, Kernel kernel, double l) {
  double worst = 0.0;
  for (Eigen::Index i = 0; i < s.count(); ++i)
    for (Eigen::Index j = 0; j < s.count(); ++j)
      worst = std::max(worst, std::abs(covariance(i, j) - rho(kernel, distance(s, i, j) / l)));
  return worst;
}

}  // namespace

// Exact, what draws have is row 22 of `optinc validate`. Fails when the jitter is larger than 1e-8
TEST_CASE("random field: the Cholesky factor times its transpose is the correlation matrix") {
  const double l = 4.5e-3;
  const Sites sites = lattice_sites(20, 20, 0.5e-3, 0.5e-3);
  for (const Kernel kernel : {Kernel::gaussian, Kernel::exponential}) {
    const RandomField field = factorise_field(sites, kernel, l);
    CAPTURE(field.jitter);
    CHECK(field.jitter <= 1e-8);
    CHECK((kernel == Kernel::gaussian || field.jitter == 0.0));
    CHECK(worst_covariance(field.cholesky * field.cholesky.transpose(), sites, kernel, l) < 2e-8);
  }
}

// Fourier sum of the amplitudes squared at single lags, by hand. Fails when clipping is let through at 1 %,
// when amplitude is stored transposed, or when the period is not at least twice the extent
TEST_CASE("random field: the circulant amplitudes hold the correlation at every lag of the lattice") {
  FieldSettings settings;
  settings.method = FieldMethod::circulant;
  const Sites sites = lattice_sites(17, 9, 0.2e-3, 0.05e-3);
  for (const Kernel kernel : {Kernel::gaussian, Kernel::exponential})
    for (const double l : {0.4e-3, 2e-3}) {
      const RandomField f = factorise_field(sites, kernel, l, settings);
      CAPTURE(kernel == Kernel::gaussian, l, f.clipped_share, f.nx, f.ny, f.padded_nx, f.padded_ny);
      CHECK(f.clipped_share <= 1e-5);
      CHECK(f.padded_nx >= 2 * (f.nx - 1));
      CHECK(f.padded_ny >= 2 * (f.ny - 1));
      for (const auto& [ix, iy] : {std::pair{0, 0}, {1, 0}, {0, 1}, {5, 3}, {16, 0}, {0, 6}, {16, 6}}) {
        if (ix >= f.nx || iy >= f.ny) continue;
        double sum = 0.0;
        for (Eigen::Index kx = 0; kx < f.padded_nx; ++kx)
          for (Eigen::Index ky = 0; ky < f.padded_ny; ++ky) {
            const double a = f.amplitude[static_cast<std::size_t>(kx * f.padded_ny + ky)];
            sum += a * a *
                   std::cos(2 * constants::pi *
                            (static_cast<double>(kx * ix) / static_cast<double>(f.padded_nx) +
                             static_cast<double>(ky * iy) / static_cast<double>(f.padded_ny)));
          }
        CHECK(sum == Approx(rho(kernel, std::hypot(ix * f.step_x_m, iy * f.step_y_m) / l)).margin(1.1e-5));
      }
    }
}

// A reach given far too short starts with a period that cuts the kernel off. Fails when the period does not
// grow
TEST_CASE("random field: the period grows until what is clipped does not matter") {
  FieldSettings settings;
  settings.method = FieldMethod::circulant;
  const double l = 2e-3;
  const Sites sites = lattice_sites(17, 9, 0.2e-3, 0.1e-3);
  const RandomField f = factorise_field(
      sites, [=](double d) { return std::exp(-d / l); }, l / 50, settings);
  CAPTURE(f.padded_nx, f.padded_ny, f.clipped_share);
  CHECK(f.padded_nx > 2 * 16);
  CHECK(f.padded_ny > 4 * 8);
  CHECK(f.clipped_share <= 1e-5);
  double variance = 0.0;
  for (const double a : f.amplitude) variance += a * a;
  CHECK(variance == Approx(1.0).margin(1e-5));
}

// Fails when a lattice is not recognised (weights appear), or weights are not rescaled
TEST_CASE("random field: a lattice is sampled on its nodes, other sites keep unit variance") {
  FieldSettings settings;
  settings.method = FieldMethod::circulant;
  const double l = 2e-3;
  Sites sites = lattice_sites(11, 7, 50e-6, 12.5e-6);
  sites.x_m.array() += 40e-6;
  const RandomField on = factorise_field(sites, Kernel::exponential, l, settings);
  CHECK(on.nx == 11);
  CHECK(on.ny == 7);
  for (Eigen::Index s = 0; s < 77; ++s) {
    CHECK(on.interpolation[static_cast<std::size_t>(s)].node == s);
    CHECK(on.interpolation[static_cast<std::size_t>(s)].weight[0] == 1.0);
  }
  const std::uint64_t seed = 2201;
  Stream places = test_stream(seed);
  const Sites scattered = scattered_sites(50, 3e-3, places);
  settings.grid_step_x_m = 0.3e-3;
  settings.grid_step_y_m = 0.2e-3;
  const RandomField off = factorise_field(scattered, Kernel::exponential, l, settings);
  for (const auto& at : off.interpolation) {
    const auto& w = at.weight;  // corners: (0,0), (0,y), (x,0), (x,y)
    const double squares = w[0] * w[0] + w[1] * w[1] + w[2] * w[2] + w[3] * w[3];
    const double along_y = 2 * (w[0] * w[1] + w[2] * w[3]) * std::exp(-0.1);
    const double along_x = 2 * (w[0] * w[2] + w[1] * w[3]) * std::exp(-0.15);
    const double across = 2 * (w[0] * w[3] + w[1] * w[2]) * std::exp(-std::hypot(0.1, 0.15));
    CHECK(squares + along_x + along_y + across == Approx(1.0).epsilon(1e-12));
  }
}

// Rows of 61 sites 25 um apart, 20 rows 4.5 mm apart, 400 draws: increments over 25..200 um. Neighbouring
// increments are next to independent, the standard error of a mean square is below sqrt(2/(400*20*7)) = 0.6 %.
// Fails with the gaussian kernel (quadratic: 180 times too small at 25 um) and with an interpolated grid of
// 1/64 l
TEST_CASE("MC: exponential kernel, the variogram begins as 2 s^2 d/l, from both samplers") {
  const double l = 4.5e-3;
  const Sites sites = lattice_sites(20, 61, 4.5e-3, 25e-6);
  for (const FieldMethod method : {FieldMethod::cholesky, FieldMethod::circulant}) {
    FieldSettings settings;
    settings.method = method;
    settings.max_grid_points = 1 << 20;
    const RandomField field = factorise_field(sites, Kernel::exponential, l, settings);
    const std::uint64_t seed = 2202;
    Stream stream = test_stream(seed);
    const int draws = 200;
    std::vector<double> square(9, 0.0);
    for (int r = 0; r < draws; ++r) {
      const Eigen::MatrixXd pair = draw_field_pair(field, stream);
      for (const int lag : {1, 2, 4, 8})
        for (Eigen::Index i = 0; i < field.sites; ++i)
          if (i % 61 + lag < 61)
            square[static_cast<std::size_t>(lag)] +=
                (pair.row(i + lag) - pair.row(i)).squaredNorm() / (2.0 * draws * 20 * (61 - lag));
    }
    for (const int lag : {1, 2, 4, 8}) {
      const double d = lag * 25e-6 / l;
      CAPTURE(seed, method == FieldMethod::cholesky, lag);
      CHECK(square[static_cast<std::size_t>(lag)] == Approx(2 * d * (1 - d / 2)).epsilon(0.03));
    }
  }
}

// 1000 pairs: 5/sqrt(1000) = 0.16. Fails when the second field is the first one again
TEST_CASE("MC: the two fields of a draw are independent, the first is draw_field") {
  const Sites sites = lattice_sites(4, 4, 1e-3, 1e-3);
  for (const FieldMethod method : {FieldMethod::cholesky, FieldMethod::circulant}) {
    FieldSettings settings;
    settings.method = method;
    const RandomField field = factorise_field(sites, Kernel::exponential, 2e-3, settings);
    const std::uint64_t seed = 2203;
    CAPTURE(seed, method == FieldMethod::cholesky);
    Stream stream = test_stream(seed);
    double cross = 0.0, near = 0.0;
    for (int r = 0; r < 1000; ++r) {
      const Eigen::MatrixXd pair = draw_field_pair(field, stream);
      cross += pair(5, 0) * pair(5, 1) / 1000;
      near += pair(5, 0) * pair(6, 1) / 1000;
    }
    CHECK(std::abs(cross) < 0.16);
    CHECK(std::abs(near) < 0.16);
    Stream a = test_stream(seed), b = test_stream(seed), c = test_stream(seed + 1);
    const Vector first = draw_field(field, a);
    // Eigen may add up a product with two columns in another order than one with one
    CHECK((first - draw_field_pair(field, b).col(0)).cwiseAbs().maxCoeff() <
          1e-14 * first.cwiseAbs().maxCoeff());
    CHECK(first != draw_field(field, c));
  }
}

TEST_CASE("random field: one site, sites on a line, two at one place") {
  for (const FieldMethod method : {FieldMethod::cholesky, FieldMethod::circulant}) {
    FieldSettings settings;
    settings.method = method;
    CAPTURE(method == FieldMethod::cholesky);
    Stream stream = test_stream(2204);
    const RandomField single = factorise_field(lattice_sites(1, 1, 1, 1), Kernel::gaussian, 1e-3, settings);
    CHECK(draw_field(single, stream).size() == 1);
    const RandomField line =
        factorise_field(lattice_sites(1, 30, 1, 1e-4), Kernel::exponential, 1e-3, settings);
    CHECK(draw_field(line, stream).allFinite());
    Sites twice = lattice_sites(2, 2, 1e-4, 1e-4);
    twice.x_m[3] = twice.x_m[2];
    twice.y_m[3] = twice.y_m[2];
    const Vector same = draw_field(factorise_field(twice, Kernel::exponential, 1e-3, settings), stream);
    CHECK(same[3] == Approx(same[2]).margin(1e-3));
    CHECK(factorise_field(lattice_sites(0, 0, 1, 1), Kernel::gaussian, 1e-3, settings).sites == 0);
  }
}

// a disc of correlation 1 is no correlation in the plane. Each fails when its validate() is taken out
TEST_CASE("random field: what is no correlation, no length or too large is refused") {
  const Sites sites = lattice_sites(12, 12, 0.5e-3, 0.5e-3);
  const auto disc = [](double d) { return d < 1.7e-3 ? 1.0 : 0.0; };
  FieldSettings cholesky, circulant;
  cholesky.method = FieldMethod::cholesky;
  circulant.method = FieldMethod::circulant;
  circulant.max_grid_points = 1 << 16;
  check_message(refusal([&] { factorise_field(sites, disc, 1e-3, cholesky); }), {"144 sites", "not positive"});
  check_message(refusal([&] { factorise_field(sites, disc, 1e-3, circulant); }),
                {"at most 65536 allowed", "positive definite"});
  // 1 - d/l, a correlation on a line, is none in the plane: by less than 10 %
  const auto triangle = [](double d) { return std::max(0.0, 1 - d / 1.7e-3); };
  check_message(refusal([&] { factorise_field(sites, triangle, 1e-3, cholesky); }), {"not positive"});
  check_message(refusal([&] { factorise_field(sites, triangle, 1e-3, circulant); }), {"positive definite"});
  check_message(refusal([&] {
                  factorise_field(
                      sites, [](double) { return 0.5; }, 1e-3);
                }),
                {"correlation 0.5 at distance 0"});
  for (const double length : {0.0, -1e-3, std::nan(""), HUGE_VAL})
    check_message(refusal([&] { factorise_field(sites, Kernel::gaussian, length); }),
                  {fmt::format("correlation_length_m = {}", length), "> 0"});
  Sites broken = sites;
  broken.x_m[3] = std::nan("");
  check_message(refusal([&] { factorise_field(broken, Kernel::gaussian, 1e-3); }), {"all finite"});
  broken.x_m.conservativeResize(3);
  check_message(refusal([&] { factorise_field(broken, Kernel::gaussian, 1e-3); }), {"3 x and 144 y"});
}
