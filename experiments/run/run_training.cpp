#include "experiments/run/run_training.hpp"

#include <optional>

#include <fmt/format.h>

#include "experiments/base/interrupt.hpp"
#include "experiments/files/hdf5/atomic_file.hpp"
#include "experiments/files/hdf5/provenance.hpp"
#include "experiments/run/output_state.hpp"
#include "experiments/run/result_groups.hpp"
#include "experiments/run/study_inputs.hpp"
#include "experiments/run/training_checkpoint.hpp"
#include "experiments/study/stored_config.hpp"
#include "experiments/study/study_model.hpp"
#include "experiments/study/study_warnings.hpp"
#include "physics/core/check.hpp"

namespace optinc {
namespace {

namespace fs = std::filesystem;

/// Throws Error where the output is not as the training found it.
void require_as_found(const RunOptions& options, const TrainingOrigin& origin) {
  validate(is_as_found(options.output, origin.replaces),
           "{}: not what was there when the training began (nothing is overwritten unasked). Move it away; the "
           "training is in {}: optinc resume {}",
           options.output.string(), checkpoint_path(options.output).string(), options.output.string());
}

/// Trains, or goes on with what is kept, and writes the network.
Ending train_to_file(const StudyConfig& config, const RunOptions& options, const TrainingOrigin& origin) {
  ignore_sigpipe();
  use_threads(config);
  StudyInputs inputs;
  try {
    inputs = {{make_network_of(config, options.quiet, {checkpoint_path(options.output), origin})}};
  } catch (const Interrupted&) {
    return interrupted_training(options);
  }
  require_as_found(options, origin);
  AtomicFile out(options.output, fs::exists(options.output));
  write_provenance(out.file(), config, "OptINC: trained network", origin.command);
  write_revisions(out.file(), origin.revisions);
  write_warnings(out.file(), lines_of(study_warnings(config)));
  write_study_inputs(out.file().root(), inputs);
  const Network& network = inputs.networks.front().network;
  write_onn_group(out.file().group("onn"), network, summarise(network));
  out.commit();
  forget_training(options.output);
  return Ending::complete;
}

/// Whether the output holds what this training gives: its process died before it could forget it.
bool is_finished(const RunOptions& options, const TrainingCheckpoint& kept) {
  if (output_state(options.output).file != AtOutput::network) return false;
  if (fingerprint(options.output) == kept.origin.replaces) return false;
  return run_id(stored_config(File::open(options.output))) == run_id(kept.config);
}

}  // namespace

Ending run_training(const StudyConfig& config, const RunOptions& options) {
  validate_config(config);
  validate(has_network(config.model),
           "model = \"{}\" has no network to train (chips have). Set model = \"chip\".", config.model);
  require_free_output(options);
  const OutputLock held(options.output);
  require_free_output(options);  // another training may have ended before we held it
  forget_training(options.output);
  print_warnings(lines_of(study_warnings(config)));
  return train_to_file(
      config, options,
      {std::string(options.command), {std::string(program_revision())}, fingerprint(options.output)});
}

Ending resume_training(const ResumeChanges& changes, const RunOptions& options) {
  validate(
      !changes.trials && !changes.time_limit_s,
      "{}: --trials or --time-limit for a training (it has no trials). Leave them out, or run a study of its "
      "network.",
      options.output.string());
  const OutputLock held(options.output);
  const fs::path path = checkpoint_path(options.output);
  std::optional<TrainingCheckpoint> kept;
  if (output_state(options.output).training != Beside::nothing) kept = read_checkpoint(path);
  if (!kept || is_finished(options, *kept)) {
    remove_leftovers(options.output);
    if (kept) forget_training(options.output);
    say(options.quiet, fmt::format("optinc: {}: the training is finished, there is nothing to resume",
                                   options.output.string()));
    return Ending::complete;
  }
  require_as_found(options, kept->origin);
  StudyConfig config = kept->config;
  config.run.threads = changes.threads.value_or(0);
  validate_config(config);
  TrainingOrigin origin = kept->origin;
  require_one_revision(origin.revisions, path, "a training", options.mixed_revisions);
  origin.revisions.emplace(program_revision());
  origin.command = joined_commands(origin.command, options.command);
  return train_to_file(config, options, origin);
}

Ending interrupted_training(const RunOptions& options) {
  if (!fs::exists(checkpoint_path(options.output))) throw Interrupted();
  say(false, fmt::format("optinc: the training so far is kept in {}. Continue with: optinc resume {}",
                         checkpoint_path(options.output).string(), options.output.string()));
  return Ending::interrupted;
}

void forget_training(const fs::path& output) {
  const fs::path kept = checkpoint_path(output);
  std::error_code none;
  fs::remove(kept, none);
  remove_leftovers(kept);
}

}  // namespace optinc
