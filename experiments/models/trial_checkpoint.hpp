#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "experiments/models/learning/light_channel.hpp"
#include "experiments/study/study_config.hpp"

namespace optinc {

/// How far a trial of model learning has come.
struct LearningState {
  std::size_t variant = 0;     ///< that is being trained
  Learner learner;             ///< of that variant
  double loss_sum = 0.0;       ///< of its steps since the last evaluation (nats)
  CodeErrors errors;           ///< that its channel counted
  Eigen::MatrixXf residual;    ///< of its error feedback; empty without
  std::vector<double> record;  ///< of the trial, as far as it is filled
};

/// Keeps the trainings of one trial on the disk while they run, so that an interrupted study of long trainings
/// does not begin them anew: a file FOLDER/POINT-TRIAL.h5, replaced whole every ten seconds of training and
/// when an end is asked for, and removed when the trial is done. Safe for many trials at once on threads of one
/// process, and for many processes.
class TrialCheckpoint {
 public:
  /// `folder` empty: keeps nothing.
  TrialCheckpoint(const std::filesystem::path& folder, const StudyConfig& at_point, std::uint32_t trial);

  /// What an earlier run left of this very trial (point, seed and all that its result depends on; `settings`
  /// and `task` of its training); nothing where there is nothing, or something else.
  std::optional<LearningState> found(const DataParallelSettings& settings, const LearningTask& task) const;

  /// Keeps `state()`, if ten seconds have gone by since the last time; where an end was asked for, now, and
  /// then throws Interrupted. Where the disk does not take it, that is a warning.
  void keep(const std::function<LearningState()>& state);

  /// Removes the file.
  void remove() const;

 private:
  std::filesystem::path path_;
  std::string identity_;
  double kept_s_;
};

/// Removes a folder of trainings when the run ends and nothing is in it. Of a run that is complete, what is
/// still kept there goes first: what killed processes and other configurations left is no use to anybody.
void remove_trial_checkpoints(const std::filesystem::path& folder, bool complete);

}  // namespace optinc
