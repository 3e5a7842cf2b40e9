#include "experiments/study/prelude.hpp"

#include <optional>

#include <fmt/format.h>

#include "experiments/cli/progress.hpp"
#include "experiments/runner/interrupt.hpp"
#include "experiments/store/network_file.hpp"
#include "experiments/study/result_groups.hpp"
#include "experiments/study/training_checkpoint.hpp"
#include "onn/chip_training.hpp"
#include "physics/core/check.hpp"

namespace optinc {
namespace {

std::string task_text(const Task& task) {
  return fmt::format("{} servers, {} bits, {}, {}", task.servers, task.bits(), rounding_name(task.rounding),
                     level_name(task.level));
}

/// The network of a file, which must be what the study asks for.
Network network_of_file(const StudyConfig& config, const std::string& path) {
  const File file = File::open(path);
  Network network = load_network(file.root().open("network"));
  const Task &found = network.task, &wanted = config.task;
  validate(found == wanted,
           "{}: a network for {} (the study asks for {}). Set [task] to the network's, or "
           "train another.",
           path, task_text(found), task_text(wanted));
  if (!network.plain()) return network;  // network.hidden is of trained ones
  const std::vector<int> widths = network.widths(), hidden(widths.begin() + 1, widths.end() - 1);
  validate(hidden == config.network.hidden,
           "{}: hidden layers of {} neurons (network.hidden = {}). Set network.hidden to the "
           "network's.",
           path, fmt::join(hidden, ", "), toml_text(to_field_value(config.network.hidden)));
  return network;
}

Prelude train_network(const StudyConfig& config, bool quiet, const KeepTraining& keep) {
  TrainingKeeper keeper(config, keep.path, keep.command);
  std::optional<Network> start = keeper.start();
  if (!start && config.network.start != "random") start = network_of_file(config, config.network.start);
  Progress progress("training", config.training.epochs - keeper.epochs_done(), quiet);
  const auto report = [&](const EpochReport& e) {
    if (!keeper.keeps()) check_interrupt();
    progress.step(fmt::format("loss {:.2e}, words right {:.3f} %, margin {:+.3f}", e.loss,
                              100 * e.word_accuracy, e.margin));
  };
  const TrainingKeeping keeping = keeper.keeping(start);
  try {
    TrainingResult result =
        config.training.on_chips
            ? train_on_chips(*start, config.training, {config.chip, config.link, config.noise}, config.run.seed,
                             config.run.threads, report, &keeping)
            : train(config.task, config.network.hidden, config.training, config.run.seed, config.run.threads,
                    report, start ? &*start : nullptr, &keeping);
    return {std::move(result.network), std::move(result.curve)};
  } catch (const Error&) {
    keeper.remove();  // it would fail there again
    throw;
  }
}

}  // namespace

Prelude make_prelude(const StudyConfig& config, bool quiet, const KeepTraining& keep) {
  if (!has_network(config.model)) return {};
  if (config.network.source == "carry-chain") return {carry_chain(config.task, config.network.carry_chain), {}};
  if (config.network.source != "train") return {network_of_file(config, config.network.source), {}};
  return train_network(config, quiet, keep);
}

void write_prelude(const Group& root, const Prelude& prelude) {
  if (!prelude.curve.empty()) write_training_group(root.group("training"), prelude.curve);
  if (prelude.network) save_network(root.group("network"), *prelude.network);
}

Prelude read_prelude(const Group& root) {
  Prelude prelude;
  if (root.exists("training")) prelude.curve = read_training_group(root.open("training"));
  if (root.exists("network")) prelude.network = load_network(root.open("network"));
  return prelude;
}

std::vector<std::byte> prelude_bytes(const Prelude& prelude) {
  const File file = File::in_memory("prelude");
  write_prelude(file.root(), prelude);
  return file.bytes();
}

Prelude prelude_of_bytes(std::span<const std::byte> bytes) {
  return read_prelude(File::from_bytes(bytes, "prelude of the journal").root());
}

TrialModel make_model(const StudyConfig& config, const Prelude& prelude) {
  if (config.model == "mesh") return mesh_model(config);
  const Network& network = prelude.network.value();
  return config.model == "drift" ? drift_model(config, network) : chip_model(config, network);
}

}  // namespace optinc
