#pragma once

#include <string>
#include <vector>

#include "experiments/study/study_config.hpp"
#include "onn/chip/chip.hpp"

namespace optinc {

/// The errors of a whole chip that the user measured, and the file that chip.measured names.
struct MeasuredChip {
  std::string source;
  ChipErrors errors;
};

/// Those of a study, each once.
using MeasuredChips = std::vector<MeasuredChip>;

/// What the chip files that chip.measured names at any of a study's points hold. Throws Error for a file that
/// cannot be read (read_chip()).
MeasuredChips read_measured_chips(const std::vector<StudyConfig>& points);

/// The chip that a point names, null where it names none. Throws Error where the named one is not among
/// `chips`.
const MeasuredChip* measured_chip(const StudyConfig& at_point, const MeasuredChips& chips);

/// Throws Error, which names the file and the mesh, unless the chip that the point names, if any, has the
/// meshes of a network of this shape.
void require_measured_fit(const StudyConfig& at_point, const MeasuredChips& chips, const Network& shape);

}  // namespace optinc
