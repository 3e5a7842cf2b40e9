#include "physics/mesh/in_situ_gradient.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "physics/core/check_values.hpp"
#include "physics/core/units.hpp"
#include "physics/devices/coupler.hpp"
#include "physics/random/stream.hpp"

namespace optinc {
namespace {

using Column = Eigen::VectorXcd;

/// A mesh as its parts, with what was set on it.
struct SetMesh {
  const MeshTopology& topology;
  const MeshProgram& program;
  const MeshErrors& errors;
};

/// Fields behind every phase shifter.
struct ShifterFields {
  Column theta, phi, output_phase;
};

/// Gains of the monitors behind every phase shifter.
struct MonitorGains {
  Vector theta, phi, output_phase;
};

/// The three passes of a word.
enum Pass : std::uint32_t { forward_pass, backward_pass, sum_pass };
/// Readings of the adjoint that arrives, beside those of the passes.
constexpr std::uint32_t arrival = 3;
/// Detected fields, beside errors of output phases.
enum Detected : std::uint32_t { detected_outputs = 1, detected_arrival };

Eigen::Vector2cd arms(double phase, double upper_db, double lower_db) {
  return {std::polar(field_ratio_of_loss_db(upper_db), phase), Complex(field_ratio_of_loss_db(lower_db))};
}

Eigen::Vector2cd theta_arms(const SetMesh& m, int k) {
  const MziErrors e = m.errors.mzi(k);
  return arms(m.program.theta[k] + e.theta_offset, e.theta_arm_loss_db, e.theta_other_loss_db);
}

Eigen::Vector2cd phi_arms(const SetMesh& m, int k) {
  const MziErrors e = m.errors.mzi(k);
  return arms(m.program.phi[k] + e.phi_offset, e.phi_arm_loss_db, e.phi_other_loss_db);
}

Matrix2 splitter(double error) { return coupler(constants::pi / 4 + error); }

Complex screen(const SetMesh& m, int port) {
  return std::polar(1.0, m.program.output_phase[port] + m.errors.output_offset[port]);
}

ShifterFields no_fields(const SetMesh& m) {
  const Column mzis = Column::Zero(m.topology.mzi_count());
  return {mzis, mzis, Column::Zero(m.topology.ports)};
}

/// Calls through(k, fields of its two ports) for every MZI of a column; the other fields pass dummies.
template <class Through>
void walk_column(const SetMesh& m, int column, Column& fields, Through&& through) {
  const Column before = fields;
  fields *= column_field_factor(m.errors);
  int k = m.topology.column_begin[static_cast<std::size_t>(column)];
  for (const PortPair& ports : m.topology.column(column)) {
    const Eigen::Vector2cd behind = through(k++, Eigen::Vector2cd(before[ports.upper], before[ports.lower]));
    fields[ports.upper] = behind[0];
    fields[ports.lower] = behind[1];
  }
}

ShifterFields sent_forward(const SetMesh& m, Column fields) {
  ShifterFields at = no_fields(m);
  for (int c = 0; c < m.topology.columns(); ++c)
    walk_column(m, c, fields, [&](int k, Eigen::Vector2cd two) -> Eigen::Vector2cd {
      two = phi_arms(m, k).cwiseProduct(two).eval();
      at.phi[k] = two[0];
      two = theta_arms(m, k).cwiseProduct(splitter(m.errors.alpha[k]) * two).eval();
      at.theta[k] = two[0];
      return splitter(m.errors.beta[k]) * two;
    });
  for (int p = 0; p < m.topology.ports; ++p) at.output_phase[p] = screen(m, p) * fields[p];
  return at;
}

/// The conjugates of the fields that go backward; `fields` at the outputs before, at the inputs afterwards.
ShifterFields sent_backward(const SetMesh& m, Column& fields) {
  ShifterFields at = no_fields(m);
  at.output_phase = fields;
  for (int p = 0; p < m.topology.ports; ++p) fields[p] *= std::conj(screen(m, p));
  for (int c = m.topology.columns() - 1; c >= 0; --c)
    walk_column(m, c, fields, [&](int k, Eigen::Vector2cd two) -> Eigen::Vector2cd {
      two = (splitter(m.errors.beta[k]).adjoint() * two).eval();
      at.theta[k] = two[0];
      two = (splitter(m.errors.alpha[k]).adjoint() * theta_arms(m, k).conjugate().cwiseProduct(two)).eval();
      at.phi[k] = two[0];
      return phi_arms(m, k).conjugate().cwiseProduct(two);
    });
  return at;
}

/// Fields with an error of this rms, in units of their rms.
Column off_by(double error, Column fields, Stream normal) {
  const double rms = error * fields.norm() / std::sqrt(2.0 * static_cast<double>(fields.size()));
  for (Complex& field : fields) {
    const double re = normal.normal();
    field += rms * Complex(re, normal.normal());
  }
  return fields;
}

/// Draws of one word.
struct Draws {
  const InSituErrors& errors;
  const InSituDraw& of;
  const MonitorGains& gains;
  std::uint32_t word;

  Stream stream(Purpose purpose, std::uint32_t part = 0) const {
    return {of.seed, purpose, of.chip, word, part};
  }

  /// The vector that is sent where this one is meant.
  Column sent(const Column& meant, Pass pass) const {
    return errors.input == 0 ? meant : off_by(errors.input, meant, stream(Purpose::in_situ_input, pass));
  }

  /// Fields whose phases are those that are detected.
  Column detected(const Column& fields, Detected which) const {
    return errors.detection == 0 ? fields
                                 : off_by(errors.detection, fields, stream(Purpose::in_situ_phase, which));
  }

  /// The adjoint that is sent again after this one arrived; `phases`: fields that have its phases.
  Column measured(const Column& arriving, const Column& phases, double power) const {
    Stream normal = stream(Purpose::in_situ_reading, arrival);
    Column again = phases;
    for (Eigen::Index p = 0; p < again.size(); ++p) {
      const double off = errors.reading > 0 ? errors.reading * power * normal.normal() : 0.0;
      again[p] = std::polar(std::sqrt(std::max(std::norm(arriving[p]) + off, 0.0)), std::arg(phases[p]));
    }
    return again;
  }

  /// What monitors read of the power of these fields, `power` of it being sent.
  void read(const ShifterFields& at, double power, Pass pass, double weight, InSituGradient& sum) const {
    Stream normal = stream(Purpose::in_situ_reading, pass);
    const auto add = [&](const Column& fields, const Vector& gain, Vector& to) {
      for (Eigen::Index i = 0; i < fields.size(); ++i)
        to[i] += weight * (gain[i] * std::norm(fields[i]) +
                           (errors.reading > 0 ? errors.reading * power * normal.normal() : 0.0));
    };
    add(at.theta, gains.theta, sum.theta);
    add(at.phi, gains.phi, sum.phi);
    add(at.output_phase, gains.output_phase, sum.output_phase);
  }
};

/// Gains of the monitors of a chip.
MonitorGains gains_of(const MeshTopology& topology, double rms, const InSituDraw& of) {
  Stream normal(of.seed, Purpose::in_situ_gain, of.chip);
  const auto drawn = [&](Eigen::Index monitors) {
    Vector gains = Vector::Ones(monitors);
    if (rms > 0)
      for (double& gain : gains) gain += rms * normal.normal();
    return gains;
  };
  Vector theta = drawn(topology.mzi_count()), phi = drawn(topology.mzi_count());
  return {std::move(theta), std::move(phi), drawn(topology.ports)};
}

/// Adds the gradient that one word measures; returns its derivatives by the inputs.
Column measure_word(const SetMesh& m, const InSituWords& words, Eigen::Index w, const InSituVectors& vectors,
                    const Draws& draws, InSituGradient& sum) {
  Column x = words.fields.col(w), adjoint = words.gradient.col(w);
  if (x.norm() * adjoint.norm() == 0) return Column::Zero(x.size());
  const double unit_x = vectors.equal_powers ? x.norm() : 1.0;
  const double unit_adjoint = vectors.equal_powers ? adjoint.norm() : 1.0, weight = unit_x * unit_adjoint / 2;
  x /= unit_x;
  adjoint /= unit_adjoint;
  const ShifterFields forward = sent_forward(m, draws.sent(x, forward_pass));
  draws.read(forward, x.squaredNorm(), forward_pass, weight, sum);
  Stream phase = draws.stream(Purpose::in_situ_phase);
  if (draws.errors.phase_rad > 0)
    for (Complex& field : adjoint) field *= std::polar(1.0, draws.errors.phase_rad * phase.normal());
  const Column found = draws.detected(forward.output_phase, detected_outputs);
  if (draws.errors.detection > 0)
    for (Eigen::Index p = 0; p < found.size(); ++p)
      adjoint[p] *= std::polar(1.0, std::arg(found[p]) - std::arg(forward.output_phase[p]));
  const double power = adjoint.squaredNorm();
  adjoint = draws.sent(adjoint, backward_pass);
  draws.read(sent_backward(m, adjoint), power, backward_pass, weight, sum);
  if (vectors.measured_adjoint)
    adjoint = draws.measured(
        adjoint, words.arriving ? Column(words.arriving->col(w)) : draws.detected(adjoint, detected_arrival),
        power);
  const Column both = x + Complex(0, 1) * adjoint;
  draws.read(sent_forward(m, draws.sent(both, sum_pass)), both.squaredNorm(), sum_pass, -weight, sum);
  return unit_adjoint * adjoint;
}

void validate_in_situ(const MeshTopology& topology, const InSituWords& words, const InSituErrors& errors,
                      const InSituVectors& vectors) {
  validate(
      words.fields.rows() == topology.ports && words.gradient.rows() == topology.ports &&
          words.fields.cols() == words.gradient.cols(),
      "fields ({}, {}) and their gradient ({}, {}) at a mesh of {} ports (both are (ports, words)). Give one "
      "row per port.",
      words.fields.rows(), words.fields.cols(), words.gradient.rows(), words.gradient.cols(), topology.ports);
  validate_not_negative("reading", errors.reading);
  validate_not_negative("input", errors.input);
  validate_not_negative("phase_rad", errors.phase_rad);
  validate_not_negative("detection", errors.detection);
  validate_not_negative("gain", errors.gain);
  if (!words.arriving) return;
  validate(vectors.measured_adjoint,
           "arriving: known phases of an adjoint that is sent again exactly. Set measured_adjoint.");
  validate(words.arriving->rows() == words.fields.rows() && words.arriving->cols() == words.fields.cols(),
           "arriving ({}, {}) beside fields ({}, {}) (both are (ports, words)). Give one field per input.",
           words.arriving->rows(), words.arriving->cols(), words.fields.rows(), words.fields.cols());
}

}  // namespace

InSituGradient in_situ_gradient(const MeshTopology& topology, const MeshProgram& program,
                                const MeshErrors& errors, const InSituWords& words,
                                const InSituErrors& of_readings, const InSituDraw& draw,
                                const InSituVectors& vectors) {
  validate_program(topology, program);
  validate_errors(topology, errors);
  validate_in_situ(topology, words, of_readings, vectors);
  const SetMesh mesh{topology, program, errors};
  const MonitorGains gains = gains_of(topology, of_readings.gain, draw);
  const Vector zero = Vector::Zero(topology.mzi_count());
  InSituGradient sum{zero, zero, Vector::Zero(topology.ports),
                     Matrix::Zero(topology.ports, words.fields.cols())};
  for (Eigen::Index w = 0; w < words.fields.cols(); ++w)
    sum.fields.col(w) =
        measure_word(mesh, words, w, vectors,
                     {of_readings, draw, gains, draw.first_word + static_cast<std::uint32_t>(w)}, sum);
  return sum;
}

}  // namespace optinc
