#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/run/trials/run_trials.hpp"

namespace optinc {

/// What rank 0 tells the others of a study.
struct SentStudy {
  std::string config_toml;
  std::vector<std::byte> inputs;
  std::string keep_in;  ///< path of the folder where long trials keep what they have; empty: nowhere
};

/// The processes of one run under mpirun, or this one alone. Rank 0 is the tool as ever: it reads, hands out
/// trials and alone writes; the other ranks only run trials for it. Made once, at the start of the program.
class Ranks {
 public:
  /// Joins the others when a launcher started this process (mpirun, srun). command: as typed. Throws Error when
  /// one did and this build has no MPI, or MPI knows of no others, unless the command has --shard; and for
  /// ranks whose commands differ.
  explicit Ranks(std::string_view command);
  ~Ranks();  // NOLINT(performance-trivially-destructible): not where there is MPI
  Ranks(const Ranks&) = delete;

  /// Number of this process, from 0.
  int rank() const { return rank_; }
  /// Processes in all.
  int size() const { return size_; }

  /// Rank 0: sends the study to the others, ahead of the trials.
  void begin(const SentStudy& study);

  /// Rank 0: hands trials out to the other ranks, one at a time as they ask.
  Executor executor();

  /// What runs a trial.
  using Worker = std::function<TrialResult(const TrialTask&)>;
  /// Other ranks: waits for a study, runs what is handed out, until rank 0 ends. `prepare` makes the worker.
  void work(const std::function<Worker(const SentStudy&)>& prepare);

  /// Ends all ranks at once: for an error on one that the others cannot know of.
  [[noreturn]] static void abort();

 private:
  int rank_ = 0, size_ = 1;
};

}  // namespace optinc
