#include "experiments/run/training_checkpoint.hpp"

#include <chrono>
#include <cstdio>
#include <set>

#include <fmt/format.h>

#include "experiments/base/interrupt.hpp"
#include "experiments/base/terminal.hpp"
#include "experiments/files/hdf5/atomic_file.hpp"
#include "experiments/files/hdf5/network_file.hpp"
#include "experiments/files/hdf5/provenance.hpp"
#include "experiments/files/hdf5/stored_values.hpp"
#include "experiments/run/result_groups.hpp"
#include "experiments/study/stored_config.hpp"
#include "physics/core/check.hpp"

namespace optinc {
namespace {

namespace fs = std::filesystem;

constexpr double interval_s = 10.0;
constexpr const char* title = "OptINC: training under way";

double now_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// The part of a configuration that training depends on.
std::string training_identity(const StudyConfig& config) {
  StudyConfig part;
  part.run.seed = config.run.seed;
  part.task = config.task;
  part.network = config.network;
  part.training = config.training;
  if (config.training.meets_unit()) {
    part.chip = config.chip;
    part.hardware = config.hardware;
    part.noise = config.noise;
  }
  return identity_toml(part);
}

std::string dimension_of(std::size_t size) { return fmt::format("values{}", size); }

void write_state(const Group& group, const TrainingState& state) {
  const Attributes a = group.attributes();
  a.set("epoch", std::int64_t{state.epoch});
  a.set("batches", state.batches);
  a.set("loss", state.loss);
  a.set("seconds", state.seconds);
  if (!state.curve.empty()) write_training_group(group.group("curve"), state.curve);
  std::set<std::size_t> sizes;
  for (const NamedValues& array : state.arrays) sizes.insert(array.values.size());
  for (const std::size_t size : sizes)
    group.counting_dimension(dimension_of(size), size, "value of an array of this size, column by column");
  std::vector<std::string> names;
  for (std::size_t i = 0; i < state.arrays.size(); ++i) {
    const std::vector<double>& values = state.arrays[i].values;
    const std::string dimension = dimension_of(values.size());
    group.dataset(fmt::format("array{}", i), {dimension}, values, "1", state.arrays[i].name);
    names.push_back(state.arrays[i].name);
  }
  group.dimension("array", names, "1", "array of the trainer, in its order");
}

TrainingState read_state_group(const Group& group) {
  TrainingState state;
  const Attributes a = group.attributes();
  constexpr std::int64_t most = 1'000'000'000'000;
  state.epoch = static_cast<int>(stored_count(group, "epoch", 1'000'000'000));
  state.batches = a.integer("batches");
  validate(state.batches >= 0 && state.batches <= most, "{}: batches = {} (0 or more). Train anew.",
           group.where(), state.batches);
  state.loss = a.number("loss");
  state.seconds = a.number("seconds");
  if (group.exists("curve")) state.curve = read_training_group(group.open("curve"));
  const auto names = group.read<std::string>("array").values;
  for (std::size_t i = 0; i < names.size(); ++i)
    state.arrays.push_back({names[i], group.read<double>(fmt::format("array{}", i)).values});
  return state;
}

}  // namespace

fs::path checkpoint_path(const fs::path& output) { return output.string() + ".training"; }

void write_checkpoint(const fs::path& path, const TrainingCheckpoint& checkpoint) {
  AtomicFile out(path, true);
  write_provenance(out.file(), checkpoint.config, title, checkpoint.origin.command);
  write_revisions(out.file(), checkpoint.origin.revisions);
  if (!checkpoint.origin.replaces.empty())
    out.file().root().attributes().set("replaces", std::string_view(checkpoint.origin.replaces));
  if (checkpoint.start) save_network(out.file().group("start"), *checkpoint.start);
  write_state(out.file().group("state"), checkpoint.state);
  out.commit();
}

TrainingCheckpoint read_checkpoint(const fs::path& path) {
  const File file = File::open(path);
  const Attributes root = file.root().attributes();
  TrainingCheckpoint checkpoint{stored_config(file), {root.text("command"), read_revisions(file)}, {}, {}};
  if (root.has("replaces")) checkpoint.origin.replaces = root.text("replaces");
  validate(file.root().exists("state"), "{}: no state of a training in it. Move it away and train anew.",
           path.string());
  if (file.root().exists("start")) checkpoint.start = load_network(file.root().open("start"));
  checkpoint.state = read_state_group(file.root().open("state"));
  return checkpoint;
}

bool same_training(const StudyConfig& a, const StudyConfig& b) {
  return training_identity(a) == training_identity(b);
}

TrainingKeeper::TrainingKeeper(const StudyConfig& config, fs::path path, const TrainingOrigin& origin)
    : path_(std::move(path)) {
  if (keeps() && fs::exists(path_)) {
    kept_ = read_checkpoint(path_);
    validate(same_training(kept_.config, config),
             "{}: another training than the one that is asked for (it would be overwritten). Move it away.",
             path_.string());
    found_ = true;
  }
  kept_.config = config;
  kept_.origin = origin;
}

Checkpointing TrainingKeeper::keeping(const std::optional<Network>& start) {
  if (!keeps()) return {};
  kept_.start = start;
  return {[this](const std::function<TrainingState()>& state) { keep(state); },
          found_ ? &kept_.state : nullptr};
}

void TrainingKeeper::keep(const std::function<TrainingState()>& state) {
  const bool asked = interrupt_signal() != 0;
  if (!asked && now_s() - saved_s_ < interval_s) return;
  try {
    write_checkpoint(path_, {kept_.config, kept_.origin, kept_.start, state()});
  } catch (const Error& error) {  // a disk that is full for a while must not cost hours of training
    complain(fmt::format("warning: the training is not kept: {}", error.what()));
  }
  saved_s_ = now_s();
  check_interrupt();
}

void TrainingKeeper::remove() const {
  std::error_code none;
  if (keeps()) fs::remove(path_, none);
}

}  // namespace optinc
