#include "physics/mesh/in_situ_gradient.hpp"

#include <algorithm>
#include <cmath>

#include "physics/mesh/mesh_gradient.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/meshes.hpp"
#include "tests/support/refusal.hpp"

using namespace optinc;
using namespace optinc::testing;

namespace {

struct Measured {
  MeshTopology topology = clements_topology(6);
  MeshProgram program;
  MeshErrors errors;
  Matrix fields, gradient;

  explicit Measured(int words) {
    Stream s = test_stream(63, static_cast<std::uint32_t>(words));
    program = random_program(topology, s);
    errors = random_errors(topology, 0.1, s);
    fields = random_fields(topology.ports, words, s);
    gradient = random_fields(topology.ports, words, s);
  }
  InSituGradient with(const InSituErrors& of_readings, std::uint32_t chip = 0) const {
    return in_situ_gradient(topology, program, errors, {fields, gradient}, of_readings, {.chip = chip});
  }
};

/// All derivatives in a row.
Vector together(const InSituGradient& g) {
  Vector all(g.theta.size() + g.phi.size() + g.output_phase.size());
  all << g.theta, g.phi, g.output_phase;
  return all;
}

}  // namespace

// Fails when the sum is sent with -i mu, a power is read in front of its shifter, or a plane misses an offset
TEST_CASE("three passes of light measure the gradient of a chip without loss") {
  const Measured m(7);
  const ReferenceGradient exact =
      reference_mesh_gradient(m.topology, m.program, m.errors, m.fields, m.gradient);
  const InSituGradient found = m.with({});
  CHECK((found.theta - exact.theta).cwiseAbs().maxCoeff() < 1e-11);
  CHECK((found.phi - exact.phi).cwiseAbs().maxCoeff() < 1e-11);
  CHECK((found.output_phase - exact.output_phase).cwiseAbs().maxCoeff() < 1e-11);
  CHECK(exact.theta.cwiseAbs().maxCoeff() > 1);
}

// Of one word: half of (power of x) (power of lambda) times the root of 1 + 1 + |x + i mu|^4 at every shifter,
// for unit vectors. 400 draws of 36 shifters; 5 sigma of an rms. Fails when a reading has the error of its own
// power, or the passes share their draws.
TEST_CASE("MC: errors of power readings become those of the gradient") {
  const Measured m(1);
  const Vector exact = together(m.with({}));
  // x + i mu from its own definition: mu = T^H lambda of the chip
  const ReferenceGradient back = reference_mesh_gradient(m.topology, m.program, m.errors, m.fields, m.gradient);
  const double x = m.fields.norm(), lambda = m.gradient.norm();
  const double both = (m.fields.col(0) / x + Complex(0, 1) * back.fields.col(0) / lambda).squaredNorm();
  const double expected = 0.01 * x * lambda / 2 * std::sqrt(2 + both * both);
  double sum = 0;
  constexpr int draws = 400;
  for (std::uint32_t chip = 0; chip < draws; ++chip)
    sum += (together(m.with({.reading = 0.01}, chip)) - exact).squaredNorm();
  const double n = draws * static_cast<double>(exact.size());
  CHECK(std::sqrt(sum / n) == Approx(expected).epsilon(5 / std::sqrt(2 * n)));
}

// To first order an error of phase and one of the input act alike on every draw: twice the error, twice the
// deviation. Fails when a source of errors reaches no pass, or draws of one move with those of another.
TEST_CASE("errors of inputs and of output phases reach the gradient") {
  const Measured m(3);
  const Vector exact = together(m.with({}));
  for (const InSituErrors one : {InSituErrors{.input = 1e-4}, InSituErrors{.phase_rad = 1e-4}}) {
    InSituErrors two = one;
    two.input *= 2, two.phase_rad *= 2;
    const Vector once = together(m.with(one)) - exact, twice = together(m.with(two)) - exact;
    CHECK(once.norm() > 1e-5 * exact.norm());
    CHECK((twice - 2 * once).norm() < 2e-3 * once.norm());
    // beside noise of readings it is the same, to the product of both errors, 1e-6, times a few
    InSituErrors read = one;
    read.reading = 0.01;
    CHECK((together(m.with(read)) - together(m.with({.reading = 0.01})) - once).norm() < 1e-5 * exact.norm());
  }
  CHECK_THAT(refusal([&] { m.with({.reading = -1}); }), ContainsSubstring("reading = -1"));
  CHECK_THAT(refusal([&] {
               in_situ_gradient(m.topology, m.program, m.errors, {m.fields, Matrix(6, 2)}, {});
             }),
             ContainsSubstring("one row per port"));
}

// What errors of inputs and of readings do to 36 derivatives in 200 draws: the sum of their squared
// correlations is no more than among draws of different numbers, of which it is one; 1.5 times the largest of
// 20 such pairings. Fails when both take their numbers from one stream.
TEST_CASE("MC: errors of inputs and of readings are independent") {
  const Measured m(1);
  const Vector exact = together(m.with({}));
  constexpr Eigen::Index draws = 200;
  Eigen::MatrixXd input(exact.size(), draws), reading(exact.size(), draws);
  for (Eigen::Index chip = 0; chip < draws; ++chip) {
    input.col(chip) = together(m.with({.input = 1e-4}, static_cast<std::uint32_t>(chip))) - exact;
    reading.col(chip) = together(m.with({.reading = 1e-4}, static_cast<std::uint32_t>(chip))) - exact;
  }
  for (Eigen::MatrixXd* of : {&input, &reading}) of->array().colwise() /= of->rowwise().norm().array().eval();
  const auto together_by = [&](Eigen::Index later) {
    Eigen::MatrixXd paired(exact.size(), draws);
    for (Eigen::Index chip = 0; chip < draws; ++chip) paired.col(chip) = reading.col((chip + later) % draws);
    return (input * paired.transpose()).squaredNorm();
  };
  double largest = 0;
  for (Eigen::Index later = 1; later <= 20; ++later) largest = std::max(largest, together_by(later));
  CHECK(together_by(0) < 1.5 * largest);
}
