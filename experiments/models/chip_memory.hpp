#pragma once

#include "experiments/study/study_config.hpp"

namespace optinc {

/// Bytes that the chips of a study take besides its records. Counted, 8 bytes a number: the design; the words
/// of an epoch and gradients of a training; what is measured once; per thread one chip (errors, phases, settled
/// meshes, transfer matrices of two programs) and the words on their way (codes, outputs, fields of 512 words
/// at the widest layer, or of all their samples where they are unclocked); per thread the matrices of crosstalk
/// where x0 > 0 at the study's own chip or at a point of a sweep; the random fields of chips from wafers.
double chip_memory_bytes(const StudyConfig& config, int threads);

/// The part of crosstalk at one configuration, of one thread: two sparse matrices for each layer's mesh (heat
/// as it is and as the operator knows it), and one being put together. Entries a heater: those within 8 d0 on
/// the floor plan.
double crosstalk_memory_bytes(const StudyConfig& at_point);

}  // namespace optinc
