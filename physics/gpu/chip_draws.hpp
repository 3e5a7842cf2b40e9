#pragma once

#include <cstdint>

#include "physics/gpu/stream_key.hpp"

namespace optinc {

struct ErrorModel;
struct MeshAddress;

namespace gpu {

/// ErrorModel as draw_mesh_errors() uses it, with the streams it draws from.
struct Draws {
  double sigma_alpha, sigma_beta, rho, sigma_calibration, sigma_phase, mean_arm_db, arm_spread_db;
  StreamKey splitters, calibration, phase_noise, losses;
};

/// How chips are programmed for their splitters: correct_splitters(), and then a DAC.
struct Correction {
  bool quadrature;  ///< Clipping::quadrature, else nearest
  bool voltage;     ///< DacMode
  int dac_bits;     ///< 0: none
};

/// What draw_mesh_errors() draws from; `first`: of any chip of this mesh.
Draws draws_of(const ErrorModel& model, const MeshAddress& first);

/// A model's DAC, behind a correction.
Correction correction_of(const ErrorModel& model, bool quadrature);

}  // namespace gpu
}  // namespace optinc
