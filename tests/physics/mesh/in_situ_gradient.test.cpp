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
  InSituGradient with(const InSituErrors& of_readings, std::uint32_t chip = 0,
                      const InSituVectors& vectors = {}, const Matrix* arriving = nullptr) const {
    return in_situ_gradient(topology, program, errors, {fields, gradient, arriving}, of_readings,
                            {.chip = chip}, vectors);
  }
  ReferenceGradient exact() const {
    return reference_mesh_gradient(topology, program, errors, fields, gradient);
  }
};

/// As Pai et al. sent them: vectors as given, and the adjoint as it was measured.
constexpr InSituVectors as_measured{.equal_powers = false, .measured_adjoint = true};

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
  const ReferenceGradient exact = m.exact();
  Matrix phases = exact.fields;
  for (Complex& field : phases.reshaped()) field *= 3;  // of which only phases count
  for (const InSituGradient& found :
       {m.with({}), m.with({}, 0, as_measured), m.with({}, 0, as_measured, &phases)}) {
    CHECK((found.theta - exact.theta).cwiseAbs().maxCoeff() < 1e-11);
    CHECK((found.phi - exact.phi).cwiseAbs().maxCoeff() < 1e-11);
    CHECK((found.output_phase - exact.output_phase).cwiseAbs().maxCoeff() < 1e-11);
    CHECK((found.fields - exact.fields).cwiseAbs().maxCoeff() < 1e-11);
  }
  CHECK(exact.theta.cwiseAbs().maxCoeff() > 1);
}

// Of one word: half of the root of |x|^4 + |lambda|^4 + |x + i mu|^4 at every shifter, of unit vectors times
// (norm of x) (norm of lambda), or of the vectors themselves, lambda at a tenth. 400 draws of 36 shifters; 5
// sigma of an rms. Fails when a reading has the error of its own power, the passes share their draws, or
// vectors that are sent as given are scaled.
TEST_CASE("MC: errors of power readings become those of the gradient") {
  Measured m(1);
  m.gradient *= 0.1;
  const Vector exact = together(m.with({}));
  // x + i mu from its own definition: mu = T^H lambda of the chip
  const double x = m.fields.norm(), lambda = m.gradient.norm();
  const auto expected = [&](double of_x, double of_lambda) {
    const double both =
        (m.fields.col(0) / of_x + Complex(0, 1) * m.exact().fields.col(0) / of_lambda).squaredNorm();
    return 0.01 * of_x * of_lambda / 2 *
           std::sqrt(std::pow(x / of_x, 4) + std::pow(lambda / of_lambda, 4) + both * both);
  };
  constexpr int draws = 400;
  for (const bool equal : {true, false}) {
    double sum = 0;
    for (std::uint32_t chip = 0; chip < draws; ++chip)
      sum += (together(m.with({.reading = 0.01}, chip, {.equal_powers = equal})) - exact).squaredNorm();
    const double n = draws * static_cast<double>(exact.size());
    CHECK(std::sqrt(sum / n) ==
          Approx(equal ? expected(x, lambda) : expected(1, 1)).epsilon(5 / std::sqrt(2 * n)));
  }
  CHECK(expected(1, 1) > 2 * expected(x, lambda));  // a small adjoint drowns
}

// To first order, phase of output q is off by s_q = detection / sqrt(2) rms(y) / |y_q|, which turns the adjoint
// that arrives at p by the sum of Re(conj(T_qp) lambda_q / mu_p) s_q, and detection there turns it by
// detection / sqrt(2) rms(mu) / |mu_p|. 2,000 draws; 5 sigma of an rms. Fails when one of both is not detected,
// both share their draws, or the error is one of a phase.
TEST_CASE("MC: errors of detected fields turn the adjoint that arrives") {
  const Measured m(1);
  constexpr double detection = 1e-4;
  constexpr int draws = 2000;
  const Matrix one = Matrix::Identity(6, 6);
  const Matrix adjoint_of = reference_mesh_gradient(m.topology, m.program, m.errors, one, one).fields;
  const Eigen::VectorXcd y = adjoint_of.adjoint() * m.fields.col(0), mu = adjoint_of * m.gradient.col(0);
  const auto off = [](const Eigen::VectorXcd& fields, Eigen::Index p) {
    return detection * fields.norm() / std::sqrt(2.0 * 6) / std::abs(fields[p]);
  };
  Vector expected(6), sum = Vector::Zero(6);
  for (Eigen::Index p = 0; p < 6; ++p) {
    expected[p] = off(mu, p) * off(mu, p);
    for (Eigen::Index q = 0; q < 6; ++q) {
      const double turned = (adjoint_of(p, q) * m.gradient(q, 0) / mu[p]).real() * off(y, q);
      expected[p] += turned * turned;
    }
  }
  for (std::uint32_t chip = 0; chip < draws; ++chip) {
    const Matrix found = m.with({.detection = detection}, chip, as_measured).fields;
    for (Eigen::Index p = 0; p < 6; ++p) sum[p] += std::pow(std::arg(found(p, 0) / mu[p]), 2);
  }
  for (Eigen::Index p = 0; p < 6; ++p)
    CHECK(std::sqrt(sum[p] / draws) == Approx(std::sqrt(expected[p])).epsilon(5 / std::sqrt(2.0 * draws)));
}

// A monitor makes (1 + e) g of a derivative g, whatever light passes. 400 chips of 36 monitors: 5 sigma of an
// rms, and of the mean of 1 - cos, whose spread over chips is measured. Fails when a pass, a word or a shifter
// kind has gains of its own draw, or all chips share theirs.
TEST_CASE("MC: gains of monitors turn the gradient by their closed form") {
  const Measured one(1), more(7);
  const Vector g = together(one.with({})), of_more = together(more.with({}));
  constexpr double gain = 0.01;
  constexpr int chips = 400;
  const double norm = g.squaredNorm();
  const double expected = gain * gain / 2 * (1 - g.array().pow(4).sum() / (norm * norm));
  double sum = 0, turned = 0, turned_squared = 0, pairs = 0;
  for (std::uint32_t chip = 0; chip < chips; ++chip) {
    const Vector found = together(one.with({.gain = gain}, chip));
    const Vector e = found.cwiseQuotient(g) - Vector::Ones(g.size());
    CHECK((together(more.with({.gain = gain}, chip)) - of_more - e.cwiseProduct(of_more)).norm() <
          1e-9 * of_more.norm());
    sum += e.squaredNorm();
    pairs += e.head(15).dot(e.segment(15, 15)) / 15;
    const double off = 1 - found.dot(g) / found.norm() / g.norm();
    turned += off;
    turned_squared += off * off;
  }
  const double n = chips * static_cast<double>(g.size()), mean = turned / chips;
  CHECK(std::sqrt(sum / n) == Approx(gain).epsilon(5 / std::sqrt(2 * n)));
  CHECK(std::abs(pairs / chips) < 5 * gain * gain / std::sqrt(15.0 * chips));
  // e^3 on average over chips vanishes: the next order is of gain^4
  CHECK(std::abs(mean - expected) < 5 * std::sqrt((turned_squared / chips - mean * mean) / chips));
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
  CHECK_THAT(refusal([&] { m.with({.detection = -1}); }), ContainsSubstring("detection = -1"));
  CHECK_THAT(refusal([&] { m.with({.gain = -1}); }), ContainsSubstring("gain = -1"));
  CHECK_THAT(refusal([&] { m.with({}, 0, {}, &m.fields); }), ContainsSubstring("Set measured_adjoint"));
  const Matrix short_of(5, 3);
  CHECK_THAT(refusal([&] { m.with({}, 0, as_measured, &short_of); }), ContainsSubstring("one field per input"));
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
