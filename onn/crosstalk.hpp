#pragma once

#include "onn/chip.hpp"
#include "onn/crosstalk_settings.hpp"
#include "physics/thermal/crosstalk_inversion.hpp"

namespace optinc {

/// Phases from powers, the real ones and those that the operator computes with, [layer]: the same for every
/// chip of a design and every block of a layer. Meshes are far apart, attenuators stand alone.
struct ChipCrosstalk {
  struct OfMesh {
    PhaseResponse real, known;
  };
  std::vector<OfMesh> layers;
};
ChipCrosstalk chip_crosstalk(const ChipDesign& design, const CrosstalkSettings& settings);

/// Adds what crosstalk makes of a program to the chip's phase offsets: powers P solve Xi_known P = phase (a
/// turn more where a power would be negative), the light gets Xi_real P, and the difference is the error.
void add_crosstalk(const ChipCrosstalk& crosstalk, const ChipProgram& program, ChipErrors& errors);

}  // namespace optinc
