#include "experiments/run/study_inputs.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "experiments/base/interrupt.hpp"
#include "experiments/base/progress.hpp"
#include "experiments/files/chips/chip_file.hpp"
#include "experiments/files/chips/crosstalk_file.hpp"
#include "experiments/files/chips/matrix_file.hpp"
#include "experiments/files/hdf5/network_file.hpp"
#include "experiments/files/hdf5/provenance.hpp"
#include "experiments/run/result_groups.hpp"
#include "experiments/study/points.hpp"
#include "experiments/study/ruled_networks.hpp"
#include "experiments/study/shipped_networks.hpp"
#include "experiments/study/stored_config.hpp"
#include "experiments/study/toml_values.hpp"
#include "onn/link/readout.hpp"
#include "onn/training/on_chip.hpp"
#include "onn/training/trainer.hpp"
#include "physics/core/check.hpp"

namespace optinc {
namespace {

std::string task_text(const Task& task) {
  return fmt::format("{} servers, {} bits, {}, {}, {}, outputs {}, {} adds", task.servers, task.bits(),
                     name_of(task.rounding), name_of(task.level), name_of(task.reduction),
                     name_of(task.outputs), name_of(task.adder));
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

/// Whether noise in training makes a key part of what the network was trained for, and a study of words meets
/// it.
bool of_the_link(const FieldEntry& entry) {
  constexpr std::array sections = {"link", "receiver", "modulator", "time"};
  constexpr std::array idle = {"lane_skew_s", "layer_skew_s",   "clocked_receiver_j",  "offset_a", "overload_a",
                               "v_pi_v",      "supply_power_w", "drive_capacitance_f", "driver_j"};
  return std::ranges::find(sections, entry.section) != sections.end() &&
         std::ranges::find(idle, entry.info.key) == idle.end();
}

/// The keys of the link that the network of a file was trained for with noise, as TOML; empty of others. A
/// study that trained none keeps what the file of its network said.
std::string trained_for(const Group& root) {
  if (root.exists("network")) {
    const Group network = root.open("network");
    if (network.attributes().has("trained_for")) return network.attributes().text("trained_for");
  }
  if (!root.attributes().has("config_toml")) return {};
  // not stored_config(): a network outlives keys that studies no longer have
  const toml::table config = parse_toml(root.attributes().text("config_toml"), {root.where()});
  if (config["training"]["noise"].value_or(0.0) <= 0.0) return {};
  if (config["network"]["source"].value_or(std::string("train")) != "train") return {};
  std::string text;
  for (const FieldEntry& entry : config_entries({})) {
    const toml::node* node = config[entry.section][entry.info.key].node();
    const auto value = node != nullptr && of_the_link(entry) ? value_of(*node, entry.value) : std::nullopt;
    if (value) text += fmt::format("{} = {}\n", entry.name(), toml_text(*value));
  }
  return text;
}

/// What a network was trained for against what chips meet at a point that asks for it: both values of every key
/// that differs. Settled words have no symbol rate, sampler or equaliser.
std::string other_link(const PreparedNetwork& network, const StudyConfig& asked) {
  const toml::table was = parse_toml(network.trained_for, {"trained_for"});
  const bool settled = asked.hardware.timing.sampling == Sampling::settled &&
                       was["time"]["sampling"].value_or(std::string("settled")) == "settled";
  std::vector<std::string> keys;
  for (const FieldEntry& entry : config_entries(asked)) {
    const toml::node* node = was[entry.section][entry.info.key].node();
    const auto value = node != nullptr ? value_of(*node, entry.value) : std::nullopt;
    if (value && *value != entry.value && !(settled && entry.section == "time"))
      keys.push_back(fmt::format("{} = {} (here {})", entry.name(), toml_text(*value), toml_text(entry.value)));
  }
  return fmt::format("{}", fmt::join(keys, ", "));
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
  const TrainingRun run = {config.run.seed, config.run.threads, report, &keeping};
  try {
    TrainingResult result =
        config.training.on_chips
            ? train_on_chips(*start, config.training, unit, run)
            : train(config.task, config.network.hidden, config.training, run, start ? &*start : nullptr, unit);
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
  if (const RuledNetwork* rule = ruled_network(source)) return {network_identity(asked), rule->make(asked), {}};
  PreparedNetwork found{network_identity(asked), network_of_file(asked, source), {}};
  found.trained_for = trained_for(File::open(network_path(source)).root());
  return found;
}

namespace {

/// Measured meshes whose arms with heaters lose light, while those beside them lose none.
void add_lone_arms(const MeasuredMeshes& measured, std::vector<StudyWarning>& all) {
  for (const MeasuredMesh& mesh : measured) {
    const MeshErrors& e = mesh.found.errors;
    for (const auto& [stage, arm, other] : {std::tuple("theta", &e.theta_arm_loss_db, &e.theta_other_loss_db),
                                            std::tuple("phi", &e.phi_arm_loss_db, &e.phi_other_loss_db)})
      if (!arm->isZero(0.0) && other->isZero(0.0))
        all.push_back(
            {"mesh.measured",
             fmt::format("{} has {}_arm_loss_db without {}_other_loss_db, so that arms without heaters lose "
                         "nothing and every MZI is unbalanced. Add that column, or give mzi_loss_db where "
                         "arms lose alike",
                         mesh.source, stage, stage),
             fmt::format("{} {}", mesh.source, stage)});
  }
}

/// Points whose amplifiers cut what their network says, by the design's mean loss.
void add_cut_values(const StudyConfig& config, const std::vector<StudyConfig>& points, const Networks& networks,
                    std::vector<StudyWarning>& all) {
  std::vector<std::optional<ChipDesign>> designs(networks.size());
  std::optional<StudyWarning> cut;
  for (std::size_t p = 0; p < points.size(); ++p)
    for (const StudyConfig& asked : asked_networks(points[p])) {
      const double most_a = asked.hardware.receiver.overload_a;
      const Network& network = networks[network_number(networks, asked)].network;
      if (most_a == 0 || network.layers.front().bias.size() == 0) continue;  // none: an outline, untrained
      std::optional<ChipDesign>& design = designs[network_number(networks, asked)];
      if (!design) design = design_chip(network);
      const std::vector<double> currents_a = receiver_currents_a(*design, asked.chip, asked.hardware);
      double largest_a = 0.0;
      std::size_t layer = 0;
      for (std::size_t l = 0; l < currents_a.size(); ++l)
        if (currents_a[l] > largest_a) largest_a = currents_a[l], layer = l;
      constexpr double rounding = 1 + 1e-9;
      if (largest_a <= most_a * rounding) continue;
      if (!cut)
        cut = {"receiver.overload_a",
               fmt::format(
                   "amplifiers pass on {:.3g} A, and values of {} make up to {:.3g} A behind layer {}: they "
                   "are cut. Lower receiver.lo_power_w, link.launch_power_w or link.signal_full_scale_w, or "
                   "name another amplifier (receiver.device)",
                   most_a, asked.network.source == "train" ? "the network" : asked.network.source, largest_a,
                   layer),
               {},
               point_label(config, p),
               0,
               points.size()};
      ++cut->points;
      break;
    }
  if (cut) all.push_back(std::move(*cut));
}

}  // namespace

std::vector<StudyWarning> input_warnings(const StudyConfig& config, const StudyInputs& inputs) {
  std::vector<StudyWarning> all;
  add_lone_arms(inputs.measured, all);
  const Networks& networks = inputs.networks;
  if (networks.empty()) return all;
  const std::vector<StudyConfig> points =
      checked_points(config);  // also while results of an interrupted run are written
  add_cut_values(config, points, networks, all);
  for (std::size_t p = 0; p < points.size(); ++p)
    for (const StudyConfig& asked : asked_networks(points[p])) {
      const PreparedNetwork& network = networks[network_number(networks, asked)];
      const std::string keys = network.trained_for.empty() ? "" : other_link(network, asked);
      if (keys.empty()) continue;
      const std::string& source = asked.network.source;
      auto known = std::ranges::find(all, source, &StudyWarning::field);
      if (known == all.end()) {
        all.push_back(
            {"network.source",
             fmt::format("{} was trained for another link: {}. Set these keys as it was trained, or choose "
                         "a network for this link",
                         source, keys),
             source, point_label(config, p), 0, points.size()});
        known = all.end() - 1;
      }
      ++known->points;
    }
  return all;
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
    const Group network = group.group("network");
    save_network(network, prepared.network);
    if (!prepared.trained_for.empty())
      network.attributes().set("trained_for", std::string_view(prepared.trained_for));
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
    const Group network = group.open("network");
    prepared.network = load_network(network);
    if (network.attributes().has("trained_for"))
      prepared.trained_for = network.attributes().text("trained_for");
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
