#pragma once

#include <filesystem>
#include <optional>
#include <set>
#include <string>

#include "experiments/study/study_config.hpp"
#include "onn/training/checkpoint.hpp"

namespace optinc {

/// Beside the output: OUTPUT.training.
std::filesystem::path checkpoint_path(const std::filesystem::path& output);

/// How a training came to be, which its file keeps.
struct TrainingOrigin {
  std::string command;                   ///< that began it, as typed
  std::set<std::string> revisions = {};  ///< of the programs that had a part in it
  std::string replaces = {};             ///< fingerprint() of the file that --force gave up to it; empty: none
};

/// A training that was not finished, as its file holds it (FORMAT.md, "Training
/// under way").
struct TrainingCheckpoint {
  StudyConfig config;
  TrainingOrigin origin;
  std::optional<Network> start;  ///< that it goes on from
  TrainingState state;
};

/// Writes it whole or not at all, over an earlier one; reads it to the same
/// bits. Throws Error.
void write_checkpoint(const std::filesystem::path& path, const TrainingCheckpoint& checkpoint);
TrainingCheckpoint read_checkpoint(const std::filesystem::path& path);

/// Whether a configuration asks for the training that another one began: seed,
/// task, network, training and, on chips, what those are; not its threads.
bool same_training(const StudyConfig& a, const StudyConfig& b);

/// Keeps one training on the disk while it runs: at its first step, every ten
/// seconds and when an end is asked for, which it then throws as Interrupted.
class TrainingKeeper {
 public:
  /// `path` empty: keeps nothing. What lies there is gone on with. Throws Error
  /// where it is not the same_training().
  TrainingKeeper(const StudyConfig& config, std::filesystem::path path, const TrainingOrigin& origin);

  /// Whether it has a file.
  bool keeps() const { return !path_.empty(); }
  /// The network that the training began from.
  const std::optional<Network>& start() const { return kept_.start; }
  /// Epochs that were found done.
  int epochs_done() const { return found_ ? kept_.state.epoch - 1 : 0; }

  /// For a trainer, which goes on from `start` where that is set. The keeper
  /// must outlive it.
  Checkpointing keeping(const std::optional<Network>& start);
  /// Removes the file: the network is stored, or training failed.
  void remove() const;

 private:
  void keep(const std::function<TrainingState()>& state);

  std::filesystem::path path_;
  TrainingCheckpoint kept_;
  bool found_ = false;
  double saved_s_ = -1e9;
};

}  // namespace optinc
