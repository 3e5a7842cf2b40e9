#pragma once

#include <string>
#include <vector>

#include "experiments/run/merge_studies.hpp"
#include "experiments/run/replay.hpp"
#include "experiments/run/run_study.hpp"
#include "experiments/study/study_config.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/run_options.hpp"
#include "tests/support/scratch.hpp"

namespace optinc {

/// Runs a study, whole.h5, and half of it; changes what it reads. A trial of the whole then repeats from what
/// its file keeps, and the other half is not merged with the first: the message has these parts.
template <class Change>
void check_kept_inputs(const StudyConfig& config, const Scratch& scratch, Change change,
                       const std::vector<std::string>& parts) {
  RunOptions half = to(scratch / "first.h5");
  half.shard = {1, 2};
  run_study(config, half);
  run_study(config, to(scratch / "whole.h5"));
  change();
  CHECK(replay_trial(scratch / "whole.h5", 0, 3, to(scratch / "trial.h5")).differing == 0);
  RunOptions rest = to(scratch / "second.h5");
  rest.shard = {2, 2};
  run_study(config, rest);
  check_message(refusal([&] {
                  merge_studies({scratch / "first.h5", scratch / "second.h5"}, to(scratch / "merged.h5"));
                }),
                parts);
}

}  // namespace optinc
