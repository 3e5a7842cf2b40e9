#include "experiments/analysis/cluster/cluster_list.hpp"

#include <filesystem>
#include <fstream>

#include "physics/core/check.hpp"

#include "tests/support/catch.hpp"

using namespace optinc;

namespace {

ClusterResults load(const std::string& text) {
  const auto path = std::filesystem::temp_directory_path() / "optinc_cluster_test.toml";
  std::ofstream(path) << text;
  return load_cluster_list(path);
}

}  // namespace

TEST_CASE("lists of values make a row for every combination") {
  const ClusterResults list = load(
      "title = \"t\"\n[[testbed]]\nname = \"a\"\ntuning_s = [1e-6, 1e-5]\nhold = [true, false]\nnodes = 8\n"
      "[[day]]\nname = \"d\"\nworkloads = [\"vgg19\", \"llama-8x384-tied\"]\nhorizon_s = 60\n");
  REQUIRE(list.testbeds.size() == 4);
  CHECK(list.testbeds[0].question.tuning_s == 1e-6);
  CHECK(list.testbeds[3].question.tuning_s == 1e-5);
  CHECK(list.testbeds[3].question.nodes == 8);
  int held = 0;
  for (const auto& row : list.testbeds) held += row.question.hold;
  CHECK(held == 2);
  REQUIRE(list.days.size() == 1);  // a key that is a list itself makes no rows
  CHECK(list.days[0].question.workloads.size() == 2);
  CHECK(list.rows() == 5);
}

TEST_CASE("hostile lists of clusters are refused by line") {
  const std::vector<std::pair<std::string, std::string>> bad = {
      {"[[testbed]]\n", "name"},
      {"", "nothing to compute"},
      {"[[testbed]]\nname = \"a\"\ntunign_s = 1e-6\n", ":3:"},
      {"[[testbed]]\nname = \"a\"\ntunign_s = 1e-6\n", "Did you mean testbed.tuning_s"},
      {"[[testbed]]\nname = \"a\"\ntuning_s = [1e-6, -1]\n", ":3:19"},
      {"[[testbed]]\nname = \"a\"\ntuning_s = []\n", ":3:"},
      {"[[testbed]]\nname = \"a\"\ntuning_s = nan\n", ":3:"},
      {"[[testbed]]\nname = \"a\"\nnodes = 2.5\n", ":3:"},
      {"[[testbed]]\nname = \"a\"\nschedule = \"fifo\"\n", ":3:"},
      {"[[tetsbed]]\nname = \"a\"\n", "Did you mean testbed"},
      {"testbed = 3\n", "[[testbed]]"},
      {"[[competition]]\nname = \"a\"\nload = 1\n", ":3:"},
      {"[[day]]\nname = \"a\"\njobs = \"no_such_table.csv\"\n", "no_such_table.csv"},
      {"[[light_paths]]\nname = \"a\"\ncrosstalk_db = 3\n", ":3:"},
  };
  for (const auto& [text, message] : bad) {
    INFO(text);
    CHECK_THROWS_WITH(load(text), ContainsSubstring(message));
  }
  std::string many = "[[testbed]]\nname = \"a\"\nseed = [0";
  for (int i = 1; i < 200; ++i) many += ", " + std::to_string(i);
  many += "]\nbits = [1";
  for (int i = 2; i < 64; ++i) many += ", " + std::to_string(i);
  CHECK_THROWS_WITH(load(many + "]\n"), ContainsSubstring("10000 rows or more"));
}

// nothing stands in the way of a packed job on a tree that blocks nothing: fails when a network is taken for
// another
TEST_CASE("packed on full bisection all networks are alike but for latency, and scattered they are not") {
  Competition c;
  c.nodes = 128;
  c.tenant_nodes = 32;
  c.load = 0.5;
  c.routing = "spray";
  c.hop_latency_s = 0.0;
  c.overlap = false;
  const CompetitionResult packed = run_competition(c);
  CHECK(packed.job_nodes == 64);
  CHECK(packed.tenants == 2);
  CHECK(packed.fat_tree_ratio() == Approx(1.0).epsilon(1e-9));
  CHECK(packed.sip_ring_ratio() == Approx(1.0).epsilon(1e-9));
  c.scattered = 1.0;
  c.oversubscription = 2.0;
  const CompetitionResult scattered = run_competition(c);
  CHECK(scattered.oddl_s == Approx(packed.oddl_s).epsilon(1e-12));
  CHECK(scattered.fat_tree_ratio() > 1.05);
  CHECK(scattered.sip_ring_ratio() > scattered.fat_tree_ratio());
  CHECK(scattered.coupled > 0.0);
}
