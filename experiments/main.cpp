#include <algorithm>
#include <array>
#include <cstdio>
#include <optional>
#include <regex>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "experiments/config/study_config.hpp"
#include "experiments/study/inspect.hpp"
#include "experiments/study/run_study.hpp"
#include "experiments/validate/laws.hpp"
#include "physics/core/check.hpp"
#include "physics/core/names.hpp"

namespace {

using namespace optinc;

/// What `run` and `train` share on the command line.
struct StudyArguments {
  std::string study, output;
  std::vector<std::string> overrides;
  std::optional<std::int64_t> seed;
  std::optional<int> threads;
  bool force = false, quiet = false, print_config = false;

  void add_to(CLI::App& command) {
    command.add_option("STUDY.toml", study, "what to run (experiments/studies has examples)")->required();
    command.add_option("-o,--output", output, "result file to write");
    command.add_option("--set", overrides, "section.key=value, over the file; repeatable")
        ->expected(1)
        ->take_all();
    command.add_option("--seed", seed, "seed of every random stream (run.seed)");
    command.add_option("--threads", threads, "threads, 0 for all (run.threads); never changes a result");
    command.add_flag("--force", force, "replace an existing output");
    command.add_flag("--quiet", quiet, "no progress");
    command.add_flag("--print-config", print_config, "print every value in force as TOML and stop");
  }

  StudyConfig config() const {
    std::vector<std::string> all = overrides;
    if (seed) all.push_back(fmt::format("run.seed={}", *seed));
    if (threads) all.push_back(fmt::format("run.threads={}", *threads));
    return load_config(study, all);
  }

  /// Runs `work` on the study, or prints its configuration.
  template <class Work>
  void execute(std::string_view command, Work work) const {
    const StudyConfig in_force = config();
    if (print_config) {
      fmt::print("{}", to_toml(in_force, true));
      return;
    }
    validate(!output.empty(), "no output named (results go to one HDF5 file). Add -o results.h5.");
    work(in_force, RunOptions{output, force, quiet, command});
  }
};

void validate_command(bool quick, bool json, std::uint64_t seed) {
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
}

void explain_command(const std::string& key) {
  if (!key.empty()) {
    fmt::print("{}\n", explain(key));
    return;
  }
  for (const auto& name : all_keys()) fmt::print("{}\n", name);
}

std::string command_line(int argc, char** argv) {
  std::string text = "optinc";
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const bool plain = !word.empty() && word.find_first_of(" '\"[]*?$&;|<>()\\`!#") == std::string::npos;
    text += plain ? " " + word : " '" + std::regex_replace(word, std::regex("'"), "'\\''") + "'";
  }
  return text;
}

/// One line on standard error; where that is closed there is nobody to tell.
void complain(const std::string& text) { std::fputs(("optinc: " + text + "\n").c_str(), stderr); }

/// PROBLEM (WHY). SUGGESTION for an unusable command line.
std::string parse_complaint(const CLI::ParseError& error, int argc, char** argv) {
  constexpr std::array<std::string_view, 5> commands = {"run", "train", "inspect", "validate", "explain"};
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

int run(int argc, char** argv) {
  const std::string typed = command_line(argc, argv);
  CLI::App app(
      "OptINC: a physics-level simulator of optical in-network computing.\n"
      "Servers' gradients are averaged and rounded by meshes of imperfect Mach-Zehnder interferometers.");
  app.require_subcommand(1);
  app.footer(
      "Example:\n  optinc run experiments/studies/quickstart.toml -o results.h5 && optinc inspect results.h5\n"
      "Exit codes: 0 done, 1 refused or failed (one line on standard error says what, where and how to mend),\n"
      "            other: unusable command line.");

  StudyArguments study;
  auto* run_command = app.add_subcommand("run", "run a study and write its result file");
  study.add_to(*run_command);
  run_command->footer(
      "Example:\n  optinc run experiments/studies/quickstart.toml -o results.h5 --set levels.chips=60 --seed "
      "7");
  StudyArguments training;
  auto* train_command = app.add_subcommand("train", "train the study's network alone and write it");
  training.add_to(*train_command);
  train_command->footer(
      "Example:\n  optinc train experiments/studies/quickstart.toml -o network.h5 --set task.rounding=floor");

  std::string file;
  bool json = false;
  auto* inspect = app.add_subcommand("inspect", "print what a result or network file holds");
  inspect->add_option("FILE", file, "file written by optinc")->required();
  inspect->add_flag("--json", json, "as one JSON object, for scripts");
  inspect->footer("Example:\n  optinc inspect results.h5 --json | python3 -m json.tool");

  bool quick = false;
  std::uint64_t law_seed = 1;
  auto* law_command = app.add_subcommand("validate", "hold the simulator against the laws of physics");
  law_command->add_flag("--quick", quick, "a tenth of the Monte-Carlo trials");
  law_command->add_flag("--json", json, "as one JSON object, for scripts");
  law_command->add_option("--seed", law_seed, "seed of every random stream");
  law_command->footer("Example:\n  optinc validate --quick");

  std::string key;
  auto* explain_app = app.add_subcommand("explain", "meaning, unit, default, range and source of a parameter");
  explain_app->add_option("KEY", key, "section.key; without one all keys are listed");
  explain_app->footer("Example:\n  optinc explain chip.sigma_eta_rad");

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    if (e.get_exit_code() == 0) return app.exit(e);  // --help
    complain(parse_complaint(e, argc, argv));
    return 2;
  }
  if (*run_command) study.execute(typed, run_study);
  if (*train_command) training.execute(typed, run_training);
  if (*inspect) fmt::print("{}", json ? inspect_json(file).dump(2) + "\n" : inspect_text(file));
  if (*law_command) validate_command(quick, json, law_seed);
  if (*explain_app) explain_command(key);
  validate(std::fflush(stdout) == 0 && std::ferror(stdout) == 0,
           "standard output could not be written (a full disk or a closed pipe). Send it somewhere with room.");
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const optinc::Error& e) {
    complain(e.what());
  } catch (const std::bad_alloc&) {
    complain("out of memory (the study is larger than this machine). Lower levels.words or levels.chips.");
  } catch (const std::exception& e) {
    complain(fmt::format("{} (unexpected). Please report it with the command.", e.what()));
  }
  return 1;
}
