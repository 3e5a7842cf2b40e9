#include <memory>

#include "experiments/cli/command_table.hpp"
#include "experiments/run/merge_studies.hpp"
#include "experiments/run/run_study.hpp"

namespace optinc {
namespace {

void add_study(CLI::App& command, StudyArguments& study) {
  command.add_option("STUDY", study.study, "Study file, or name of a shipped study (optinc list)")->required();
  add_output(command, study.out);
  add_settings(command, study.overrides.settings,
               "Override a value of the study: section.key=value; repeatable");
  command.add_option("--seed", study.seed, "Seed of all random number streams (run.seed)")
      ->check(whole_number());
  command.add_option("--threads", study.threads,
                     "Number of threads, 0: all cores (run.threads); results do not depend on it");
  command.add_flag("--print-config", study.print_config, "Print the complete configuration as TOML and exit");
}

void add_trials(CLI::App& command, StudyArguments& study) {
  command
      .add_option("--sweep", study.overrides.sweeps,
                  "Sweep section.key=[values]; replaces the study's sweep of that key or adds one; repeatable")
      ->expected(1)
      ->take_all();
  command.add_option("--trials", study.trials, "Trials per sweep point (runner.trials)");
  command.add_option("--shard", study.shard, "Run part I of N, written I/N; optinc merge combines the parts");
  command.add_flag("--dry-run", study.dry_run,
                   "Print the number of trials, expected time, memory and file size, and exit");
}

void add_run(CommandTable& commands) {
  const auto study = std::make_shared<StudyArguments>();
  CLI::App& run = commands.add(
      "run", "Run a study and write its result file",
      "optinc run quickstart -o results.h5 --trials 60 --seed 7\n"
      "  optinc run STUDY.toml -o part2.h5 --shard 2/4          the second of four machines\n"
      "  mpirun -n 4 optinc run STUDY.toml -o results.h5        four MPI ranks; identical results\n"
      "A key that the model of the study does not read cannot be swept; setting it prints a warning.\n"
      "optinc explain KEY lists the models that read a key.\n"
      "[noise] acts in variant noisy, and in all variants with drift.",
      [study, &commands] { return run_command(*study, commands.typed(), commands.ranks()); });
  add_study(run, *study);
  add_trials(run, *study);
}

void add_ablate(CommandTable& commands) {
  const auto ablation = std::make_shared<StudyArguments>();
  ablation->overrides.ablation = true;
  CLI::App& ablate = commands.add(
      "ablate", "Run a study with each error source alone, with all of them, and with all but one",
      "optinc ablate splitter_errors -o a.h5 --sweep chip.sigma_eta_rad=[0.02] --set measure.once=[]",
      [ablation, &commands] { return run_command(*ablation, commands.typed(), commands.ranks()); });
  add_study(ablate, *ablation);
  add_trials(ablate, *ablation);
}

void add_mixed_revisions(CLI::App& command, OutputArguments& out) {
  command.add_flag("--mixed-revisions", out.mixed_revisions,
                   "Accept trials or training of other revisions of the program; the file lists them");
}

void add_resume(CommandTable& commands) {
  const auto changes = std::make_shared<ResumeChanges>();
  const auto resumed = std::make_shared<OutputArguments>();
  CLI::App& resume = commands.add(
      "resume", "Resume an interrupted run or training, or extend a run by more trials",
      "optinc resume results.h5 --trials 200",
      [changes, resumed, &commands] { return status_of(resume_study(*changes, commands.options(*resumed))); });
  resume
      .add_option("RESULTS.h5", resumed->output,
                  "Output file of the run; need not exist if the run was killed before writing it")
      ->required();
  resume.add_option("--trials", changes->trials, "New number of trials per sweep point, larger than before");
  resume.add_option("--threads", changes->threads, "Number of threads, 0: all cores");
  resume.add_option("--time-limit", changes->time_limit_s, "Time after which no new trial starts [s]");
  add_mixed_revisions(resume, *resumed);
  resume.add_flag("--quiet", resumed->quiet, "Hide progress");
}

void add_merge(CommandTable& commands) {
  const auto shards = std::make_shared<std::vector<std::string>>();
  const auto merged = std::make_shared<OutputArguments>();
  CLI::App& merge =
      commands.add("merge", "Merge the shards of a study into one result file",
                   "optinc merge part1.h5 part2.h5 part3.h5 part4.h5 -o all.h5", [shards, merged, &commands] {
                     merge_studies({shards->begin(), shards->end()}, commands.options(*merged));
                     return 0;
                   });
  merge.add_option("SHARD.h5", *shards, "Result files of optinc run --shard I/N")->required();
  add_mixed_revisions(merge, *merged);
  add_output(merge, *merged);
}

void add_replay(CommandTable& commands) {
  const auto replayed = std::make_shared<std::string>();
  const auto trial = std::make_shared<std::size_t>();
  const auto point = std::make_shared<std::size_t>();
  const auto replay_out = std::make_shared<OutputArguments>();
  CLI::App& replay =
      commands.add("replay", "Repeat one trial of a result file and record its intermediate values",
                   "optinc replay results.h5 --point 2 --trial 17 -o trial.h5",
                   [replayed, trial, point, replay_out, &commands] {
                     return replay_command(*replayed, *point, *trial, commands.options(*replay_out));
                   });
  replay.add_option("RESULTS.h5", *replayed, "Result file of a study")->required();
  replay.add_option("--trial", *trial, "Number of the trial, counted from 0")
      ->required()
      ->check(whole_number());
  replay
      .add_option("--point", *point,
                  "Number of the sweep point, counted from 0; the last sweep varies fastest (default: 0)")
      ->check(whole_number());
  add_output(replay, *replay_out);
}

void add_train(CommandTable& commands) {
  const auto training = std::make_shared<StudyArguments>();
  CLI::App& train = commands.add(
      "train", "Train the network of a study and write it to a file",
      "optinc train splitter_errors -o network.h5 --set task.rounding=floor",
      [training, &commands] { return train_command(*training, commands.typed(), commands.ranks()); });
  add_study(train, *training);
}

}  // namespace

void add_study_commands(CommandTable& commands) {
  add_run(commands);
  add_ablate(commands);
  add_resume(commands);
  add_merge(commands);
  add_replay(commands);
  add_train(commands);
}

}  // namespace optinc
