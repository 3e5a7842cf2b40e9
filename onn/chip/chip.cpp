#include "onn/chip/chip.hpp"

#include <algorithm>

#include "physics/core/units.hpp"
#include "physics/devices/phase_shifter.hpp"
#include "physics/mesh/correction.hpp"
#include "physics/mesh/decomposition.hpp"
#include "physics/variation/chip_errors.hpp"

namespace optinc {
namespace {

struct ProgrammedMesh {
  MeshProgram program;
  int clipped = 0;
};

ProgrammedMesh program_mesh(const BlockDesign& block, const MeshErrors& errors, Programming programming) {
  if (programming == Programming::uncorrected) return {block.mesh_program, 0};
  CorrectedProgram corrected;
  correct_splitters(block.engine.layout(), block.mesh_program, errors.alpha, errors.beta, Clipping::quadrature,
                    corrected);
  return {std::move(corrected.program), corrected.clipped};
}

Matrix compile_layer(const LayerDesign& design, const LayerState& state) {
  return propagate_layer(design, state, FieldBatch(Matrix::Identity(design.inputs, design.inputs))).complex();
}

}  // namespace

ChipErrors fabricate(const ChipDesign& design, const ErrorModel& model, std::uint64_t seed,
                     std::uint32_t chip) {
  validate_errors(model);
  ChipErrors errors;
  std::uint32_t mesh = 0;
  for (const auto& layer : design.layers) {
    auto& blocks = errors.layers.emplace_back();
    for (const auto& block : layer.blocks) {
      BlockErrors e;
      e.mesh = draw_mesh_errors(block.mesh, model, {seed, chip, mesh++});
      e.attenuators = draw_mesh_errors(block.attenuators, model, {seed, chip, mesh++});
      e.attenuators.output_offset.setZero();  // phi sets the sign: there is no output screen behind them
      blocks.push_back(std::move(e));
    }
  }
  return errors;
}

BlockProgram program_attenuators(const BlockDesign& block, const Vector& transmission, const MeshErrors& errors,
                                 Programming programming) {
  const Eigen::Index n = block.attenuators.mzi_count();
  BlockProgram p{{}, {Vector(n), Vector(n), Vector::Zero(block.attenuators.ports)}, 0};
  for (Eigen::Index i = 0; i < n; ++i) {
    const bool known = programming == Programming::corrected;
    const double alpha = known ? errors.alpha[i] : 0.0, beta = known ? errors.beta[i] : 0.0;
    const double s = transmission[i];
    bool clipped = false;
    p.attenuators.theta[i] = mzi_theta_for_bar_power(s * s, alpha, beta, clipped);
    const Complex bar = mzi_closed_form(p.attenuators.theta[i], 0.0, alpha, beta)(0, 0);
    // one that cannot dim as far as wanted is turned until its in-phase part is right (see
    // Clipping::quadrature)
    const double psi = known && clipped ? std::acos(std::min(1.0, std::abs(s) / std::abs(bar))) : 0.0;
    p.attenuators.phi[i] = wrap_phase((s < 0 ? constants::pi : 0.0) + psi - std::arg(bar));
    p.clipped += clipped ? 1 : 0;
  }
  return p;
}

BlockProgram program_block(const BlockDesign& block, const BlockErrors& errors, int dac_bits,
                           Programming programming, DacMode mode) {
  const auto mesh = program_mesh(block, errors.mesh, programming);
  const BlockProgram column =
      program_attenuators(block, block.dimming * block.attenuation, errors.attenuators, programming);
  return {quantise(mesh.program, dac_bits, mode), quantise(column.attenuators, dac_bits, mode),
          mesh.clipped + column.clipped};
}

int ChipProgram::clipped() const {
  int count = 0;
  for (const auto& layer : layers)
    for (const BlockProgram& block : layer) count += block.clipped;
  return count;
}

ChipProgram program(const ChipDesign& design, const ChipErrors& known, int dac_bits, Programming programming,
                    DacMode mode) {
  ChipProgram program;
  for (std::size_t l = 0; l < design.layers.size(); ++l) {
    auto& blocks = program.layers.emplace_back();
    for (std::size_t b = 0; b < design.layers[l].blocks.size(); ++b)
      blocks.push_back(
          program_block(design.layers[l].blocks[b], known.layers[l][b], dac_bits, programming, mode));
  }
  return program;
}

double nominal_layer_factor(const LayerDesign& layer, const ErrorModel& model, double headroom_db) {
  // calibration knows the design's mean loss and what was measured, not the draw of one chip
  const double column_factor =
      field_ratio_of_loss_db(2 * (mean_arm_loss_db(model) + layer.measured_arm_loss_db));
  return layer.fan_field_factor() * std::pow(column_factor, layer.columns()) *
         field_ratio_of_loss_db(headroom_db) / layer.passive_scale;
}

ChipState settle_chip(const ChipDesign& design, const ChipProgram& program, const ChipErrors& errors,
                      const ErrorModel& model) {
  ChipState chip;
  chip.clipped = program.clipped();
  for (std::size_t l = 0; l < design.layers.size(); ++l) {
    const LayerDesign& layer = design.layers[l];
    LayerState state;
    for (std::size_t b = 0; b < layer.blocks.size(); ++b) {
      const BlockErrors& e = errors.layers[l][b];
      const BlockProgram& phases = program.layers[l][b];
      BlockState block{layer.blocks[b].engine, {}};
      block.mesh.settle(phases.mesh, e.mesh);
      block.attenuators = layer.blocks[b].attenuation.cast<Complex>();
      for (Eigen::Index i = 0; i < layer.blocks[b].attenuators.mzi_count(); ++i)
        block.attenuators[i] =
            mzi(phases.attenuators.mzi(static_cast<int>(i)), e.attenuators.mzi(static_cast<int>(i)))(0, 0);
      state.blocks.push_back(std::move(block));
    }
    state.nominal_factor =
        nominal_layer_factor(layer, model, program.headroom_db.empty() ? 0.0 : program.headroom_db[l]);
    state.transfer = compile_layer(layer, state);
    const Matrix deviation = state.transfer / state.nominal_factor - layer.weight;
    state.matrix_error = deviation.norm() / layer.weight.norm();
    state.matrix_error_in_phase = deviation.real().norm() / layer.weight.norm();
    chip.layers.push_back(std::move(state));
  }
  return chip;
}

ChipState programmed_chip(const ChipDesign& design, const ChipErrors& errors, const ErrorModel& model,
                          Programming programming) {
  return settle_chip(design, program(design, errors, model.dac_bits, programming, dac_mode(model)), errors,
                     model);
}

FieldBatch propagate_layer(const LayerDesign& design, const LayerState& state, const FieldBatch& fields) {
  const Eigen::Index n = design.blocks.front().mesh.ports, words = fields.words();
  const double fan = design.fan_field_factor();
  const bool whole = design.tall() || design.wiring == Wiring::sum;  // every block reads all inputs
  FieldBatch out(design.outputs, words);
  for (std::size_t b = 0; b < state.blocks.size(); ++b) {
    const Eigen::Index at = static_cast<Eigen::Index>(b) * n;
    FieldBatch block;
    block.re = fan * (whole ? fields.re : fields.re.middleRows(at, n));
    block.im = fan * (whole ? fields.im : fields.im.middleRows(at, n));
    state.blocks[b].mesh.propagate(block);
    const Eigen::Index to = design.tall() ? at : 0;  // wide layers add the blocks' fields
    for (Eigen::Index i = 0; i < state.blocks[b].attenuators.size(); ++i) {
      const Complex s = state.blocks[b].attenuators[i];
      out.re.row(to + i) += s.real() * block.re.row(i) - s.imag() * block.im.row(i);
      out.im.row(to + i) += s.real() * block.im.row(i) + s.imag() * block.re.row(i);
    }
  }
  return out;
}

}  // namespace optinc
