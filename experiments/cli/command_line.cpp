#include "experiments/cli/command_line.hpp"

#include <cstdio>
#include <functional>
#include <regex>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "experiments/cli/commands.hpp"
#include "experiments/cli/completion.hpp"
#include "experiments/cli/listing.hpp"
#include "experiments/process/interrupt.hpp"
#include "physics/core/check.hpp"
#include "physics/core/names.hpp"

namespace optinc {
namespace {

constexpr int refused = 1, unusable = 2;

void add_output(CLI::App& command, OutputArguments& out) {
  command.add_option("-o,--output", out.output, "file to write")->type_name("FILE");
  command.add_flag("--force", out.force, "replace an existing output");
  command.add_flag("--quiet", out.quiet, "no progress");
}

void add_study(CLI::App& command, StudyArguments& study) {
  command.add_option("STUDY.toml", study.study, "what to run (optinc list shows those shipped)")->required();
  add_output(command, study.out);
  command.add_option("--set", study.overrides.settings, "section.key=value, over the file; repeatable")
      ->expected(1)
      ->take_all();
  command.add_option("--seed", study.seed, "seed of every random stream (run.seed)");
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

void add_frequency(CLI::App& command, LabArguments& lab) {
  command.add_option("--frequency-hz", lab.frequency_hz,
                     "optical frequency of a Touchstone file (default c / 1550 nm)");
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
      "  1    refused or failed: one line on standard error says what, where and how to mend; replay: the "
      "trial "
      "gave other values\n"
      "  2    unusable command line\n"
      "  130  interrupted by Ctrl-C, 143 by SIGTERM: what was finished is stored; the resume command is "
      "printed");
  Commands commands(app);

  StudyArguments study;
  CLI::App& run = commands.add(
      "run", "run a study and write its result file",
      "optinc run experiments/studies/quickstart.toml -o results.h5 --trials 60 --seed 7\n"
      "  optinc run STUDY.toml -o part2.h5 --shard 2/4          one of four machines\n"
      "  mpirun -n 4 optinc run STUDY.toml -o results.h5        ranks; the same numbers\n"
      "Keys that the study's model does not read (optinc explain KEY, line models) cannot be swept; "
      "elsewhere they are a\nwarning. [noise] acts in the variant noisy of model chip, and always in "
      "model drift.",
      [&] { return run_command(study, typed, ranks); });
  add_study(run, study);
  add_trials(run, study);

  StudyArguments ablation;
  ablation.overrides.ablation = true;
  CLI::App& ablate = commands.add(
      "ablate", "run a study with each source of error alone, all, and all but one",
      "optinc ablate experiments/studies/quickstart.toml -o ablation.h5 --sweep chip.sigma_eta_rad=[0.02] "
      "--set measure.once=[]",
      [&] { return run_command(ablation, typed, ranks); });
  add_study(ablate, ablation);
  add_trials(ablate, ablation);

  ResumeChanges changes;
  OutputArguments resumed;
  CLI::App& resume = commands.add(
      "resume", "go on with a run or a training that was interrupted, killed, out of time or is to grow",
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
  add_output(merge, merged);

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
  add_output(replay, replay_out);

  StudyArguments training;
  CLI::App& train =
      commands.add("train", "train the study's network alone and write it",
                   "optinc train experiments/studies/quickstart.toml -o network.h5 --set task.rounding=floor",
                   [&] { return train_command(training, typed, ranks); });
  add_study(train, training);

  LabArguments lab;
  CLI::App& program =
      commands.add("program", "phases that realise a network's meshes, or a matrix of your own",
                   "optinc program network.h5 -o phases.csv\n"
                   "  optinc program matrix.s8p -o phases.h5 --dac-bits 12\n"
                   "  optinc program network.h5 -o phases.h5 --chip chip.h5     corrected for its splitters",
                   [&] { return program_command(lab, lab.out.options(typed, ranks, "phases.csv")); });
  program.add_option("INPUT", lab.input, "network or result file (.h5), or unitary matrix (.h5, .csv, .sNp)")
      ->required();
  program.add_option("--chip", lab.chip_file,
                     "chip file of optinc fabricate whose known splitters are corrected for");
  program.add_option("--dac-bits", lab.dac_bits, "phases on a grid of 2 pi / 2^bits, 0: as computed");
  add_frequency(program, lab);
  add_output(program, lab.out);

  LabArguments fab;
  CLI::App& fabricate = commands.add("fabricate", "draw one chip for a network and write all its errors",
                                     "optinc fabricate network.h5 -o chip.h5 --preset foundry --chip 3", [&] {
                                       return fabricate_command(fab, fab.out.options(typed, ranks, "chip.h5"));
                                     });
  fabricate.add_option("NETWORK.h5", fab.input, "network or result file")->required();
  fabricate.add_option("--preset", fab.preset, "statistics of the errors (chip.preset; default design-target)");
  fabricate.add_option("--set", fab.settings, "chip.key=value, over the preset; repeatable")
      ->expected(1)
      ->take_all();
  fabricate.add_option("--seed", fab.seed, "seed of every random stream");
  fabricate.add_option("--chip", fab.chip, "number of the chip: the trial of a study with the same seed");
  add_output(fabricate, fab.out);

  LabArguments light;
  CLI::App& transfer =
      commands.add("transfer", "transfer matrix of a mesh from its phases, perfect or on a chip",
                   "optinc transfer phases.csv -o matrix.s8p --mesh layer0/block0/mesh --chip chip.h5",
                   [&] { return transfer_command(light, light.out.options(typed, ranks, "matrix.csv")); });
  transfer.add_option("PHASES", light.input, "phases file (.h5, .csv)")->required();
  transfer.add_option("--mesh", light.mesh, "name of the mesh; default the only one");
  transfer.add_option("--chip", light.chip_file, "chip file with the errors of that mesh");
  add_frequency(transfer, light);
  add_output(transfer, light.out);

  std::string file;
  bool json = false;
  CLI::App& inspect = commands.add("inspect", "print what a result or network file holds",
                                   "optinc inspect results.h5 --json | python3 -m json.tool",
                                   [&] { return inspect_command(file, json); });
  inspect.add_option("FILE", file, "file written by optinc")->required();
  inspect.add_flag("--json", json, "as one JSON object, for scripts");

  ReportArguments reported;
  CLI::App& report = commands.add(
      "report", "one HTML page of a result: what was run, headline numbers, figures, provenance",
      "optinc report results.h5\n"
      "  optinc report results.h5 -o page.html --force\n"
      "The page needs nothing else, no network and no script. Python draws it: packages python3-h5py, "
      "python3-matplotlib and\npython3-xarray.",
      [&] { return report_command(reported); });
  report.add_option("RESULTS.h5", reported.file, "result of run, validate, budget, designs or interconnect")
      ->required();
  report.add_option("-o,--output", reported.output, "file to write (default: RESULTS.html)")->type_name("FILE");
  report.add_flag("--force", reported.force, "replace an existing output");

  LawArguments law;
  CLI::App& laws = commands.add("validate", "hold the simulator against the laws of physics",
                                "optinc validate --quick\n"
                                "  optinc validate 8 11 reck                 rows, or words of names\n"
                                "  optinc validate -o laws.h5 && experiments/draw laws.h5 -o figures",
                                [&] { return validate_command(law, typed); });
  laws.add_option("ROW|NAME", law.chosen, "rows, or words of names, of the laws to run (default: all)");
  laws.add_flag("--list", law.list, "list the laws and stop");
  laws.add_flag(
      "--quick", law.quick,
      "a tenth of the Monte-Carlo trials; 5 standard errors where that is more than the tolerance; no laws "
      "that train the 8-bit network, unless named");
  laws.add_flag("--json", law.json, "as one JSON object, for scripts");
  laws.add_option("--seed", law.seed, "seed of every random stream");
  add_output(laws, law.out);

  WordsArguments asked;
  CLI::App& words = commands.add(
      "words", "ask a study's ideal network every word, or many, and compare with integer arithmetic",
      "optinc words experiments/studies/quickstart.toml\n"
      "  optinc words study.toml --set task.bits=16 --set network.source=carry-chain --words 100000000",
      [&] { return words_command(asked); });
  words.add_option("STUDY.toml", asked.study, "whose [task], [network] and [training] count")->required();
  words.add_option("--set", asked.overrides.settings, "section.key=value, over the study; repeatable")
      ->expected(1)
      ->take_all();
  words.add_option("--words", asked.drawn,
                   "drawn words where the task has more than 6 million, besides its edges");
  words.add_flag("--json", asked.json, "as one JSON object, for scripts");
  words.add_flag("--quiet", asked.out.quiet, "no progress");

  BudgetArguments costs;
  CLI::App& budgets = commands.add(
      "budget", "loss, power, delay and area of a network's chip, by stage and part",
      "optinc budget --network network.h5\n"
      "  optinc budget experiments/studies/quickstart.toml --set budget.heater=typical-undercut-heater\n"
      "  optinc budget --network network.h5 -o budget.h5 && experiments/draw budget.h5 -o figures",
      [&] { return budget_command(costs, typed); });
  budgets.add_option("STUDY.toml", costs.study,
                     "whose network, [chip], [link] and [budget] count; without one the defaults");
  budgets.add_option("--network", costs.network, "network or result file (.h5), in place of training one")
      ->type_name("FILE");
  budgets.add_option("--set", costs.overrides.settings, "section.key=value, over the study; repeatable")
      ->expected(1)
      ->take_all();
  budgets.add_flag("--json", costs.json, "as one JSON object in SI units, for scripts");
  add_output(budgets, costs.out);

  DesignsArguments compared;
  CLI::App& designs =
      commands.add("designs", "costs of several designs side by side, and what is published of them",
                   "optinc designs experiments/designs/published.toml -o designs.h5 && experiments/draw "
                   "designs.h5 -o figures\n"
                   "  optinc designs experiments/designs/published.toml --set budget.skew=at-servers",
                   [&] { return designs_command(compared, typed); });
  designs.add_option("LIST.toml", compared.list, "designs, as overrides of one study")->required();
  designs
      .add_option("--set", compared.settings, "section.key=value, over the list's; a design's own go over it")
      ->expected(1)
      ->take_all();
  designs.add_flag("--json", compared.json, "as one JSON object in SI units, for scripts");
  add_output(designs, compared.out);

  InterconnectArguments joined;
  CLI::App& interconnect = commands.add(
      "interconnect", "training iterations on electrical, optical and OptINC networks: times, bytes, energy",
      "optinc interconnect experiments/interconnect/headline.toml -o interconnect.h5 && experiments/draw "
      "interconnect.h5 -o figures\n"
      "  optinc interconnect LIST.toml --trace ring.json --scenario \"F1 ResNet50 ring\"   for Perfetto\n"
      "  optinc interconnect --keys                                    what a [[scenario]] may say\n"
      "Rows marked CALIBRATED have parameters that were chosen so that a published ratio comes out: they "
      "explain, "
      "and predict nothing.",
      [&] { return interconnect_command(joined, typed); });
  interconnect.add_option("LIST.toml", joined.list,
                          "scenarios ([[scenario]] each) and questions ([[sensitivity]])");
  interconnect.add_option("--trace", joined.trace, "Chrome trace (JSON) of one scenario's iteration")
      ->type_name("FILE");
  interconnect.add_option("--scenario", joined.scenario, "scenario that is traced (default: the first)")
      ->type_name("NAME");
  interconnect.add_option("--servers", joined.servers, "of the scenario that is traced (default: its first)")
      ->type_name("N")
      ->check(CLI::PositiveNumber);
  interconnect.add_flag("--json", joined.json, "as one JSON object in SI units, for scripts");
  interconnect.add_flag("--keys", joined.keys, "print every key with unit, default and meaning, and stop");
  add_output(interconnect, joined.out);

  std::string key;
  CLI::App& explained =
      commands.add("explain", "meaning, unit, default, range, source and models of a parameter",
                   "optinc explain chip.sigma_eta_rad", [&] { return explain_command(key); });
  explained.add_option("KEY", key, "section.key; without one all keys are listed");

  std::string device;
  bool device_json = false;
  CLI::App& devices = commands.add("devices", "published devices with their numbers, and where those come from",
                                   "optinc devices\n"
                                   "  optinc devices harris-2014-heater --json",
                                   [&] { return devices_command(device, device_json); });
  devices.add_option("NAME", device, "a device; without one all are listed");
  devices.add_flag("--json", device_json, "as one JSON object with values in SI, for scripts");

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
