#pragma once

#include "physics/mesh/program.hpp"

namespace optinc {

/// Factors of the target that a fit chooses: what gains and attenuators behind a mesh make up for.
enum class FitScale {
  fixed,   ///< none: the target as it is given
  common,  ///< one for all rows, the best there is
  rows,    ///< one of every row
};

/// When fit_program() stops, and what it counts. It also stops behind a step that lowers E^2 by less than 1e-15
/// of it: what is left is rounding, for which a line search would try dozens of lengths in every step. A fit
/// that starts within 1e-7 rad of a saddle ends there.
struct FitOptions {
  int steps = 500;              ///< at most so many
  double tolerance = 1e-9;      ///< or when E is below this
  int memory = 10;              ///< pairs of steps and gradients that L-BFGS keeps
  bool in_phase = false;        ///< only Re(T - U) counts: what homodyne receivers see of a real target
  double oscillator_rad = 0.0;  ///< rms phase of these receivers' oscillators: Im T counts by so much of it
  FitScale scale = FitScale::fixed;
  double noise = 0.0;  ///< of receivers, over the row of the target: light that is given away makes it larger
  double start_rad = 0.0;  ///< every phase starts so far, rms, off the start: a decomposition is a saddle
  Vector row_weight =
      {};  ///< (N) what the squared error of each row counts; empty: 1. 0: nothing reads the port
};

/// A program that gradient descent found.
struct FittedProgram {
  MeshProgram program;
  double error = 0.0;  ///< E
  int steps = 0;       ///< taken
  Vector scale;        ///< (N) factors t of the target; 1 where it is fixed
};

/// Fits phases of standard MZIs on any topology to a target matrix U (N, N), for meshes that no decomposition
/// is known for, such as butterfly_topology(), and for meshes with known errors. Of the mesh's T it minimises
///
///     E^2 = (1/N) sum_r w_r ( |Re(T_r / t_r - U_r)|^2 + q |Im(T_r / t_r - U_r)|^2 + (noise |U_r| / t_r)^2 )
///
/// over theta, phi and output phases; q = 1, or with `in_phase` q = oscillator_rad^2 and no imaginary part of
/// U: a receiver whose oscillator is off by x sees Re T cos x + Im T sin x. With FitScale::rows every t_r is
/// the best one, (|T_r|_q^2 + (noise |U_r|)^2) / <T_r, U_r>_q (w_r-weighted sums of both over all rows with
/// FitScale::common), and E no longer depends on how much light is passed. Surplus light then goes to where it
/// is not seen, and what cannot be given is not asked for. L-BFGS (Nocedal 1980) with a backtracking line
/// search, gradients by MeshEngine::backward(). Finds a local minimum: start from several programs where the
/// first is none; a decomposition is a saddle of a mesh with losses. Throws Error where sizes do not agree.
FittedProgram fit_program(const MeshTopology& topology, const MeshErrors& errors, const Matrix& target,
                          const MeshProgram& start, const FitOptions& options = {});

/// A real matrix on a mesh with known errors, behind homodyne receivers.
struct FittedRealProgram {
  MeshProgram program;
  double error = 0.0;        ///< rms error of what receivers see of it (FittedProgram::error)
  double headroom_db = 0.0;  ///< light that it gets less than a mesh whose arms all lose their mean passes
};

/// Fits the phases of a mesh with known errors, losses among them, so that receivers whose oscillators are off
/// by `oscillator_rad` rms see the real matrix that `ideal` makes on a perfect mesh: fit_program() with
/// FitScale::common, from phases corrected for splitters and offsets (correct_splitters()), 0.02 rad off. See
/// physics/mesh/headroom.hpp for what can be reached. Throws Error where sizes do not agree, and for a matrix
/// that is not real to 1e-6.
FittedRealProgram fit_real_program(const MeshTopology& topology, const MeshProgram& ideal,
                                   const MeshErrors& errors, double oscillator_rad = 0.0, int steps = 600);

}  // namespace optinc
