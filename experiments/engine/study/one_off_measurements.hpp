#pragma once

#include <optional>

#include "experiments/engine/study/gradient_transfer.hpp"
#include "experiments/engine/study/result_groups.hpp"
#include "experiments/engine/study/study_inputs.hpp"

namespace optinc {

/// What a study measures once, after its trials.
struct OnceResults {
  std::optional<OnnSummary> onn;             ///< of every study with a network
  std::optional<Eye> eye;                    ///< measure.once = eye
  std::optional<GradientTransfer> gradient;  ///< measure.once = gradient
};

/// Throws Error where data that a study needs is missing or does not fit: ask before the long work.
void require_data(const StudyConfig& config);

/// Every word through the network and through a perfect chip; then what measure.once names, at the study's own
/// chip. Throws Interrupted.
OnceResults measure_once(const StudyConfig& config, const Prelude& prelude, bool quiet);

/// The groups `onn`, `eye` and `gradient`, as far as they were measured.
void write_once(const Group& root, const StudyConfig& config, const Prelude& prelude, const OnceResults& once);

}  // namespace optinc
