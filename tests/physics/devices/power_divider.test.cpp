// The coherent combiner of the P unit (physics.md section 7; row 20).

#include "physics/devices/power_divider.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/meshes.hpp"

using namespace optinc;
using namespace optinc::testing;

namespace {

/// A lossless N x N combiner: the unitary Fourier matrix; output 0 is the sum over sqrt(N).
Eigen::VectorXcd all_outputs(const std::vector<Complex>& fields) {
  const auto n = static_cast<int>(fields.size());
  Eigen::VectorXcd out = Eigen::VectorXcd::Zero(n);
  for (int r = 0; r < n; ++r)
    for (int c = 0; c < n; ++c)
      out[r] +=
          std::polar(1 / std::sqrt(n), 2 * constants::pi * r * c / n) * fields[static_cast<std::size_t>(c)];
  return out;
}

std::vector<Complex> random_inputs(int n, Stream& s) {
  std::vector<Complex> fields(static_cast<std::size_t>(n));
  for (Complex& e : fields) {
    const double re = s.normal();
    e = Complex(re, s.normal());
  }
  return fields;
}

}  // namespace

// fails when combine divides by N, or rejected_power_w leaves the 1/N out
TEST_CASE("row 20: what the combiner rejects is what leaves by the other ports, sum |E - mean|^2") {
  const std::uint64_t seed = 200;
  for (const int n : {1, 2, 3, 4, 8, 16}) {
    CAPTURE(seed, n);
    Stream s = test_stream(seed, static_cast<std::uint32_t>(n));
    for (int draw = 0; draw < 50; ++draw) {
      const std::vector<Complex> fields = random_inputs(n, s);
      const Eigen::VectorXcd out = all_outputs(fields);
      CHECK(std::abs(combine(fields) - out[0]) < 1e-12);
      Complex mean = 0;
      double sent = 0;
      for (const Complex& e : fields) {
        mean += e / static_cast<double>(n);
        sent += std::norm(e);
      }
      double deviation = 0;
      for (const Complex& e : fields) deviation += std::norm(e - mean);
      CHECK(rejected_power_w(fields) == Approx(deviation).epsilon(1e-12).margin(1e-13));
      CHECK(rejected_power_w(fields) == Approx(out.tail(n - 1).squaredNorm()).epsilon(1e-12).margin(1e-13));
      CHECK(std::norm(combine(fields)) + rejected_power_w(fields) == Approx(sent).epsilon(1e-12));
    }
  }
}

TEST_CASE("equal fields: nothing is rejected, sqrt(N) E comes out, opposite fields: all is rejected") {
  const std::vector<Complex> equal(4, Complex(0.3, -0.4));
  CHECK(std::abs(combine(equal) - Complex(0.6, -0.8)) < 1e-15);
  CHECK(std::abs(rejected_power_w(equal)) < 1e-15);
  const std::vector<Complex> opposite = {1, -1, 1, -1};
  CHECK(std::abs(combine(opposite)) < 1e-15);
  CHECK(rejected_power_w(opposite) == Approx(4.0).epsilon(1e-15));
}

TEST_CASE("combined amplitude digits give sqrt(N) times their average") {
  const double a = std::sqrt(1e-3);
  const std::vector<Complex> fields = {a * 3.0 / 3, a * 1.0 / 3, a * 0.0 / 3, a * 2.0 / 3};
  CHECK(std::abs(combine(fields) - 2 * a * 1.5 / 3) < 1e-16);
}

// fails when split_field_factor is 1/K
TEST_CASE("splitting 1:K keeps the power, and combining again gives the field back") {
  for (const int arms : {1, 2, 4, 16}) {
    CAPTURE(arms);
    const Complex field(0.7, 0.2);
    const std::vector<Complex> split(static_cast<std::size_t>(arms), split_field_factor(arms) * field);
    CHECK(arms * std::norm(split[0]) == Approx(std::norm(field)).epsilon(1e-14));
    CHECK(std::abs(combine(split) - field) < 1e-15);
  }
  CHECK(-20 * std::log10(split_field_factor(4)) == Approx(6.0206).epsilon(1e-6));  // physics.md section 8
}
