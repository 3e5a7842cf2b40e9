#pragma once

#include <filesystem>
#include <optional>

#include "experiments/runner/journal.hpp"
#include "experiments/runner/run_trials.hpp"
#include "experiments/study/prelude.hpp"

namespace optinc {

/// All that is known of a study under way.
struct StudyState {
  StudyConfig config;
  Shard shard;
  std::optional<Prelude> prelude;  ///< none before the network is trained
  std::optional<Records> records;  ///< none before the first trial
  bool fresh = false;              ///< of a journal: its run started from nothing, whatever lies at its output
  std::string command = {};        ///< that began it, as typed; empty where nobody wrote it down
};

/// Behind the shard in the header of a journal whose run started from nothing.
inline constexpr const char* fresh_mark = " fresh";

/// What a journal keeps above its configuration: a TOML comment with the command that began the run, in one
/// line.
std::string command_comment(std::string_view command);

/// What a result file holds of a study. Throws Error for other files.
StudyState read_state(const std::filesystem::path& results);

/// Opens a run's journal again with what it holds. Throws Error.
struct OpenedJournal {
  Journal journal;
  StudyState state;
};
OpenedJournal reopen_journal(const std::filesystem::path& path);

/// Adds what `from` knows of the same study and `to` does not; a study may have grown in trials.
void add_state(const StudyState& from, StudyState& to);

/// The layout of a state's records.
TrialModel layout_of(const StudyState& state);

}  // namespace optinc
