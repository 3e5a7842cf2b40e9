#pragma once

#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "experiments/run/run_options.hpp"
#include "experiments/run/study_inputs.hpp"
#include "experiments/run/trials/journal.hpp"
#include "experiments/run/trials/run_trials.hpp"

namespace optinc {

/// All that is known of a study under way.
struct StudyState {
  StudyConfig config;
  Shard shard;
  std::optional<StudyInputs> inputs;     ///< none before the network is trained
  std::optional<Records> records;        ///< none before the first trial
  std::string replaces = {};             ///< fingerprint() of the file that --force gave up to it; empty: none
  std::string command = {};              ///< that began it, as typed; empty where nobody wrote it down
  std::set<std::string> revisions = {};  ///< of the programs that computed its trials, where written down
};

/// The first line of a journal's header: the shard, and the file that its run was told to replace.
std::string journal_heading(const StudyState& state);

/// What a journal keeps above its configuration: TOML comments with the command that began the run and the
/// revisions of its programs, a line each.
std::string journal_comments(std::string_view command, const std::set<std::string>& revisions);

/// Adds this program's revision to the state's. Throws Error where require_one_revision() does.
void add_revision(StudyState& state, const std::filesystem::path& where, const RunOptions& options);

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

/// Point and trial of the first that both know and of which they know different values; nothing where they
/// agree.
std::optional<std::pair<std::size_t, std::size_t>> contradiction(const StudyState& a, const StudyState& b);

/// The layout of a state's records.
TrialModel layout_of(const StudyState& state);

}  // namespace optinc
