#include <memory>

#include "experiments/cli/command_table.hpp"
#include "experiments/study/merge_studies.hpp"
#include "experiments/study/run_study.hpp"

namespace optinc {
namespace {

void add_study(CLI::App& command, StudyArguments& study) {
  command.add_option("STUDY.toml", study.study, "what to run (optinc list shows those shipped)")->required();
  add_output(command, study.out);
  add_settings(command, study.overrides.settings, "section.key=value, over the file; repeatable");
  command.add_option("--seed", study.seed, "seed of every random stream (run.seed)")->check(whole_number());
  command.add_option("--threads", study.threads, "threads, 0 for all (run.threads); never changes a result");
  command.add_flag("--print-config", study.print_config, "print every value in force as TOML and stop");
}

void add_trials(CLI::App& command, StudyArguments& study) {
  command
      .add_option("--sweep", study.overrides.sweeps,
                  "section.key=[values]: this key's sweep, or one more; repeatable")
      ->expected(1)
      ->take_all();
  command.add_option("--trials", study.trials, "trials at every point (runner.trials)");
  command.add_option("--shard", study.shard, "I/N: run the I-th of N parts; optinc merge puts them together");
  command.add_flag("--dry-run", study.dry_run, "print trials, expected time, memory and size, and stop");
}

void add_run(CommandTable& commands) {
  const auto study = std::make_shared<StudyArguments>();
  CLI::App& run = commands.add(
      "run", "run a study and write its result file",
      "optinc run experiments/studies/quickstart.toml -o results.h5 --trials 60 --seed 7\n"
      "  optinc run STUDY.toml -o part2.h5 --shard 2/4          one of four machines\n"
      "  mpirun -n 4 optinc run STUDY.toml -o results.h5        ranks; the same numbers\n"
      "Keys that the study's model does not read (optinc explain KEY, line models) cannot be swept; "
      "elsewhere they are a\nwarning. [noise] acts in the variant noisy, and always where chips drift.",
      [study, &commands] { return run_command(*study, commands.typed(), commands.ranks()); });
  add_study(run, *study);
  add_trials(run, *study);
}

void add_ablate(CommandTable& commands) {
  const auto ablation = std::make_shared<StudyArguments>();
  ablation->overrides.ablation = true;
  CLI::App& ablate = commands.add(
      "ablate", "run a study with each source of error alone, all, and all but one",
      "optinc ablate experiments/studies/quickstart.toml -o ablation.h5 --sweep chip.sigma_eta_rad=[0.02] "
      "--set measure.once=[]",
      [ablation, &commands] { return run_command(*ablation, commands.typed(), commands.ranks()); });
  add_study(ablate, *ablation);
  add_trials(ablate, *ablation);
}

void add_resume(CommandTable& commands) {
  const auto changes = std::make_shared<ResumeChanges>();
  const auto resumed = std::make_shared<OutputArguments>();
  CLI::App& resume = commands.add(
      "resume", "go on with a run or a training that was interrupted, killed, out of time or is to grow",
      "optinc resume results.h5 --trials 200",
      [changes, resumed, &commands] { return status_of(resume_study(*changes, commands.options(*resumed))); });
  resume.add_option("RESULTS.h5", resumed->output, "the run's output, whether it is there yet or not")
      ->required();
  resume.add_option("--trials", changes->trials, "more trials at every point than the study had");
  resume.add_option("--threads", changes->threads, "threads, 0 for all");
  resume.add_option("--time-limit", changes->time_limit_s, "seconds after which no trial starts");
  resume.add_flag("--quiet", resumed->quiet, "no progress");
}

void add_merge(CommandTable& commands) {
  const auto shards = std::make_shared<std::vector<std::string>>();
  const auto merged = std::make_shared<OutputArguments>();
  CLI::App& merge =
      commands.add("merge", "put the shards of one study together",
                   "optinc merge part1.h5 part2.h5 part3.h5 part4.h5 -o all.h5", [shards, merged, &commands] {
                     merge_studies({shards->begin(), shards->end()}, commands.options(*merged));
                     return 0;
                   });
  merge.add_option("SHARD.h5", *shards, "files of optinc run --shard I/N")->required();
  add_output(merge, *merged);
}

void add_replay(CommandTable& commands) {
  const auto replayed = std::make_shared<std::string>();
  const auto trial = std::make_shared<std::size_t>();
  const auto point = std::make_shared<std::size_t>();
  const auto replay_out = std::make_shared<OutputArguments>();
  CLI::App& replay =
      commands.add("replay", "run one trial of a result file again and record everything of it",
                   "optinc replay results.h5 --point 2 --trial 17 -o trial.h5",
                   [replayed, trial, point, replay_out, &commands] {
                     return replay_command(*replayed, *point, *trial, commands.options(*replay_out));
                   });
  replay.add_option("RESULTS.h5", *replayed, "a study's result file")->required();
  replay.add_option("--trial", *trial, "number of the trial, from 0")->required()->check(whole_number());
  replay.add_option("--point", *point, "number of the point, from 0, the last sweep fastest (default 0)")
      ->check(whole_number());
  add_output(replay, *replay_out);
}

void add_train(CommandTable& commands) {
  const auto training = std::make_shared<StudyArguments>();
  CLI::App& train = commands.add(
      "train", "train the study's network alone and write it",
      "optinc train experiments/studies/quickstart.toml -o network.h5 --set task.rounding=floor",
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
