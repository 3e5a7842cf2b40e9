#include "experiments/engine/study/run_training.hpp"

#include <array>
#include <fstream>

#include <fmt/format.h>

#include "experiments/engine/config/study_model.hpp"
#include "experiments/engine/config/study_warnings.hpp"
#include "experiments/engine/process/interrupt.hpp"
#include "experiments/engine/runner/journal.hpp"
#include "experiments/engine/store/atomic_file.hpp"
#include "experiments/engine/store/provenance.hpp"
#include "experiments/engine/study/result_groups.hpp"
#include "experiments/engine/study/study_inputs.hpp"
#include "experiments/engine/study/training_checkpoint.hpp"
#include "physics/core/check.hpp"

namespace optinc {
namespace {

namespace fs = std::filesystem;

/// Whether it is a plain file that begins as every HDF5 file does.
bool begins_as_hdf5(const fs::path& path) {
  constexpr std::string_view signature = "\x89HDF\r\n\x1a\n";
  std::error_code none;
  if (!fs::is_regular_file(path, none)) return false;
  std::array<char, signature.size()> start = {};
  std::ifstream(path, std::ios::binary).read(start.data(), start.size());
  return std::string_view(start.data(), start.size()) == signature;
}

/// Trains, or goes on with what is kept, and writes the network.
Ending train_to_file(const StudyConfig& config, const RunOptions& options, bool force) {
  ignore_sigpipe();
  const fs::path kept = checkpoint_path(options.output);
  use_threads(config);
  StudyInputs inputs;
  try {
    inputs = {{make_network_of(config, options.quiet, {kept, options.command})}};
  } catch (const Interrupted&) {
    return interrupted_training(options);
  }
  AtomicFile out(options.output, force);
  write_provenance(out.file(), config, "OptINC: trained network", options.command);
  write_warnings(out.file(), lines_of(study_warnings(config)));
  write_study_inputs(out.file().root(), inputs);
  const Network& network = inputs.networks.front().network;
  write_onn_group(out.file().group("onn"), network, summarise(network));
  remove_leftovers(options.output);
  out.commit();
  forget_training(options);
  return Ending::complete;
}

}  // namespace

Ending run_training(const StudyConfig& config, const RunOptions& options) {
  validate_config(config);
  validate(has_network(config.model),
           "model = \"{}\" has no network to train (chips have). Set model = \"chip\".", config.model);
  require_writable_output(options.output, options.force);
  require_no_checkpoint(options);
  const OutputLock held(options.output);
  forget_training(options);
  print_warnings(lines_of(study_warnings(config)));
  return train_to_file(config, options, options.force);
}

Ending resume_training(const ResumeChanges& changes, const RunOptions& options) {
  validate(!changes.trials && !changes.time_limit_s,
           "--trials or --time-limit for {}: a training has no trials. Leave them out.",
           options.output.string());
  const OutputLock held(options.output);
  const TrainingCheckpoint kept = read_checkpoint(checkpoint_path(options.output));
  StudyConfig config = kept.config;
  config.run.threads = changes.threads.value_or(0);
  validate_config(config);
  const std::string commands = joined_commands(kept.command, options.command);
  RunOptions both = options;
  both.command = commands;
  return train_to_file(config, both, true);  // asked before the training began
}

Ending interrupted_training(const RunOptions& options) {
  if (!fs::exists(checkpoint_path(options.output))) throw Interrupted();
  say(false, fmt::format("optinc: the training so far is kept in {}. Continue with: optinc resume {}",
                         checkpoint_path(options.output).string(), options.output.string()));
  return Ending::interrupted;
}

void require_no_checkpoint(const RunOptions& options) {
  const fs::path path = checkpoint_path(options.output);
  validate(!fs::exists(fs::symlink_status(path)) || begins_as_hdf5(path),
           "{}: not a training of OptINC (the place of one under way). Move it away, or choose another output.",
           path.string());
  validate(options.force || !fs::exists(path),
           "{}: a training for that output is under way or was not finished. Continue it with optinc resume "
           "{}, or start anew with --force.",
           path.string(), options.output.string());
}

void forget_training(const RunOptions& options) {
  const fs::path kept = checkpoint_path(options.output);
  std::error_code none;
  fs::remove(kept, none);
  remove_leftovers(kept);
}

}  // namespace optinc
