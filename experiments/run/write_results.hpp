#pragma once

#include "experiments/run/one_off_measurements.hpp"
#include "experiments/run/run_options.hpp"
#include "experiments/run/state.hpp"

namespace optinc {

/// The result file, for whoever holds its place; `once` is null where the study is not complete; `replace`: a
/// file of that name. Throws Error.
void write_results(const StudyState& state, const TrialModel& model, const OneOffResults* once,
                   const RunOptions& options, bool replace);

}  // namespace optinc
