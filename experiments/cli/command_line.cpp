#include "experiments/cli/command_line.hpp"

#include <cstdio>
#include <functional>
#include <optional>
#include <regex>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "experiments/cli/completion.hpp"
#include "experiments/cli/dry_run.hpp"
#include "experiments/cli/listing.hpp"
#include "experiments/config/study_config.hpp"
#include "experiments/exchange/commands.hpp"
#include "experiments/runner/interrupt.hpp"
#include "experiments/study/inspect.hpp"
#include "experiments/study/replay.hpp"
#include "experiments/study/run_study.hpp"
#include "experiments/validate/laws.hpp"
#include "physics/core/check.hpp"
#include "physics/core/names.hpp"

namespace optinc {
namespace {

constexpr int refused = 1, unusable = 2;

/// Where a result goes, as every command that writes one says it.
struct OutputArguments {
  std::string output;
  bool force = false, quiet = false;

  void add_to(CLI::App& command) {
    command.add_option("-o,--output", output, "file to write")->type_name("FILE");
    command.add_flag("--force", force, "replace an existing output");
    command.add_flag("--quiet", quiet, "no progress");
  }
  RunOptions options(std::string_view typed, Ranks& ranks) const {
    validate(!output.empty(), "no output named (results go to one HDF5 file). Add -o results.h5.");
    return {output, force, quiet, typed, {}, &ranks};
  }
};

/// What `run`, `ablate` and `train` share.
struct StudyArguments {
  std::string study, shard = "1/1";
  Overrides overrides;
  std::optional<std::int64_t> seed;
  std::optional<int> threads, trials;
  bool print_config = false, dry = false;
  OutputArguments out;

  void add_to(CLI::App& command) {
    command.add_option("STUDY.toml", study, "what to run (optinc list shows those shipped)")->required();
    out.add_to(command);
    command.add_option("--set", overrides.settings, "section.key=value, over the file; repeatable")
        ->expected(1)
        ->take_all();
    command.add_option("--seed", seed, "seed of every random stream (run.seed)");
    command.add_option("--threads", threads, "threads, 0 for all (run.threads); never changes a result");
    command.add_flag("--print-config", print_config, "print every value in force as TOML and stop");
  }
  void add_trials_to(CLI::App& command) {
    command
        .add_option("--sweep", overrides.sweeps,
                    "section.key=[values]: this key's sweep, or one more; repeatable")
        ->expected(1)
        ->take_all();
    command.add_option("--trials", trials, "trials at every point (runner.trials)");
    command.add_option("--shard", shard, "I/N: run the I-th of N parts; optinc merge puts them together");
    command.add_flag("--dry-run", dry, "print trials, expected time, memory and size, and stop");
  }

  StudyConfig config() const {
    Overrides all = overrides;
    if (seed) all.settings.push_back(fmt::format("run.seed={}", *seed));
    if (threads) all.settings.push_back(fmt::format("run.threads={}", *threads));
    if (trials) all.settings.push_back(fmt::format("runner.trials={}", *trials));
    return load_config(study, all);
  }
};

/// Exit status of a run that ended so.
int status_of(Ending ending) { return ending == Ending::interrupted ? 128 + interrupt_signal() : 0; }

int run_command(const StudyArguments& arguments, std::string_view typed, Ranks& ranks) {
  const StudyConfig config = arguments.config();
  const Shard shard = parse_shard(arguments.shard);
  if (arguments.print_config) {
    fmt::print("{}", to_toml(config, true));
    return 0;
  }
  if (arguments.dry) {
    fmt::print("{}", dry_run(config, shard));
    return 0;
  }
  RunOptions options = arguments.out.options(typed, ranks);
  options.shard = shard;
  return status_of(run_study(config, options));
}

int train_command(const StudyArguments& arguments, std::string_view typed, Ranks& ranks) {
  const StudyConfig config = arguments.config();
  if (arguments.print_config)
    fmt::print("{}", to_toml(config, true));
  else
    run_training(config, arguments.out.options(typed, ranks));
  return 0;
}

int replay_command(const std::string& results, std::size_t point, std::size_t trial,
                   const RunOptions& options) {
  const ReplayReport report = replay_trial(results, point, trial, options);
  fmt::print("trial {}{}: ", trial, report.point.empty() ? "" : " at " + report.point);
  if (!report.recorded)
    fmt::print("the study has not run it; written to {}\n", options.output.string());
  else if (report.differing == 0)
    fmt::print("all {} values as the study recorded them; written to {}\n", report.cells,
               options.output.string());
  else
    fmt::print("{} of {} values differ from the study's (another build or machine); written to {}\n",
               report.differing, report.cells, options.output.string());
  return 0;
}

/// The steps between a network and the laboratory: what each needs on the command line.
struct LabArguments {
  std::string input, chip_file, mesh, preset = "design-target";
  std::vector<std::string> settings;
  int dac_bits = 0;
  std::uint64_t seed = 1;
  std::uint32_t chip = 0;
  double frequency_hz = default_frequency_hz;
  OutputArguments out;

  std::optional<std::filesystem::path> chip_path() const {
    return chip_file.empty() ? std::nullopt : std::optional<std::filesystem::path>(chip_file);
  }
  void add_frequency_to(CLI::App& command) {
    command.add_option("--frequency-hz", frequency_hz,
                       "optical frequency of a Touchstone file (default c / 1550 nm)");
  }
};

int program_command(const LabArguments& a, const std::string& typed) {
  validate(!a.out.output.empty(), "no output named (phases go to .h5 or .csv). Add -o phases.csv.");
  const ProgramSummary done =
      program_to_file(a.input, a.out.output, {a.chip_path(), a.dac_bits, a.frequency_hz, a.out.force, typed});
  fmt::print("{} meshes, {} MZIs programmed{}; written to {}\n", done.meshes, done.mzis,
             a.chip_file.empty() ? "" : fmt::format(", {} beyond the reach of their splitters", done.clipped),
             a.out.output);
  return 0;
}

int fabricate_command(const LabArguments& a, const std::string& typed) {
  validate(!a.out.output.empty(), "no output named (a chip goes to .h5). Add -o chip.h5.");
  Overrides overrides;
  overrides.settings = a.settings;
  overrides.settings.insert(overrides.settings.begin(), fmt::format("chip.preset={}", a.preset));
  const ErrorModel model = parse_config("", "fabricate", overrides).chip;
  fabricate_to_file(a.input, a.out.output, model, {a.seed, a.chip, a.out.force, typed});
  return 0;
}

int transfer_command(const LabArguments& a, const std::string& typed) {
  validate(!a.out.output.empty(), "no output named (a matrix goes to .h5, .csv or .sNp). Add -o matrix.csv.");
  transfer_to_file(a.input, a.out.output, {a.mesh, a.chip_path(), a.frequency_hz, a.out.force, typed});
  return 0;
}

int validate_command(bool quick, bool json, std::uint64_t seed) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  bool all_pass = true;
  if (!json)
    fmt::print("{:<38} {:>12} {:>12} {:>11} {:>7}  {:<5} {}\n", "law", "expected", "measured", "tolerance",
               "trials", "", "formula");
  for (const Law& law : laws()) {
    const Verdict v = check_law(law, quick, seed);
    all_pass = all_pass && v.pass;
    const char* verdict = v.pass ? "pass" : "FAIL";
    if (json) {
      list.push_back({{"name", law.name},
                      {"formula", law.formula},
                      {"expected", law.expected},
                      {"measured", v.sample.value},
                      {"standard_error", v.sample.standard_error},
                      {"tolerance", v.tolerance},
                      {"unit", law.unit},
                      {"trials", v.trials},
                      {"verdict", v.pass ? "pass" : "fail"},
                      {"seconds", v.seconds}});
    } else {
      fmt::print("{:<38} {:>12.6g} {:>12.6g} {:>11.2g} {:>7}  {:<5} {}\n", law.name, law.expected,
                 v.sample.value, v.tolerance, v.trials, verdict, law.formula);
      std::fflush(stdout);
    }
  }
  if (json) fmt::print("{}\n", nlohmann::ordered_json{{"laws", list}}.dump(2));
  validate(all_pass,
           "a law does not hold (see FAIL above). The simulator or the law is wrong: do not trust results of "
           "this build.");
  return 0;
}

int explain_command(const std::string& key) {
  if (!key.empty()) {
    fmt::print("{}\n", explain(key));
    return 0;
  }
  for (const auto& name : all_keys()) fmt::print("{}\n", name);
  return 0;
}

std::vector<const CLI::App*> commands_of(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

/// Commands and their options as a shell may complete them.
std::vector<CompletableCommand> completable(const CLI::App& app) {
  std::vector<CompletableCommand> commands;
  for (const CLI::App* command : commands_of(app)) {
    CompletableCommand c{command->get_name(), {}};
    for (const CLI::Option* option : command->get_options())
      for (const std::string& name : option->get_lnames()) c.options.push_back("--" + name);
    commands.push_back(std::move(c));
  }
  return commands;
}

std::string as_typed(int argc, char** argv) {
  std::string text = "optinc";
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const bool plain = !word.empty() && word.find_first_of(" '\"[]*?$&;|<>()\\`!#") == std::string::npos;
    text += plain ? " " + word : " '" + std::regex_replace(word, std::regex("'"), "'\\''") + "'";
  }
  return text;
}

/// PROBLEM (WHY). SUGGESTION for an unusable command line.
std::string parse_complaint(const CLI::ParseError& error, const CLI::App& app, int argc, char** argv) {
  std::vector<std::string> names;
  for (const CLI::App* command : commands_of(app)) names.push_back(command->get_name());
  const std::vector<std::string_view> commands(names.begin(), names.end());
  const std::string_view first = argc > 1 ? argv[1] : "";
  if (first.empty())
    return fmt::format("no command given (there are {}). Try optinc --help.", join_names(commands));
  if (first[0] != '-' && std::find(commands.begin(), commands.end(), first) == commands.end())
    return fmt::format("unknown command \"{}\" (there are {}). Did you mean optinc {}?", first,
                       join_names(commands), nearest_name(first, commands));
  return fmt::format("unusable command line ({}). Try optinc {} --help.",
                     std::regex_replace(error.what(), std::regex("\\s*\n\\s*"), "; "),
                     first[0] == '-' ? "" : first);
}

/// The commands of the tool and what each does once its arguments are read.
class Commands {
 public:
  explicit Commands(CLI::App& app) : app_(app) {}

  CLI::App& add(const char* name, const char* description, const char* example, std::function<int()> work) {
    CLI::App* command = app_.add_subcommand(name, description);
    command->footer(fmt::format("Example:\n  {}", example));
    works_.emplace_back(command, std::move(work));
    return *command;
  }
  int execute() const {
    for (const auto& [command, work] : works_)
      if (*command) return work();
    return unusable;
  }

 private:
  CLI::App& app_;
  std::vector<std::pair<CLI::App*, std::function<int()>>> works_;
};

int parse_and_run(int argc, char** argv, Ranks& ranks) {
  const std::string typed = as_typed(argc, argv);
  CLI::App app(
      "OptINC: a physics-level simulator of optical in-network computing.\n"
      "Servers' gradients are averaged and rounded by meshes of imperfect Mach-Zehnder interferometers.");
  app.require_subcommand(1);
  app.footer(
      "Example:\n  optinc run experiments/studies/quickstart.toml -o results.h5 && optinc inspect results.h5\n"
      "Exit codes:\n"
      "  0    done (a run that reached run.time_limit_s too: its file says complete = 0)\n"
      "  1    refused or failed: one line on standard error says what, where and how to mend\n"
      "  2    unusable command line\n"
      "  130  interrupted by Ctrl-C, 143 by SIGTERM: what was finished is stored; the resume command is "
      "printed");
  Commands commands(app);

  StudyArguments study;
  CLI::App& run =
      commands.add("run", "run a study and write its result file",
                   "optinc run experiments/studies/quickstart.toml -o results.h5 --trials 60 --seed 7\n"
                   "  optinc run STUDY.toml -o part2.h5 --shard 2/4          one of four machines\n"
                   "  mpirun -n 4 optinc run STUDY.toml -o results.h5        ranks; the same numbers",
                   [&] { return run_command(study, typed, ranks); });
  study.add_to(run);
  study.add_trials_to(run);

  StudyArguments ablation;
  ablation.overrides.ablation = true;
  CLI::App& ablate = commands.add(
      "ablate", "run a study with each source of error alone, all, and all but one",
      "optinc ablate experiments/studies/receiver_power.toml -o ablation.h5 --set chip.preset=foundry",
      [&] { return run_command(ablation, typed, ranks); });
  ablation.add_to(ablate);
  ablation.add_trials_to(ablate);

  ResumeChanges changes;
  OutputArguments resumed;
  CLI::App& resume =
      commands.add("resume", "go on with a run that was interrupted, killed, out of time or is to grow",
                   "optinc resume results.h5 --trials 200",
                   [&] { return status_of(resume_study(changes, resumed.options(typed, ranks))); });
  resume.add_option("RESULTS.h5", resumed.output, "the run's output, whether it is there yet or not")
      ->required();
  resume.add_option("--trials", changes.trials, "more trials at every point than the study had");
  resume.add_option("--threads", changes.threads, "threads, 0 for all");
  resume.add_option("--time-limit", changes.time_limit_s, "seconds after which no trial starts");
  resume.add_flag("--quiet", resumed.quiet, "no progress");

  std::vector<std::string> shards;
  OutputArguments merged;
  CLI::App& merge = commands.add("merge", "put the shards of one study together",
                                 "optinc merge part1.h5 part2.h5 part3.h5 part4.h5 -o all.h5", [&] {
                                   merge_studies({shards.begin(), shards.end()}, merged.options(typed, ranks));
                                   return 0;
                                 });
  merge.add_option("SHARD.h5", shards, "files of optinc run --shard I/N")->required();
  merged.add_to(merge);

  std::string replayed;
  std::size_t trial = 0, point = 0;
  OutputArguments replay_out;
  CLI::App& replay =
      commands.add("replay", "run one trial of a result file again and record everything of it",
                   "optinc replay results.h5 --point 2 --trial 17 -o trial.h5",
                   [&] { return replay_command(replayed, point, trial, replay_out.options(typed, ranks)); });
  replay.add_option("RESULTS.h5", replayed, "a study's result file")->required();
  replay.add_option("--trial", trial, "number of the trial, from 0")->required();
  replay.add_option("--point", point, "number of the point, from 0, the last sweep fastest (default 0)");
  replay_out.add_to(replay);

  StudyArguments training;
  CLI::App& train =
      commands.add("train", "train the study's network alone and write it",
                   "optinc train experiments/studies/quickstart.toml -o network.h5 --set task.rounding=floor",
                   [&] { return train_command(training, typed, ranks); });
  training.add_to(train);

  LabArguments lab;
  CLI::App& program =
      commands.add("program", "phases that realise a network's meshes, or a matrix of your own",
                   "optinc program network.h5 -o phases.csv\n"
                   "  optinc program matrix.s8p -o phases.h5 --dac-bits 12\n"
                   "  optinc program network.h5 -o phases.h5 --chip chip.h5     corrected for its splitters",
                   [&] { return program_command(lab, typed); });
  program.add_option("INPUT", lab.input, "network or result file (.h5), or unitary matrix (.h5, .csv, .sNp)")
      ->required();
  program.add_option("--chip", lab.chip_file,
                     "chip file of optinc fabricate whose known splitters are corrected for");
  program.add_option("--dac-bits", lab.dac_bits, "phases on a grid of 2 pi / 2^bits, 0: as computed");
  lab.add_frequency_to(program);
  lab.out.add_to(program);

  LabArguments fab;
  CLI::App& fabricate = commands.add("fabricate", "draw one chip for a network and write all its errors",
                                     "optinc fabricate network.h5 -o chip.h5 --preset foundry --chip 3",
                                     [&] { return fabricate_command(fab, typed); });
  fabricate.add_option("NETWORK.h5", fab.input, "network or result file")->required();
  fabricate.add_option("--preset", fab.preset, "statistics of the errors (chip.preset; default design-target)");
  fabricate.add_option("--set", fab.settings, "chip.key=value, over the preset; repeatable")
      ->expected(1)
      ->take_all();
  fabricate.add_option("--seed", fab.seed, "seed of every random stream");
  fabricate.add_option("--chip", fab.chip, "number of the chip: the trial of a study with the same seed");
  fab.out.add_to(fabricate);

  LabArguments light;
  CLI::App& transfer =
      commands.add("transfer", "transfer matrix of a mesh from its phases, perfect or on a chip",
                   "optinc transfer phases.csv -o matrix.s8p --mesh layer0/block0/mesh --chip chip.h5",
                   [&] { return transfer_command(light, typed); });
  transfer.add_option("PHASES", light.input, "phases file (.h5, .csv)")->required();
  transfer.add_option("--mesh", light.mesh, "name of the mesh; default the only one");
  transfer.add_option("--chip", light.chip_file, "chip file with the errors of that mesh");
  light.add_frequency_to(transfer);
  light.out.add_to(transfer);

  std::string file;
  bool json = false;
  CLI::App& inspect =
      commands.add("inspect", "print what a result or network file holds",
                   "optinc inspect results.h5 --json | python3 -m json.tool", [&] {
                     fmt::print("{}", json ? inspect_json(file).dump(2) + "\n" : inspect_text(file));
                     return 0;
                   });
  inspect.add_option("FILE", file, "file written by optinc")->required();
  inspect.add_flag("--json", json, "as one JSON object, for scripts");

  bool quick = false, law_json = false;
  std::uint64_t law_seed = 1;
  CLI::App& law =
      commands.add("validate", "hold the simulator against the laws of physics", "optinc validate --quick",
                   [&] { return validate_command(quick, law_json, law_seed); });
  law.add_flag("--quick", quick, "a tenth of the Monte-Carlo trials");
  law.add_flag("--json", law_json, "as one JSON object, for scripts");
  law.add_option("--seed", law_seed, "seed of every random stream");

  std::string key;
  CLI::App& explained = commands.add("explain", "meaning, unit, default, range and source of a parameter",
                                     "optinc explain chip.sigma_eta_rad", [&] { return explain_command(key); });
  explained.add_option("KEY", key, "section.key; without one all keys are listed");

  commands.add("list", "studies shipped, devices, presets, models with their metrics, sources of error",
               "optinc list", [] {
                 fmt::print("{}", listing());
                 return 0;
               });

  std::string shell;
  CLI::App& completion = commands.add("completion", "print a completion script for a shell",
                                      "source <(optinc completion bash)", [&] {
                                        fmt::print("{}", completion_script(shell, completable(app)));
                                        return 0;
                                      });
  completion.add_option("SHELL", shell, "bash, zsh or fish")->required();

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    if (e.get_exit_code() == 0) return app.exit(e);  // --help
    complain(parse_complaint(e, app, argc, argv));
    return unusable;
  }
  catch_interrupts();
  const int status = commands.execute();
  validate(std::fflush(stdout) == 0 && std::ferror(stdout) == 0,
           "standard output could not be written (a full disk or a closed pipe). Send it somewhere with room.");
  return status;
}

}  // namespace

void complain(const std::string& text) { std::fputs(("optinc: " + text + "\n").c_str(), stderr); }

int run_command_line(int argc, char** argv, Ranks& ranks) {
  try {
    return parse_and_run(argc, argv, ranks);
  } catch (const Interrupted&) {
    complain("interrupted before the first trial (there is nothing to keep). Repeat the command.");
    return 128 + interrupt_signal();
  } catch (const Error& e) {
    complain(e.what());
  } catch (const std::bad_alloc&) {
    complain(
        "out of memory (the study is larger than this machine). See optinc run --dry-run; lower runner.trials "
        "or "
        "measure fewer metrics.");
  } catch (const std::exception& e) {
    complain(fmt::format("{} (unexpected). Please report it with the command.", e.what()));
  }
  if (ranks.size() > 1) Ranks::abort();  // the others may wait for an answer that will not come
  return refused;
}

}  // namespace optinc
