#include "physics/mesh/conventions.hpp"

#include <cmath>

#include "physics/core/check.hpp"
#include "physics/core/units.hpp"
#include "physics/devices/phase_shifter.hpp"

namespace optinc {
namespace {

[[noreturn]] void refuse(PhaseConvention convention) {
  refuse_value("phase convention", static_cast<std::size_t>(convention), names_of<PhaseConvention>());
}

/// What a convention is made of.
struct Form {
  bool input_side;  ///< phi and screen: phi in front of the block and the screen behind all of them, or not
  int turned;       ///< port that phi turns
};

Form form_of(PhaseConvention convention) {
  switch (convention) {
    case PhaseConvention::perceval_phase_last:
      return {false, 1};
    case PhaseConvention::neurophox:
    case PhaseConvention::neurophox_hadamard:
      return {false, 0};
    case PhaseConvention::optinc:
    case PhaseConvention::clements:
    case PhaseConvention::interferometer:
    case PhaseConvention::strawberryfields:
    case PhaseConvention::strawberryfields_mzgate:
    case PhaseConvention::perceval_phase_first:
      return {true, 0};
  }
  refuse(convention);
}

Matrix2 matrix(Complex a, Complex b, Complex c, Complex d) {
  Matrix2 m;
  m << a, b, c, d;
  return m;
}

/// The block at phi = 0.
Matrix2 unturned_block(PhaseConvention convention, double theta) {
  const Complex i(0, 1), turn = std::polar(1.0, theta);
  const double s = std::sin(theta / 2), c = std::cos(theta / 2);
  switch (convention) {
    case PhaseConvention::clements:
    case PhaseConvention::interferometer:
    case PhaseConvention::strawberryfields:
      return matrix(std::cos(theta), -std::sin(theta), std::sin(theta), std::cos(theta));
    case PhaseConvention::perceval_phase_last:
      return 0.5 * matrix(1.0 - turn, i * (1.0 + turn), i * (1.0 + turn), turn - 1.0);
    case PhaseConvention::neurophox:
      return i * matrix(s, c, c, -s);
    case PhaseConvention::neurophox_hadamard:
      return matrix(c, i * s, i * s, c);
    case PhaseConvention::optinc:
    case PhaseConvention::strawberryfields_mzgate:
    case PhaseConvention::perceval_phase_first:
      return mzi_closed_form(theta, 0.0, 0.0, 0.0);
  }
  refuse(convention);
}

/// theta at which a block has these magnitudes in its first row.
double theta_of(PhaseConvention convention, double bar, double cross) {
  switch (convention) {
    case PhaseConvention::clements:
    case PhaseConvention::interferometer:
    case PhaseConvention::strawberryfields:
      return std::atan2(cross, bar);
    case PhaseConvention::neurophox_hadamard:
      return 2 * std::atan2(cross, bar);
    case PhaseConvention::optinc:
    case PhaseConvention::strawberryfields_mzgate:
    case PhaseConvention::perceval_phase_first:
    case PhaseConvention::perceval_phase_last:
    case PhaseConvention::neurophox:
      return 2 * std::atan2(bar, cross);
  }
  refuse(convention);
}

struct Block {
  double theta, phi;
  Complex residual_upper, residual_lower;
};

/// theta and phi with which unturned(theta) diag(phi on port `turned`) is `asked` but for a phase of each row,
/// the residual, which blocks behind it make up for.
Block fit_rows(const Matrix2& asked, const Matrix2& unturned, double theta, int turned) {
  // phases from the larger elements; a block without one of the two can have any phi
  const double dark = 1e-14;
  Complex turn = 1.0;
  if (std::abs(asked(0, 0)) > dark && std::abs(asked(0, 1)) > dark)
    turn = unit_phase(asked(0, turned) * std::conj(unturned(0, turned)) * std::conj(asked(0, 1 - turned)) *
                      unturned(0, 1 - turned));
  Matrix2 block = unturned;
  block.col(turned) *= turn;
  const auto residual = [&](int row) {
    return unit_phase(asked(row, 0) * std::conj(block(row, 0)) + asked(row, 1) * std::conj(block(row, 1)));
  };
  return {theta, wrap_phase(std::arg(turn)), residual(0), residual(1)};
}

void require_sizes(const MeshTopology& t, const ConventionProgram& p) {
  validate(
      p.theta.size() == t.mzi_count() && p.phi.size() == t.mzi_count() && p.screen.size() == t.ports,
      "{} theta, {} phi and {} screen phases for a mesh of {} blocks on {} ports (one each). Give those of "
      "this mesh.",
      p.theta.size(), p.phi.size(), p.screen.size(), t.mzi_count(), t.ports);
}

}  // namespace

bool screen_at_inputs(PhaseConvention convention) { return !form_of(convention).input_side; }

Matrix2 convention_block(PhaseConvention convention, double theta, double phi) {
  const Form form = form_of(convention);
  Matrix2 block = unturned_block(convention, theta);
  if (form.input_side)
    block.col(form.turned) *= std::polar(1.0, phi);
  else
    block.row(form.turned) *= std::polar(1.0, phi);
  return block;
}

ConventionProgram convert_program(const MeshTopology& topology, const ConventionProgram& program,
                                  PhaseConvention from, PhaseConvention to) {
  require_sizes(topology, program);
  const Form form = form_of(to);
  const bool along = form.input_side, same_side = screen_at_inputs(from) == screen_at_inputs(to);
  Eigen::VectorXcd screen(topology.ports);
  for (int p = 0; p < topology.ports; ++p) screen[p] = std::polar(1.0, program.screen[p]);
  // along the light what blocks leave over starts from a screen at the inputs; against it from one at the
  // outputs
  Eigen::VectorXcd carried = same_side ? Eigen::VectorXcd::Ones(topology.ports).eval() : screen;
  ConventionProgram found = program;
  for (int step = 0; step < topology.mzi_count(); ++step) {
    const int k = along ? step : topology.mzi_count() - 1 - step;
    const auto [upper, lower] = topology.mzis[static_cast<std::size_t>(k)];
    Matrix2 asked = convention_block(from, program.theta[k], program.phi[k]);
    if (!along) asked.transposeInPlace();  // against the light rows and columns change places
    asked.col(0) *= carried[upper];
    asked.col(1) *= carried[lower];
    const double theta = theta_of(to, std::abs(asked(0, 0)), std::abs(asked(0, 1)));
    Matrix2 unturned = unturned_block(to, theta);
    if (!along) unturned.transposeInPlace();
    const Block block = fit_rows(asked, unturned, theta, form.turned);
    found.theta[k] = block.theta;
    found.phi[k] = block.phi;
    carried[upper] = block.residual_upper;
    carried[lower] = block.residual_lower;
  }
  for (int p = 0; p < topology.ports; ++p)
    found.screen[p] = wrap_phase(std::arg(same_side ? carried[p] * screen[p] : carried[p]));
  return found;
}

ConventionProgram to_convention(const MeshTopology& topology, const MeshProgram& program, PhaseConvention to) {
  return convert_program(topology, {program.theta, program.phi, program.output_phase}, PhaseConvention::optinc,
                         to);
}

MeshProgram from_convention(const MeshTopology& topology, const ConventionProgram& program,
                            PhaseConvention from) {
  const ConventionProgram p = convert_program(topology, program, from, PhaseConvention::optinc);
  return {p.theta, p.phi, p.screen};
}

}  // namespace optinc
