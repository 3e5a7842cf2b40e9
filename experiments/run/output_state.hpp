#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "experiments/run/run_options.hpp"
#include "experiments/run/trials/journal.hpp"

namespace optinc {

/// What may lie at an output: nothing; a result file of a study, finished or not; a network that
/// optinc train finished; anything else, be it a file of OptINC or not, or one that is damaged.
enum class AtOutput { nothing, trials, network, other };

/// All that decides what a command may do at an output. experiments/run/README.md says what each does.
struct OutputState {
  AtOutput file;
  Beside journal, training;
};

/// Looks at an output, OUTPUT.journal and OUTPUT.training, and changes nothing. Throws Error where that cannot
/// be done: links in a circle, names that are too long, folders that may not be read.
OutputState output_state(const std::filesystem::path& output);

/// Looks at the output of a command that begins there anew. Throws Error where it can not be written, where
/// anything lies there or a training is kept that options.force does not give up, and where something of others
/// lies at the training's place.
OutputState require_free_output(const RunOptions& options);

/// What a file is recognised by: its size and CRC-32. Of nothing, and of what is no plain file: empty.
std::string fingerprint(const std::filesystem::path& path);

/// Whether a file that was begun when `found` was at the output, and was told to replace it, may be written: it
/// is still there, or nothing is.
bool is_as_found(const std::filesystem::path& output, std::string_view found);

}  // namespace optinc
