#pragma once

#include <cstdint>

#include "onn/chip/chip_design.hpp"
#include "physics/devices/dac.hpp"
#include "physics/mesh/engine/mesh_engine.hpp"
#include "physics/variation/error_model.hpp"

namespace optinc {

/// The frozen errors of one block's two meshes.
struct BlockErrors {
  MeshErrors mesh, attenuators;
};

/// One fabricated chip: everything that fabrication drew, [layer][block]. Immutable.
struct ChipErrors {
  std::vector<std::vector<BlockErrors>> layers;
};

/// Fabricates chip number `chip`: draws all errors from the model. Same (seed, chip), same chip; chips of two
/// error levels share their draws, scaled.
ChipErrors fabricate(const ChipDesign& design, const ErrorModel& model, std::uint64_t seed, std::uint32_t chip);

/// How phases are chosen: for perfect splitters, or corrected for the chip's known ones.
enum class Programming { uncorrected, corrected };

/// What the operator sets on one block's two meshes: every phase, on the DAC's grid.
struct BlockProgram {
  MeshProgram mesh, attenuators;
  int clipped = 0;  ///< MZIs whose splitters cannot reach the bar power asked of them (corrected only)
};

/// Phases of one block, corrected for the splitters in `errors` or not (then `errors` is not looked at), each
/// on the grid of a DAC of `dac_bits` bits over 2 pi (0: unchanged). The attenuators have no output screen:
/// their output phases are 0.
BlockProgram program_block(const BlockDesign& block, const BlockErrors& errors, int dac_bits,
                           Programming programming, DacMode mode = DacMode::phase);

/// Phases that give each attenuator's bar path (signal to signal) the signed transmission asked of it, and how
/// many splitters cannot; corrected for those in `errors` or not.
BlockProgram program_attenuators(const BlockDesign& block, const Vector& transmission, const MeshErrors& errors,
                                 Programming programming);

/// One block as light meets it.
struct BlockState {
  MeshEngine<double> mesh;
  Eigen::VectorXcd attenuators;  ///< signal-to-signal field transmission (n)
};

/// One layer as light meets it, frozen.
struct LayerState {
  std::vector<BlockState> blocks;
  Matrix transfer;  ///< output fields from input fields, fan-out and fan-in included (outputs, inputs)
  double nominal_factor =
      1.0;  ///< what a perfect, uniformly lossy layer makes of W: transfer = nominal_factor W
  /// What the light of this layer has gained on the oscillators of its receivers since their phases were set,
  /// the same at all of them (turn_oscillators).
  double oscillator_rad = 0.0;
  double matrix_error = 0.0;           ///< || transfer / nominal_factor - W ||_F / || W ||_F
  double matrix_error_in_phase = 0.0;  ///< the same of the real part alone: what homodyne receivers see
};

/// What the operator set on a whole chip, [layer][block].
struct ChipProgram {
  std::vector<std::vector<BlockProgram>> layers;
  /// Light that each layer passes less than its mean loss leaves, dB, which its receivers make up for
  /// (fit_chip()); negative: more; empty: 0.
  std::vector<double> headroom_db = {};

  /// MZIs whose splitters cannot reach the bar power asked of them (corrected only).
  int clipped() const;
};

/// A programmed chip in operation.
struct ChipState {
  std::vector<LayerState> layers;
  int clipped = 0;  ///< MZIs whose splitters cannot reach the bar power asked of them (corrected only)
};

/// Phases of a whole chip, block by block as program_block(); `known`: what calibration knows of its errors.
ChipProgram program(const ChipDesign& design, const ChipErrors& known, int dac_bits, Programming programming,
                    DacMode mode = DacMode::phase);

/// What a perfect, uniformly lossy layer makes of its W, field ratio: fan-out or fan-in, the model's mean loss
/// and the measured one of every column, 1/passive_scale, and a program's headroom. Calibration on the design
/// undoes it.
double nominal_layer_factor(const LayerDesign& layer, const ErrorModel& model, double headroom_db = 0.0);

/// The chip as light meets it: programmed so, with the errors it has at this moment. `model`: what the design
/// knows of their mean (loss).
ChipState settle_chip(const ChipDesign& design, const ChipProgram& program, const ChipErrors& errors,
                      const ErrorModel& model);

/// Programs a chip with all its splitters known (phases, corrected or not; then the DAC grid of `model`) and
/// lets it settle.
ChipState programmed_chip(const ChipDesign& design, const ChipErrors& errors, const ErrorModel& model,
                          Programming programming);

/// Sends fields (inputs, words) through one layer MZI by MZI and returns those at its outputs (outputs, words).
/// The same as state.transfer times the fields, for states that change too often to be compiled.
FieldBatch propagate_layer(const LayerDesign& design, const LayerState& state, const FieldBatch& fields);

}  // namespace optinc
