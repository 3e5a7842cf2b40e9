#include <memory>

#include "experiments/cli/command_table.hpp"

namespace optinc {
namespace {

void add_inspect(CommandTable& commands) {
  const auto file = std::make_shared<std::string>();
  const auto json = std::make_shared<bool>();
  CLI::App& inspect = commands.add("inspect", "Print the contents of a result or network file",
                                   "optinc inspect results.h5 --json | python3 -m json.tool",
                                   [file, json] { return inspect_command(*file, *json); });
  inspect.add_option("FILE", *file, "File written by optinc, or shipped/NAME (optinc list)")->required();
  inspect.add_flag("--json", *json, "Print one JSON object, for scripts");
}

void add_report(CommandTable& commands) {
  const auto reported = std::make_shared<ReportArguments>();
  CLI::App& report = commands.add(
      "report", "Write an HTML page about a result: settings, main numbers, figures and provenance",
      "optinc report results.h5\n"
      "  optinc report results.h5 -o page.html --force\n"
      "The page is self-contained and works offline, without scripts. Python draws its figures "
      "(packages python3-h5py, "
      "python3-matplotlib, python3-scipy and python3-xarray).",
      [reported] { return report_command(*reported); });
  report
      .add_option("RESULTS.h5", reported->file,
                  "Result file of run, validate, budget, compare-costs or interconnect")
      ->required();
  report.add_option("-o,--output", reported->output, "Output file (default: RESULTS.html)")->type_name("FILE");
  report.add_flag("--force", reported->force, "Overwrite an existing output file");
}

void add_validate(CommandTable& commands) {
  const auto law = std::make_shared<LawArguments>();
  CLI::App& laws = commands.add("validate", "Check the simulator against analytic results",
                                "optinc validate --quick\n"
                                "  optinc validate 8 11 reck                 row numbers, or parts of names\n"
                                "  optinc validate -o laws.h5 && experiments/scripts/draw laws.h5 -o figures",
                                [law, &commands] { return validate_command(*law, commands.typed()); });
  laws.add_option("ROW|NAME", law->chosen, "Laws to check, by row number or part of the name (default: all)");
  laws.add_flag("--list", law->list, "List the laws and exit");
  laws.add_flag("--quick", law->quick,
                "Use 1/10 of the trials, tolerances >= 5 standard errors; skip 8-bit training unless named");
  laws.add_flag("--json", law->json, "Print one JSON object, for scripts");
  laws.add_option("--seed", law->seed, "Seed of all random number streams")->check(whole_number());
  add_output(laws, law->out);
}

void add_check_network(CommandTable& commands) {
  const auto asked = std::make_shared<CheckNetworkArguments>();
  CLI::App& words =
      commands.add("check-network",
                   "Test the error-free network against integer arithmetic, exhaustively or on a random sample",
                   "optinc check-network splitter_errors\n"
                   "  optinc check-network carry_chain --set task.bits=16 --words 100000000",
                   [asked] { return check_network_command(*asked); });
  words
      .add_option("STUDY", asked->study,
                  "Study file or shipped study; only [task], [network] and [training] are used")
      ->required();
  add_settings(words, asked->overrides.settings,
               "Override a value of the study: section.key=value; repeatable");
  words.add_option("--words", asked->drawn,
                   "Number of random words if the task has over 6 million words; edge cases are always tested");
  words.add_flag("--json", asked->json, "Print one JSON object, for scripts");
  words.add_flag("--quiet", asked->out.quiet, "Hide progress");
}

void add_budget(CommandTable& commands) {
  const auto costs = std::make_shared<BudgetArguments>();
  CLI::App& budgets = commands.add(
      "budget", "Compute loss, power, delay and area of a network's chip, by stage and part",
      "optinc budget --network network.h5\n"
      "  optinc budget splitter_errors --set heater.device=typical-undercut-heater\n"
      "  optinc budget --network network.h5 -o budget.h5 && experiments/scripts/draw budget.h5 -o figures",
      [costs, &commands] { return budget_command(*costs, commands.typed()); });
  budgets.add_option("STUDY", costs->study,
                     "Study file or shipped study; its network, [chip], [link] and [budget] are used (default: "
                     "built-in values)");
  budgets
      .add_option(
          "--network", costs->network,
          "Network or result file (.h5), or shipped/NAME (default: the study's; random if it would be trained)")
      ->type_name("FILE");
  add_settings(budgets, costs->overrides.settings,
               "Override a value of the study: section.key=value; repeatable");
  budgets.add_flag("--json", costs->json, "Print one JSON object in SI units, for scripts");
  add_output(budgets, costs->out);
}

void add_compare_costs(CommandTable& commands) {
  const auto compared = std::make_shared<CompareCostsArguments>();
  CLI::App& designs =
      commands.add("compare-costs", "Compare the costs of several designs, side by side with published values",
                   "optinc compare-costs published -o designs.h5\n"
                   "  experiments/scripts/draw designs.h5 -o figures\n"
                   "  optinc compare-costs published --set link.skew=at-servers\n"
                   "  optinc compare-costs which_average --draws 200",
                   [compared, &commands] { return compare_costs_command(*compared, commands.typed()); });
  designs
      .add_option("LIST", compared->list,
                  "List of designs, each given by overrides of one study: a file, or a shipped list")
      ->required();
  add_settings(designs, compared->settings,
               "Override section.key=value for all designs that do not set the key themselves; repeatable");
  designs
      .add_option("--draws", compared->draws,
                  "Energies at the designs' own settings for N draws of whole parts (optinc devices), without "
                  "sending words; operating-point --draws searches")
      ->type_name("N")
      ->check(CLI::Range(1u, 100000u));
  designs.add_flag("--json", compared->json, "Print one JSON object in SI units, for scripts");
  add_output(designs, compared->out);
}

void add_operating_point(CommandTable& commands) {
  const auto asked = std::make_shared<OperatingPointArguments>();
  CLI::App& point = commands.add(
      "operating-point",
      "Find where a unit decodes at the highest symbol rate, or with the least energy or light, and what it "
      "costs there",
      "optinc operating-point operating_points -o points.h5\n"
      "  optinc operating-point LIST.toml --wrong 1e-3 --chips 20     faster, but less certain\n"
      "  optinc operating-point least_energy --goal energy --rates 28e9 40e9\n"
      "  optinc operating-point which_average_draws --goal energy --draws 200 -o parts.h5\n"
      "A --wrong below one of --words is estimated: levels are Gaussian at given lock phases. The estimate is "
      "withheld where phases beyond four times their rms make more than half of it. For trained networks, set "
      "--words to 1/wrong or more.\n"
      "A design with model=cascade is a cascade of units for servers^2 servers. Receivers are clocked "
      "(time.sampling = clocked) unless a design says unclocked.",
      [asked, &commands] { return operating_point_command(*asked, commands.typed()); });
  OperatingPointSearch& search = asked->search;
  point
      .add_option("LIST", asked->list,
                  "List of designs, each given by overrides of one study: a file, or a shipped list")
      ->required();
  point
      .add_option("--wrong", search.wrong, "Largest share of words wrong on a chip that passes, 1e-15 or more")
      ->type_name("SHARE");
  point.add_option("--chips-right", search.chips_right, "Share of the chips that must pass")
      ->type_name("SHARE");
  point.add_option("--chips", search.chips, "Chips on which a rate is confirmed")->type_name("N");
  point.add_option("--words", search.words, "Words sent through each chip; more where --wrong asks for them")
      ->type_name("N");
  point
      .add_option_function<std::string>(
          "--goal", [&search](const std::string& name) { search.goal = value_of_name<Goal>(name); },
          "What to seek: the highest rate, over rate and bandwidth, or the least energy per bit or light, over "
          "all settings by their gradients (default: rate)")
      ->type_name("rate|energy|light");
  point.add_option("--hold", search.held, "Settings to keep as given, such as time.symbol_rate_bd")
      ->type_name("KEY")
      ->expected(1, 99);
  point
      .add_option("--choose", asked->choices,
                  "Candidate values of a key, of which each design takes the best: integers, such as "
                  "time.equaliser_taps=1,3,5, or names of parts; repeatable")
      ->type_name("KEY=VALUE,VALUE")
      ->expected(1, 99);
  point
      .add_option(
          "--rates", asked->rates_bd,
          "Symbol rates at which to search each design, one point per rate; for goal energy or light [Bd]")
      ->type_name("BD")
      ->expected(1, 99);
  point
      .add_option(
          "--draws", asked->draws,
          "Estimate each design's least energy at its own symbol rate for N draws of whole parts (optinc "
          "devices), and confirm the draws at 10, 50 and 90 % by counting")
      ->type_name("N");
  point.add_option("--bandwidths", search.bandwidths_hz, "Receiver bandwidths to try [Hz]")
      ->type_name("HZ")
      ->expected(1, 99);
  point
      .add_option(
          "--designs", asked->designs,
          "Write a list of the single units that decode, at their operating points, for compare-costs and "
          "interconnect")
      ->type_name("FILE");
  add_settings(point, asked->settings,
               "Override section.key=value for all designs that do not set the key themselves; repeatable");
  point.add_flag("--json", asked->json, "Print one JSON object in SI units, for scripts");
  add_output(point, asked->out);
}

void add_interconnect(CommandTable& commands) {
  const auto joined = std::make_shared<InterconnectArguments>();
  CLI::App& interconnect = commands.add(
      "interconnect",
      "Compare training iterations on electrical, optical and OptINC networks: time, traffic and energy",
      "optinc interconnect headline -o i.h5\n"
      "  experiments/scripts/draw i.h5 -o figures\n"
      "  optinc interconnect LIST.toml --trace ring.json --scenario \"F1 ResNet50 ring\"   for Perfetto\n"
      "  optinc interconnect --keys                                    all keys of a [[scenario]]\n"
      "Rows marked CALIBRATED have parameters chosen to reproduce a published ratio, so they predict nothing.",
      [joined, &commands] { return interconnect_command(*joined, commands.typed()); });
  interconnect.add_option(
      "LIST", joined->list,
      "List of scenarios ([[scenario]]) and sensitivity studies ([[sensitivity]]): a file, or a shipped list");
  interconnect
      .add_option("--trace", joined->trace, "Write a Chrome trace (JSON) of one iteration of a scenario")
      ->type_name("FILE");
  interconnect.add_option("--scenario", joined->scenario, "Scenario to trace (default: the first)")
      ->type_name("NAME");
  interconnect
      .add_option("--servers", joined->servers,
                  "Number of servers of the scenario to trace (default: its first)")
      ->type_name("N")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 20));
  interconnect.add_flag("--json", joined->json, "Print one JSON object in SI units, for scripts");
  interconnect.add_flag("--keys", joined->keys, "Print every key with unit, default and meaning, and exit");
  add_output(interconnect, joined->out);
}

void add_cluster(CommandTable& commands) {
  const auto asked = std::make_shared<ClusterArguments>();
  CLI::App& cluster =
      commands.add("cluster",
                   "Simulate jobs on a cluster with optical circuits: control protocol, optical paths, "
                   "tenants, a day of jobs, failures",
                   "optinc cluster oddl -o c.h5\n"
                   "  experiments/scripts/draw c.h5 -o figures\n"
                   "  optinc cluster LIST.toml --dry-run                 check a list and its tables of jobs\n"
                   "  optinc cluster --keys                              all keys of a list\n"
                   "A key of a list may hold several values: every combination is a row.",
                   [asked, &commands] { return cluster_command(*asked, commands.typed()); });
  cluster.add_option("LIST", asked->list,
                     "List of [[testbed]], [[light_paths]], [[competition]], [[iteration]], [[day]] and "
                     "[[failure]] tables: a file, or a shipped list");
  cluster.add_flag("--dry-run", asked->dry_run, "Check the list, print the number of rows, and exit");
  cluster.add_flag("--json", asked->json, "Print one JSON object in SI units, for scripts");
  cluster.add_flag("--keys", asked->keys, "Print every key with unit, default and meaning, and exit");
  add_output(cluster, asked->out);
}

}  // namespace

void add_analysis_commands(CommandTable& commands) {
  add_inspect(commands);
  add_report(commands);
  add_validate(commands);
  add_check_network(commands);
  add_budget(commands);
  add_compare_costs(commands);
  add_operating_point(commands);
  add_interconnect(commands);
  add_cluster(commands);
}

}  // namespace optinc
