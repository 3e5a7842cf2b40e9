#include <memory>

#include "experiments/cli/command_table.hpp"

namespace optinc {
namespace {

void add_inspect(CommandTable& commands) {
  const auto file = std::make_shared<std::string>();
  const auto json = std::make_shared<bool>();
  CLI::App& inspect = commands.add("inspect", "print what a result or network file holds",
                                   "optinc inspect results.h5 --json | python3 -m json.tool",
                                   [file, json] { return inspect_command(*file, *json); });
  inspect.add_option("FILE", *file, "file written by optinc, or shipped/NAME (optinc list)")->required();
  inspect.add_flag("--json", *json, "as one JSON object, for scripts");
}

void add_report(CommandTable& commands) {
  const auto reported = std::make_shared<ReportArguments>();
  CLI::App& report = commands.add(
      "report", "one HTML page of a result: what was run, headline numbers, figures, provenance",
      "optinc report results.h5\n"
      "  optinc report results.h5 -o page.html --force\n"
      "The page needs nothing else, no network and no script. Python draws it: packages python3-h5py, "
      "python3-matplotlib and\npython3-xarray.",
      [reported] { return report_command(*reported); });
  report.add_option("RESULTS.h5", reported->file, "result of run, validate, budget, designs or interconnect")
      ->required();
  report.add_option("-o,--output", reported->output, "file to write (default: RESULTS.html)")
      ->type_name("FILE");
  report.add_flag("--force", reported->force, "replace an existing output");
}

void add_validate(CommandTable& commands) {
  const auto law = std::make_shared<LawArguments>();
  CLI::App& laws = commands.add("validate", "hold the simulator against the laws of physics",
                                "optinc validate --quick\n"
                                "  optinc validate 8 11 reck                 rows, or words of names\n"
                                "  optinc validate -o laws.h5 && experiments/draw laws.h5 -o figures",
                                [law, &commands] { return validate_command(*law, commands.typed()); });
  laws.add_option("ROW|NAME", law->chosen, "rows, or words of names, of the laws to run (default: all)");
  laws.add_flag("--list", law->list, "list the laws and stop");
  laws.add_flag(
      "--quick", law->quick,
      "a tenth of the Monte-Carlo trials; 5 standard errors where that is more than the tolerance; no laws "
      "that train the 8-bit network, unless named");
  laws.add_flag("--json", law->json, "as one JSON object, for scripts");
  laws.add_option("--seed", law->seed, "seed of every random stream")->check(whole_number());
  add_output(laws, law->out);
}

void add_words(CommandTable& commands) {
  const auto asked = std::make_shared<WordsArguments>();
  CLI::App& words = commands.add(
      "words", "ask a study's ideal network every word, or many, and compare with integer arithmetic",
      "optinc words experiments/studies/quickstart.toml\n"
      "  optinc words study.toml --set task.bits=16 --set network.source=carry-chain --words 100000000",
      [asked] { return words_command(*asked); });
  words.add_option("STUDY.toml", asked->study, "whose [task], [network] and [training] count")->required();
  add_settings(words, asked->overrides.settings, "section.key=value, over the study; repeatable");
  words.add_option("--words", asked->drawn,
                   "drawn words where the task has more than 6 million, besides its edges");
  words.add_flag("--json", asked->json, "as one JSON object, for scripts");
  words.add_flag("--quiet", asked->out.quiet, "no progress");
}

void add_budget(CommandTable& commands) {
  const auto costs = std::make_shared<BudgetArguments>();
  CLI::App& budgets = commands.add(
      "budget", "loss, power, delay and area of a network's chip, by stage and part",
      "optinc budget --network network.h5\n"
      "  optinc budget experiments/studies/quickstart.toml --set budget.heater=typical-undercut-heater\n"
      "  optinc budget --network network.h5 -o budget.h5 && experiments/draw budget.h5 -o figures",
      [costs, &commands] { return budget_command(*costs, commands.typed()); });
  budgets.add_option("STUDY.toml", costs->study,
                     "whose network, [chip], [link] and [budget] count; without one the defaults");
  budgets
      .add_option("--network", costs->network,
                  "network or result file (.h5) or shipped/NAME, in place of training one")
      ->type_name("FILE");
  add_settings(budgets, costs->overrides.settings, "section.key=value, over the study; repeatable");
  budgets.add_flag("--json", costs->json, "as one JSON object in SI units, for scripts");
  add_output(budgets, costs->out);
}

void add_designs(CommandTable& commands) {
  const auto compared = std::make_shared<DesignsArguments>();
  CLI::App& designs =
      commands.add("designs", "costs of several designs side by side, and what is published of them",
                   "optinc designs experiments/designs/published.toml -o designs.h5 && experiments/draw "
                   "designs.h5 -o figures\n"
                   "  optinc designs experiments/designs/published.toml --set budget.skew=at-servers",
                   [compared, &commands] { return designs_command(*compared, commands.typed()); });
  designs.add_option("LIST.toml", compared->list, "designs, as overrides of one study")->required();
  add_settings(designs, compared->settings, "section.key=value, over the list's; a design's own go over it");
  designs.add_flag("--json", compared->json, "as one JSON object in SI units, for scripts");
  add_output(designs, compared->out);
}

void add_interconnect(CommandTable& commands) {
  const auto joined = std::make_shared<InterconnectArguments>();
  CLI::App& interconnect = commands.add(
      "interconnect", "training iterations on electrical, optical and OptINC networks: times, bytes, energy",
      "optinc interconnect experiments/interconnect/headline.toml -o interconnect.h5 && experiments/draw "
      "interconnect.h5 -o figures\n"
      "  optinc interconnect LIST.toml --trace ring.json --scenario \"F1 ResNet50 ring\"   for Perfetto\n"
      "  optinc interconnect --keys                                    what a [[scenario]] may say\n"
      "Rows marked CALIBRATED have parameters that were chosen so that a published ratio comes out: they "
      "explain, "
      "and predict nothing.",
      [joined, &commands] { return interconnect_command(*joined, commands.typed()); });
  interconnect.add_option("LIST.toml", joined->list,
                          "scenarios ([[scenario]] each) and questions ([[sensitivity]])");
  interconnect.add_option("--trace", joined->trace, "Chrome trace (JSON) of one scenario's iteration")
      ->type_name("FILE");
  interconnect.add_option("--scenario", joined->scenario, "scenario that is traced (default: the first)")
      ->type_name("NAME");
  interconnect.add_option("--servers", joined->servers, "of the scenario that is traced (default: its first)")
      ->type_name("N")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 20));
  interconnect.add_flag("--json", joined->json, "as one JSON object in SI units, for scripts");
  interconnect.add_flag("--keys", joined->keys, "print every key with unit, default and meaning, and stop");
  add_output(interconnect, joined->out);
}

}  // namespace

void add_question_commands(CommandTable& commands) {
  add_inspect(commands);
  add_report(commands);
  add_validate(commands);
  add_words(commands);
  add_budget(commands);
  add_designs(commands);
  add_interconnect(commands);
}

}  // namespace optinc
