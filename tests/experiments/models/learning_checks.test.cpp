#include "experiments/models/learning_checks.hpp"

#include <fmt/format.h>

#include "tests/support/catch.hpp"
#include "tests/support/configs.hpp"

using namespace optinc;

namespace {

/// What a study of learning says to these settings over one that can be; empty where it is content.
std::string said(const std::vector<std::string>& more) {
  std::vector<std::string> settings = {"model=learning", "network.source=carry-chain", "task.rounding=half-up",
                                       "noise.lock=false"};
  settings.insert(settings.end(), more.begin(), more.end());
  return complaint("", settings);
}

}  // namespace

TEST_CASE("learning: data that Debian does not bring need a folder") {
  CHECK(said({}).empty());
  check_message(said({"learner.data_set=cifar-10"}),
                {"learner.data = \"default\"", "cifar-10", "Name the folder"});
  check_message(said({"learner.data_set=cifar-100"}), {"learner.data = \"default\"", "cifar-100"});
  CHECK(said({"learner.data_set=cifar-10", "learner.data=some/folder"}).empty());
  CHECK(said({"learner.kind=cnn"}).empty());
}

TEST_CASE("learning: widths that a model cannot be built of are refused by their key") {
  for (const char* wrong : {"260", "6"})
    check_message(said({"learner.kind=cnn", fmt::format("learner.width={}", wrong)}),
                  {"learner.width = ", wrong, "multiple of 4"});
  CHECK(said({"learner.kind=cnn", "learner.width=256"}).empty());
  CHECK(said({"learner.kind=mlp", "learner.width=63"}).empty());
}

TEST_CASE("learning: a batch that servers cannot share equally is refused by its key") {
  check_message(said({"learner.batch=30"}), {"learner.batch = 30", "4 servers", "Choose 32"});
  check_message(said({"task.servers=8", "learner.batch=36"}), {"learner.batch = 36", "8 servers", "Choose 40"});
  check_message(said({"learner.batch=12", "learner.levels=2"}),
                {"learner.batch = 12", "16 servers", "Choose 16"});
  CHECK(said({"learner.batch=28"}).empty());
}

TEST_CASE("learning: more evaluations than steps, and more trainings than seeds, are refused") {
  check_message(said({"learner.steps=4", "learner.evaluations=5"}), {"learner.evaluations = 5", "4 steps"});
  CHECK(said({"learner.steps=5", "learner.evaluations=5"}).empty());
  check_message(said({"runner.trials=2049"}), {"2049 trainings", "2048", "runner.trials", "run.seed"});
  CHECK(said({"runner.trials=2048"}).empty());
  // trial 0 of seed 2^53 would be trial 1 of seed 0
  check_message(said({"run.seed=9007199254740992"}), {"seed = 9007199254740992", "run.seed"});
  CHECK(said({"run.seed=9007199254740991"}).empty());
}

TEST_CASE("learning: halving-doubling is refused unless servers can be paired") {
  check_message(said({"learner.aggregator=halving-doubling", "task.servers=6", "task.rounding=floor"}),
                {"learner.aggregator = \"halving-doubling\"", "6 servers", "ring"});
  check_message(said({"learner.aggregator=halving-doubling", "task.servers=3", "learner.levels=2"}),
                {"9 servers"});
  CHECK(said({"learner.aggregator=halving-doubling", "task.servers=8"}).empty());
  CHECK(said({"learner.aggregator=ring", "task.servers=6", "learner.batch=252", "task.bits=2",
              "network.source=train", "network.hidden=[8]"})
            .empty());
}

// Fails when what sends no codes is held to them, or what sends them is not
TEST_CASE("learning: codes that units cannot carry are refused") {
  for (const auto* aggregator : {"quantised", "network", "chip"}) {
    INFO(aggregator);
    const std::string by = fmt::format("learner.aggregator={}", aggregator);
    check_message(said({by, "task.level=first"}),
                  {"learner.aggregator", "level \"first\"", "task.level = \"flat\""});
    check_message(said({by, "task.bits=18"}), {"learner: codes of 18 bits", "16", "Set task.bits"});
    CHECK(said({by}).empty());
    CHECK(said({by, "learner.levels=2"}).empty());
  }
  CHECK(said({"task.bits=18"}).empty());
  CHECK(said({"learner.aggregator=quantised", "task.bits=16"}).empty());
  const std::string levels = "learner.levels=2", eight = "task.servers=8",
                    network = "learner.aggregator=network";
  check_message(said({network, levels, eight}),
                {"learner.levels = 2", "8 servers", "one digit more", "task.servers"});
  CHECK(said({network, levels, eight, "learner.carry_digit=false", "task.bits=4"}).empty());
  CHECK(said({"learner.aggregator=quantised", levels, eight}).empty());
}

// Fails when the second level's words are not counted, or light is held to what its map cannot do
TEST_CASE("learning: words that no table holds are refused, unless light carries them") {
  const std::string chip = "learner.aggregator=chip", light = "learner.engine=light", wide = "task.bits=16";
  check_message(said({chip, wide}), {"learner: ", "815730721 input words", "learner.engine = \"light\""});
  check_message(said({"learner.aggregator=network", wide}), {"learner: ", "815730721 input words"});
  CHECK(said({chip, wide, light}).empty());
  // a second level has one digit more: 13^6 words in place of 13^5 and 13^4
  CHECK(said({"learner.aggregator=network", "task.bits=10", "learner.levels=2"}).empty());
  check_message(said({"learner.aggregator=network", "task.bits=12", "learner.levels=2"}), {"words"});
  CHECK(said({"learner.aggregator=network", "task.bits=12"}).empty());

  check_message(said({chip, "noise.lock=true"}), {"link.sigma_lock_rad", "noise.lock", "through the meshes"});
  check_message(said({chip, "link.sigma_combiner=0.01"}), {"link.sigma_combiner = 0.01"});
  CHECK(said({chip, "noise.lock=true", light}).empty());
  CHECK(said({"learner.aggregator=network", "noise.lock=true"}).empty());
}
