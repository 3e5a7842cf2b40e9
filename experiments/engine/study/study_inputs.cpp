#include "experiments/engine/study/study_inputs.hpp"

#include <algorithm>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "experiments/engine/config/points.hpp"
#include "experiments/engine/process/interrupt.hpp"
#include "experiments/engine/process/progress.hpp"
#include "experiments/engine/store/network_file.hpp"
#include "experiments/engine/store/provenance.hpp"
#include "experiments/engine/study/result_groups.hpp"
#include "experiments/engine/study/shipped_networks.hpp"
#include "experiments/io/chip_file.hpp"
#include "experiments/io/crosstalk_file.hpp"
#include "experiments/io/matrix_file.hpp"
#include "onn/training/on_chip.hpp"
#include "onn/training/trainer.hpp"
#include "physics/core/check.hpp"

namespace optinc {
namespace {

std::string task_text(const Task& task) {
  return fmt::format("{} servers, {} bits, {}, {}, {}", task.servers, task.bits(), name_of(task.rounding),
                     name_of(task.level), name_of(task.reduction));
}

/// What a study must set to ask for the task `found` in place of `wanted`.
std::string task_keys(const Task& found, const Task& wanted) {
  std::vector<std::string> keys;
  if (found.servers != wanted.servers) keys.push_back(fmt::format("task.servers = {}", found.servers));
  if (found.bits() != wanted.bits()) keys.push_back(fmt::format("task.bits = {}", found.bits()));
  if (found.rounding != wanted.rounding)
    keys.push_back(fmt::format("task.rounding = \"{}\"", name_of(found.rounding)));
  if (found.level != wanted.level) keys.push_back(fmt::format("task.level = \"{}\"", name_of(found.level)));
  if (found.reduction != wanted.reduction)
    keys.push_back(fmt::format("task.reduction = \"{}\"", name_of(found.reduction)));
  return fmt::format("{}", fmt::join(keys, ", "));
}

Network network_in(const std::string& path) {
  const File file = File::open(path);
  require_schema(file);
  return load_network(file.root().open("network"));
}

/// The network of a file, which must be what the study asks for.
Network network_of_file(const StudyConfig& config, const std::string& source) {
  const std::string path = network_path(source).string();
  Network network = network_in(path);
  const Task &found = network.task, &wanted = config.task;
  validate(found == wanted, "{}: a network for {} (the study asks for {}). Set {}, or train another.", path,
           task_text(found), task_text(wanted), task_keys(found, wanted));
  return network;
}

PreparedNetwork train_network(const StudyConfig& config, bool quiet, const KeepTraining& keep) {
  TrainingKeeper keeper(config, keep.path, keep.origin);
  std::optional<Network> start = keeper.start();
  if (!start && config.network.start != "random")
    start = config.training.on_chips ? network_of_file(config, config.network.start)
                                     : network_in(network_path(config.network.start).string());
  Progress progress("training", config.training.epochs - keeper.epochs_done(), quiet);
  const auto report = [&](const EpochReport& e) {
    if (!keeper.keeps()) check_interrupt();
    progress.step(fmt::format("loss {:.2e}, words right {:.3f} %, margin {:+.3f}", e.loss,
                              100 * e.word_accuracy, e.margin));
  };
  const Checkpointing keeping = keeper.keeping(start);
  const TrainingUnit unit{config.chip, config.hardware, config.noise};
  try {
    TrainingResult result = config.training.on_chips
                                ? train_on_chips(*start, config.training, unit, config.run.seed,
                                                 config.run.threads, report, &keeping)
                                : train(config.task, config.network.hidden, config.training, config.run.seed,
                                        config.run.threads, report, start ? &*start : nullptr, &keeping, unit);
    return {network_identity(config), std::move(result.network), std::move(result.curve)};
  } catch (const Error&) {
    keeper.remove();  // it would fail there again
    throw;
  }
}

std::string target_group(std::size_t number) { return fmt::format("mesh_targets/{}", number); }
std::string measured_group(std::size_t number) { return fmt::format("measured_meshes/{}", number); }
std::string crosstalk_group(std::size_t number) { return fmt::format("measured_crosstalk/{}", number); }
std::string chip_group(std::size_t number) { return fmt::format("measured_chips/{}", number); }

}  // namespace

PreparedNetwork make_network_of(const StudyConfig& config, bool quiet, const KeepTraining& keep) {
  const StudyConfig asked = network_configs(config).front();
  const std::string& source = asked.network.source;
  if (source == "train") return train_network(asked, quiet, keep);
  return {network_identity(asked),
          source == "carry-chain" ? carry_chain(asked.task, asked.network.carry_chain)
                                  : network_of_file(asked, source),
          {}};
}

StudyInputs read_files(const std::vector<StudyConfig>& points) {
  StudyInputs inputs;
  if (const auto read = model_of(points.front()).read_files) read(points, inputs);
  inputs.chips = read_measured_chips(points);
  return inputs;
}

StudyInputs make_study_inputs(const StudyConfig& config, bool quiet, const KeepTraining& keep) {
  std::set<std::string> seen;
  std::vector<StudyConfig> wanted;
  const std::vector<StudyConfig> points = checked_points(config, check_interrupt);
  for (const StudyConfig& point : points)
    for (StudyConfig& asked : asked_networks(point)) {
      if (!seen.insert(network_identity(asked)).second) continue;
      wanted.push_back(std::move(asked));
    }
  StudyInputs inputs = read_files(points);
  for (const StudyConfig& asked : wanted)
    if (asked.network.source == "train") require_measured_fit(asked, inputs.chips, network_shape(asked));
  for (const StudyConfig& asked : wanted)
    inputs.networks.push_back(make_network_of(asked, quiet, wanted.size() == 1 ? keep : KeepTraining{}));
  for (const StudyConfig& point : points)
    for (const StudyConfig& asked : asked_networks(point))
      require_measured_fit(asked, inputs.chips,
                           inputs.networks[network_number(inputs.networks, asked)].network);
  return inputs;
}

void write_study_inputs(const Group& root, const StudyInputs& inputs) {
  const auto write = [](const Group& group, const PreparedNetwork& prepared) {
    if (!prepared.curve.empty()) write_training_group(group.group("training"), prepared.curve);
    save_network(group.group("network"), prepared.network);
  };
  for (std::size_t i = 0; i < inputs.targets.size(); ++i) {
    const Group group = root.group(target_group(i));
    save_matrix(group, inputs.targets[i].matrix);
    group.attributes().set("source", std::string_view(inputs.targets[i].source));
  }
  for (std::size_t i = 0; i < inputs.measured.size(); ++i) {
    const Group group = root.group(measured_group(i));
    save_measurement(group, inputs.measured[i].found);
    group.attributes().set("source", std::string_view(inputs.measured[i].source));
  }
  for (std::size_t i = 0; i < inputs.crosstalks.size(); ++i) {
    const Group group = root.group(crosstalk_group(i));
    save_crosstalk(group, inputs.crosstalks[i].rad_per_rad);
    group.attributes().set("source", std::string_view(inputs.crosstalks[i].source));
  }
  for (std::size_t i = 0; i < inputs.chips.size(); ++i) {
    const Group group = root.group(chip_group(i));
    save_chip_errors(group, inputs.chips[i].errors);
    group.attributes().set("source", std::string_view(inputs.chips[i].source));
  }
  if (inputs.networks.size() == 1) return write(root, inputs.networks.front());
  for (std::size_t i = 0; i < inputs.networks.size(); ++i) {
    const Group group = root.group(network_group(i));
    write(group, inputs.networks[i]);
    group.attributes().set("identity", std::string_view(inputs.networks[i].identity));
  }
}

StudyInputs read_study_inputs(const Group& root) {
  StudyInputs inputs;
  const auto read = [&](const Group& group, std::string identity) {
    PreparedNetwork& prepared = inputs.networks.emplace_back();
    prepared.identity = std::move(identity);
    if (group.exists("training")) prepared.curve = read_training_group(group.open("training"));
    prepared.network = load_network(group.open("network"));
  };
  if (root.exists("network")) read(root, "");
  for (std::size_t i = 0; root.exists("networks") && root.exists(network_group(i)); ++i) {
    const Group group = root.open(network_group(i));
    read(group, group.attributes().text("identity"));
  }
  for (std::size_t i = 0; root.exists("mesh_targets") && root.exists(target_group(i)); ++i) {
    const Group group = root.open(target_group(i));
    inputs.targets.push_back({group.attributes().text("source"), load_matrix(group)});
  }
  for (std::size_t i = 0; root.exists("measured_meshes") && root.exists(measured_group(i)); ++i) {
    const Group group = root.open(measured_group(i));
    inputs.measured.push_back({group.attributes().text("source"), load_measurement(group)});
  }
  for (std::size_t i = 0; root.exists("measured_crosstalk") && root.exists(crosstalk_group(i)); ++i) {
    const Group group = root.open(crosstalk_group(i));
    inputs.crosstalks.push_back({group.attributes().text("source"), load_crosstalk(group)});
  }
  for (std::size_t i = 0; root.exists("measured_chips") && root.exists(chip_group(i)); ++i) {
    const Group group = root.open(chip_group(i));
    inputs.chips.push_back({group.attributes().text("source"), load_chip_errors(group)});
  }
  return inputs;
}

std::vector<std::byte> study_inputs_bytes(const StudyInputs& inputs) {
  const File file = File::in_memory("inputs");
  write_study_inputs(file.root(), inputs);
  return file.bytes();
}

StudyInputs study_inputs_of_bytes(std::span<const std::byte> bytes) {
  return read_study_inputs(File::from_bytes(bytes, "inputs of the journal").root());
}

std::string network_group(std::size_t number) { return fmt::format("networks/{}", number); }

TrialModel make_model(const StudyConfig& config, const StudyInputs& inputs,
                      const std::filesystem::path& keep_in) {
  return model_of(config).make(config, inputs, keep_in);
}

}  // namespace optinc
