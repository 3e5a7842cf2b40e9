#pragma once

#include "onn/chip/chip.hpp"

namespace optinc {

/// How phases of a chip are fitted.
struct ChipFit {
  int steps = 600;              ///< of every mesh
  double oscillator_rad = 0.0;  ///< rms phase of receivers' oscillators against their light
  /// Of receivers over a row's light at its mean loss (assumed): headroom that gains less is not given away.
  double noise = 0.05;
  double start_rad = 0.0;  ///< every phase starts so far, rms, off the program: a decomposition is a saddle
};

/// Fits the phases of `start` to the errors of a chip, mesh by mesh, so that receivers see Re(T_r) = t_r U_r
/// (fit_program(), FitScale::rows): a row that passes much sends its surplus into the quadrature that homodyne
/// receivers do not see, and no row is asked for light that it cannot give. What counts of a row is its
/// attenuator's transmission a_r squared. Attenuators then pass  a_r t / t_r,  with their own losses undone, t
/// the most that every attenuator of the layer can follow; receivers make up for what t is below the layer's
/// mean loss (ChipProgram::headroom_db). A layer of one mesh without attenuators has one t, for which its
/// receivers make up; several meshes without attenuators keep the target of their mean loss, to agree. Phases
/// are not on a DAC's grid. Throws Error as fit_program().
ChipProgram fit_chip(const ChipDesign& design, ChipProgram start, const ChipErrors& errors,
                     const ErrorModel& model, const ChipFit& fit);

}  // namespace optinc
