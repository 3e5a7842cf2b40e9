#include "experiments/run/training_checkpoint.hpp"

#include <filesystem>

#include "experiments/files/hdf5/provenance.hpp"
#include "onn/training/on_chip.hpp"
#include "onn/training/trainer.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/configs.hpp"
#include "tests/support/files.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/scratch.hpp"

using namespace optinc;
namespace fs = std::filesystem;

namespace {

struct Stopped {};

StudyConfig small_training(const std::string& more = {}, int seed = 3) {
  return parse(
      "[run]\nseed = " + std::to_string(seed) +
      "\n[task]\nservers = 4\nbits = 4\n[network]\nhidden = [16, 16]\n[training]\nepochs = 5\nbatch = 16\n"
      "warmup_epochs = 1\nlearning_rate = 3e-3\n" +
      more);
}

TrainingResult trained(const StudyConfig& config, const Checkpointing* keeping = nullptr,
                       const Network* start = nullptr) {
  return train(config.task, config.network.hidden, config.training, {config.run.seed, 1, {}, keeping}, start);
}

}  // namespace

// The keeper's file of the first step is what a killed process leaves. Fails where a value, the start or the
// curve is not stored to the bit
TEST_CASE("a training is kept on the disk and gone on with to the same bits") {
  const Scratch scratch;
  const fs::path path = checkpoint_path(scratch / "net.h5");
  CHECK(path == scratch / "net.h5.training");
  const StudyConfig config = small_training();
  const std::optional<Network> start = trained(small_training({}, 8)).network;
  {
    TrainingKeeper keeper(config, path, {"optinc train", {"abc"}, "5-0000abcd"});
    CHECK(keeper.epochs_done() == 0);
    Checkpointing keeping = keeper.keeping(start);
    CHECK(keeping.resumed == nullptr);
    int steps = 0;
    const auto keep = keeping.after_step;
    std::function<TrainingState()> last;
    keeping.after_step = [&](const std::function<TrainingState()>& state) {
      keep(state);
      if (++steps < 25) return;
      // what the ten seconds' clock would write now
      write_checkpoint(path, {config, {"optinc train", {"abc", "def"}, "5-0000abcd"}, start, state()});
      throw Stopped{};
    };
    CHECK_THROWS_AS(trained(config, &keeping, &*start), Stopped);
  }
  CHECK(read_checkpoint(path).origin.revisions ==
        std::set<std::string>{"abc", "def", std::string(program_revision())});
  CHECK(read_checkpoint(path).origin.replaces == "5-0000abcd");
  TrainingKeeper again(config, path, {"optinc resume"});
  CHECK(again.epochs_done() == 2);
  REQUIRE(again.start().has_value());
  CHECK(again.start()->layers[1].unitary == start->layers[1].unitary);
  const Checkpointing keeping = again.keeping(again.start());
  const TrainingResult resumed = trained(config, &keeping, &*again.start()),
                       whole = trained(config, nullptr, &*start);
  for (std::size_t l = 0; l < whole.network.layers.size(); ++l) {
    CHECK(resumed.network.layers[l].unitary == whole.network.layers[l].unitary);
    CHECK(resumed.network.layers[l].sigma == whole.network.layers[l].sigma);
    CHECK(resumed.network.layers[l].bias == whole.network.layers[l].bias);
  }
  REQUIRE(resumed.curve.size() == whole.curve.size());
  CHECK(resumed.curve[1].loss == whole.curve[1].loss);
  CHECK(read_checkpoint(path).origin.command == "optinc resume");  // its first step replaced the file
  again.remove();
  CHECK_FALSE(fs::exists(path));
}

// Fails where what is kept of another training is written over, where threads tell two trainings apart, or the
// seed, the scheme or (on chips) the chip does not
TEST_CASE("a kept training of another configuration is not gone on with, and stays") {
  const Scratch scratch;
  const fs::path path = checkpoint_path(scratch / "net.h5");
  TrainingState state;
  state.epoch = 4;
  state.arrays = {{"layer0/bias", {1, 2}}};
  write_checkpoint(path, {small_training(), {"optinc train"}, {}, state});
  const auto found = [&](StudyConfig config) {
    const std::string before = bytes_of(path);
    int epochs = 3;
    const std::string refused = refusal([&] { epochs = TrainingKeeper(config, path, {}).epochs_done(); });
    CHECK(epochs == 3);
    if (!refused.empty()) check_message(refused, {path.string(), "another training", "Move it away"});
    CHECK(bytes_of(path) == before);
    return refused.empty();
  };
  StudyConfig same = small_training();
  same.run.threads = 7;
  same.runner.trials = 3;
  same.chip.sigma_eta_rad = 0.07;
  CHECK(found(same));
  CHECK_FALSE(found(small_training({}, 4)));
  CHECK_FALSE(found(small_training("scheme = 'projected'\n")));
  StudyConfig chips = small_training();
  chips.training.on_chips = true;
  chips.network.start = "start.h5";
  write_checkpoint(path, {chips, {"optinc train"}, {}, state});
  CHECK(found(chips));
  chips.chip.sigma_eta_rad = 0.07;
  CHECK_FALSE(found(chips));
  CHECK(TrainingKeeper(chips, {}, {}).keeping({}).after_step == nullptr);
}
