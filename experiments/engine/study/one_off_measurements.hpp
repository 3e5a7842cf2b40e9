#pragma once

#include <optional>

#include "experiments/engine/study/gradient_transfer.hpp"
#include "experiments/engine/study/result_groups.hpp"
#include "experiments/engine/study/study_inputs.hpp"

namespace optinc {

/// What a study measures once, after its trials.
struct OneOffResults {
  std::optional<OnnSummary> onn;             ///< of every study with a network
  std::optional<Eye> eye;                    ///< measure.once = eye
  std::optional<GradientTransfer> gradient;  ///< measure.once = gradient
};

/// Throws Error where data that a study needs is missing or does not fit: ask before the long work.
void require_data(const StudyConfig& config);

/// Every word through the network and through a perfect chip; then what measure.once names, at the study's own
/// chip. Throws Interrupted.
OneOffResults measure_one_offs(const StudyConfig& config, const StudyInputs& inputs, bool quiet);

/// The groups `onn`, `eye` and `gradient`, as far as they were measured.
void write_one_offs(const Group& root, const StudyConfig& config, const StudyInputs& inputs,
                    const OneOffResults& once);

}  // namespace optinc
