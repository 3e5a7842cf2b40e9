#include "physics/mesh/blocks.hpp"

#include <cmath>

#include "physics/core/check.hpp"
#include "physics/core/units.hpp"
#include "physics/devices/coupler.hpp"
#include "physics/devices/phase_shifter.hpp"
#include "physics/mesh/decomposition.hpp"

namespace optinc {
namespace {

using constants::pi;

void require_one_each(const char* what, const Vector& values, const MeshTopology& t) {
  validate(values.size() == t.mzi_count(), "{} has {} values for a mesh of {} MZIs (one each). Give {}.", what,
           values.size(), t.mzi_count(), t.mzi_count());
}

/// Screen and idle ways; blocks are to be added.
MeshBlocks no_blocks(const MeshTopology& t, const MeshProgram& p, const MeshErrors& e) {
  validate_program(t, p);
  validate_errors(t, e);
  MeshBlocks mesh;
  mesh.blocks.reserve(t.mzis.size());
  mesh.screen.resize(t.ports);
  for (int port = 0; port < t.ports; ++port)
    mesh.screen[port] = std::polar(1.0, p.output_phase[port] + e.output_offset[port]);
  mesh.idle_factor = column_field_factor(e);
  return mesh;
}

/// 0 or pi, whichever is nearer on the circle.
double nearest_sign(double phase) { return std::cos(phase) >= 0 ? 0.0 : pi; }

/// program_blocks(). `real_phases`: every phi is 0 or pi, whichever is nearer; what a block then has in phase
/// that it should not is carried on like all else, so that blocks with a dark side, whose phi can be any, do no
/// harm.
CorrectedProgram walk(const MeshTopology& topology, MziKind kind, const MeshProgram& wanted,
                      const KnownSplitters& splitters, bool real_phases) {
  CorrectedProgram found{wanted, 0};
  Eigen::VectorXcd carried = Eigen::VectorXcd::Ones(topology.ports);
  for (int k = 0; k < topology.mzi_count(); ++k) {
    const auto [upper, lower] = topology.mzis[static_cast<std::size_t>(k)];
    MziVariantErrors errors;
    errors.mzi.alpha = splitters.alpha[k];
    errors.mzi.beta = splitters.beta[k];
    errors.gamma = splitters.gamma[k];
    Matrix2 asked = mzi_closed_form(wanted.theta[k], wanted.phi[k], 0.0, 0.0);
    asked.col(0) *= carried[upper];
    asked.col(1) *= carried[lower];
    const Matrix2 of_mzi =
        has_third_splitter(kind) ? Matrix2(asked * coupler(pi / 4 + errors.gamma).adjoint()) : asked;

    bool clipped = false;
    MziSettings set;
    set.theta = mzi_theta_for_bar_power(std::norm(of_mzi(0, 0)), errors.mzi.alpha, errors.mzi.beta, clipped);
    const Matrix2 unturned = mzi_closed_form(set.theta, 0.0, errors.mzi.alpha, errors.mzi.beta);
    set.phi = wrap_phase(
        std::arg(of_mzi(0, 0) * std::conj(of_mzi(0, 1)) * std::conj(unturned(0, 0)) * unturned(0, 1)));
    if (real_phases) set.phi = nearest_sign(set.phi);

    const Matrix2 block = block_of_kind(kind, set, errors);
    const auto phase_of_row = [&](int i) {
      return unit_phase(asked(i, 0) * std::conj(block(i, 0)) + asked(i, 1) * std::conj(block(i, 1)));
    };
    carried[upper] = phase_of_row(0);
    carried[lower] = phase_of_row(1);
    found.program.theta[k] = set.theta;
    found.program.phi[k] = set.phi;
    found.clipped += clipped ? 1 : 0;
  }
  for (int p = 0; p < topology.ports; ++p)
    found.program.output_phase[p] = wrap_phase(wanted.output_phase[p] + std::arg(carried[p]));
  return found;
}

}  // namespace

bool has_third_splitter(MziKind kind) { return kind == MziKind::three_splitter || kind == MziKind::balanced; }

MeshVariantErrors no_variant_errors(const MeshTopology& topology) {
  const Vector zero = Vector::Zero(topology.mzi_count());
  return {no_errors(topology), zero, zero, zero};
}

Matrix2 block_of_kind(MziKind kind, const MziSettings& settings, const MziVariantErrors& errors) {
  switch (kind) {
    case MziKind::standard:
      return phase_shifter(errors.common_offset) * mzi(settings, errors.mzi);
    case MziKind::real:
      return real_mzi(settings, errors);
    case MziKind::three_splitter:
      return three_splitter_mzi(settings, errors);
    case MziKind::balanced:
      return balanced_three_splitter_mzi(settings, errors);
  }
  throw Error("MziKind holds no kind (its value is out of range). Give one that has a name.");
}

MeshBlocks mesh_blocks(const MeshTopology& topology, const MeshProgram& program, const MeshErrors& errors) {
  MeshBlocks mesh = no_blocks(topology, program, errors);
  for (int k = 0; k < topology.mzi_count(); ++k) mesh.blocks.push_back(mzi(program.mzi(k), errors.mzi(k)));
  return mesh;
}

MeshBlocks mesh_blocks(const MeshTopology& topology, MziKind kind, const MeshProgram& program,
                       const MeshVariantErrors& e) {
  MeshBlocks mesh = no_blocks(topology, program, e.mzis);
  require_one_each("gamma", e.gamma, topology);
  require_one_each("common_offset", e.common_offset, topology);
  require_one_each("output_offset", e.output_offset, topology);
  for (int k = 0; k < topology.mzi_count(); ++k)
    mesh.blocks.push_back(block_of_kind(kind, program.mzi(k),
                                        {e.mzis.mzi(k), e.gamma[k], e.common_offset[k], e.output_offset[k]}));
  return mesh;
}

CorrectedProgram program_blocks(const MeshTopology& topology, MziKind kind, const MeshProgram& wanted,
                                const KnownSplitters& splitters) {
  validate_program(topology, wanted);
  for (const auto* error : {&splitters.alpha, &splitters.beta, &splitters.gamma})
    require_one_each("alpha, beta or gamma", *error, topology);
  return walk(topology, kind, wanted, splitters, false);
}

MeshProgram decompose(MziKind kind, const Matrix& unitary) {
  MeshProgram standard = decompose_clements(unitary);
  if (kind == MziKind::standard) return standard;
  const MeshTopology t = clements_topology(static_cast<int>(unitary.rows()));
  const Vector zero = Vector::Zero(t.mzi_count());
  const bool real_phases = kind == MziKind::real && unitary.imag().isZero(0.0);
  MeshProgram program = walk(t, kind, standard, {zero, zero, zero}, real_phases).program;
  if (real_phases) program.output_phase = program.output_phase.unaryExpr(&nearest_sign);
  return program;
}

}  // namespace optinc
