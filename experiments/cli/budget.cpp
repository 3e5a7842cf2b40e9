#include <fmt/format.h>

#include "experiments/base/terminal.hpp"
#include "experiments/cli/commands.hpp"
#include "experiments/designs/budget_report.hpp"
#include "experiments/designs/compare_designs.hpp"
#include "experiments/files/hdf5/atomic_file.hpp"
#include "experiments/files/hdf5/network_file.hpp"
#include "experiments/files/hdf5/provenance.hpp"
#include "experiments/run/study_inputs.hpp"
#include "experiments/study/ruled_networks.hpp"
#include "experiments/study/shipped_networks.hpp"
#include "experiments/study/shipped_studies.hpp"
#include "experiments/study/stored_config.hpp"
#include "experiments/study/study_model.hpp"
#include "experiments/study/study_warnings.hpp"
#include "physics/core/check.hpp"

namespace optinc {
namespace {

/// The study's configuration; the defaults' without one. A network file brings its own task.
StudyConfig config_of(const BudgetArguments& a) {
  Overrides overrides = a.overrides;
  if (!a.network.empty()) overrides.settings.push_back(fmt::format("network.source={}", toml_text(a.network)));
  overrides.rounding_of = network_rounding;
  StudyConfig config =
      a.study.empty() ? parse_config("", "optinc budget", overrides) : load_study(a.study, overrides);
  validate(has_network(config.model),
           "a study of model {} (a budget is of a chip with a network). Set model = \"chip\".", config.model);
  if (!a.network.empty() && ruled_network(a.network) == nullptr) {
    const File file = File::open(network_path(a.network));
    require_schema(file);
    config.task = load_network(file.root().open("network")).task;
  }
  validate(!config.measured_chip.is_measured(),
           "chip.measured = {} (a budget takes losses from [chip]). Set chip.measured = \"none\" and "
           "chip.mzi_loss_db to "
           "the mean that was measured.",
           config.measured_chip.measured);
  config.sweeps.clear();   // the study's own chip
  config.figures.clear();  // they are of trials
  validate_config(config);
  return config;
}

std::string title_of(const StudyConfig& c, const Network& network) {
  return fmt::format("{} for {} servers and {} bits, chip preset {}, {}", fmt::join(network.widths(), "-"),
                     c.task.servers, c.task.bits(), c.chip.preset, c.hardware.heater.device);
}

}  // namespace

int budget_command(const BudgetArguments& a, std::string_view typed) {
  const bool stored = !a.out.output.empty();
  if (stored) {
    require_not_input(a.out.output, {a.study.empty() ? "" : study_path(a.study), a.network});
    require_writable_output(a.out.output, a.out.force);
  }
  const StudyConfig config = config_of(a);
  const bool untrained = config.network.source == "train";
  const Network network = untrained ? untrained_network(network_configs(config).front())
                                    : make_network_of(config, a.out.quiet).network;
  const ChipBudget result = budget(design_chip(network), config.chip, config.hardware, config.budget);
  std::vector<std::string> warnings =
      lines_of(budget_warnings(config, result.static_power_w.part("heaters").total()));
  if (untrained)
    warnings.emplace_back(
        "network.source = train: a budget trains nothing and takes random matrices of the network's shape, "
        "whose heater power differs a little. Give --network FILE for a trained network");
  print_warnings(warnings);
  const std::string title = title_of(config, network);
  if (stored) {
    AtomicFile file(a.out.output, a.out.force);
    write_provenance(file.file(), config, "OptINC budget: " + title, typed);
    write_warnings(file.file(), warnings);
    write_budget(file.file().group("budget"), result);
    file.commit();
  }
  print_text(a.json ? json_text(budget_json(result, config.hardware, title))
                    : budget_text(result, config.hardware, title));
  return 0;
}

}  // namespace optinc
