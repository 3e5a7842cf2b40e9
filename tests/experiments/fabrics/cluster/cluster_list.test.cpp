#include "experiments/fabrics/cluster/cluster_list.hpp"

#include <cmath>
#include <filesystem>
#include <fstream>

#include "physics/core/check.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/scratch.hpp"

using namespace optinc;

namespace {

ClusterResults load(const std::string& text) {
  const Scratch folder;
  const auto path = folder / "list.toml";
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
  CHECK(list.days[0].question.day.workloads.size() == 2);
  CHECK(list.rows() == 5);
}

// Fails when a preset is read after the row, twice, or its lists of values make rows that the row overrides
TEST_CASE("rows of clusters take presets, later ones and their own keys over earlier ones") {
  const ClusterResults list = load(
      "[preset.slow]\ntuning_s = [1e-6, 1e-5]\nnodes = 8\n[preset.held]\nhold = true\nnodes = 16\n"
      "[[testbed]]\nname = \"a\"\npreset = [\"slow\", \"held\"]\n"
      "[[testbed]]\nname = \"b\"\npreset = \"slow\"\ntuning_s = 1e-3\n");
  REQUIRE(list.testbeds.size() == 3);
  CHECK(list.testbeds[0].question.tuning_s == 1e-6);
  CHECK(list.testbeds[1].question.tuning_s == 1e-5);
  CHECK(list.testbeds[1].question.nodes == 16);
  CHECK(list.testbeds[1].question.hold);
  CHECK(list.testbeds[2].question.tuning_s == 1e-3);
  CHECK(list.testbeds[2].question.nodes == 8);
}

TEST_CASE("hostile lists of clusters are refused by line") {
  const std::vector<std::pair<std::string, std::string>> bad = {
      {"[[testbed]]\n", "name"},
      {"", "nothing to compute"},
      {"[[testbed]]\nname = \"a\"\ntunign_s = 1e-6\n", ":3:"},
      {"[[testbed]]\nname = \"a\"\ntunign_s = 1e-6\n", "Did you mean \"tuning_s\""},
      {"[[testbed]]\nname = \"a\"\ntuning_s = [1e-6, -1]\n", ":3:19"},
      {"[[testbed]]\nname = \"a\"\ntuning_s = []\n", ":3:"},
      {"[[testbed]]\nname = \"a\"\ntuning_s = nan\n", ":3:"},
      {"[[testbed]]\nname = \"a\"\nnodes = 2.5\n", ":3:"},
      {"[[testbed]]\nname = \"a\"\nschedule = \"fifo\"\n", ":3:"},
      {"[preset.p]\ntunign_s = 1\n[[testbed]]\nname = \"a\"\npreset = \"p\"\n",
       ":2:1: unknown key preset.tunign_s"},
      {"[preset.p]\nnodes = 2.5\n[[testbed]]\nname = \"a\"\npreset = \"p\"\n", ":2:"},
      {"[[testbed]]\nname = \"a\"\npreset = \"q\"\n", "no preset \"q\""},
      {"[[tetsbed]]\nname = \"a\"\n", "Did you mean \"testbed\""},
      {"testbed = 3\n", "[[testbed]]"},
      {"[[competition]]\nname = \"a\"\nload = 1\n", ":3:"},
      {"[[day]]\nname = \"a\"\njobs = \"no_such_table.csv\"\n", "no_such_table.csv"},
      {"[[light_paths]]\nname = \"a\"\ncrosstalk_db = 3\n", ":3:"},
      {"[[failure]]\nname = \"a\"\ncomponent = \"cable\"\n", ":3:"},
      {"[[failure]]\nname = \"a\"\ncomponent = \"fibre\"\nnetwork = [\"oddl\", \"switch\"]\n",
       "fibre on switch"},
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
  c.traffic.network.servers = 128;
  c.tenant_nodes = 32;
  c.load = 0.5;
  c.traffic.network.routing = "spray";
  c.traffic.network.hop_latency_s = 0.0;
  c.traffic.overlap = false;
  const CompetitionResult packed = run_competition(c);
  CHECK(packed.job_nodes == 64);
  CHECK(packed.tenants == 2);
  CHECK(packed.ratio(packed.fat_tree) == Approx(1.0).epsilon(1e-9));
  CHECK(packed.ratio(packed.sip_ring) == Approx(1.0).epsilon(1e-9));
  c.scattered = 1.0;
  c.traffic.network.oversubscription = 2.0;
  const CompetitionResult scattered = run_competition(c);
  CHECK(scattered.oddl.iteration_s == Approx(packed.oddl.iteration_s).epsilon(1e-12));
  CHECK(scattered.ratio(scattered.fat_tree) > 1.05);
  CHECK(scattered.ratio(scattered.sip_ring) > scattered.ratio(scattered.fat_tree));
  CHECK(scattered.coupled > 0.0);
}

// Iterations by hand, without latency and overlap. Fails when a sum in the network sends more than every byte
// once, codes of 8 bits as many as 32, or scales are left out
TEST_CASE("networks that add gradients up send every byte once, and OptINC serves what its levels join") {
  Competition c;
  Scenario& s = c.traffic.network;
  s.servers = 64;
  s.step_latency_s = s.hop_latency_s = s.adding_latency_s = s.fibre_m = s.io_latency_s = 0.0;
  s.compute_s = 0.05;
  c.traffic.overlap = false;
  c.traffic.set_s = 0.0;
  c.tenant_nodes = 16;
  c.load = 0.75;
  CHECK(std::isnan(run_competition(c).optinc.iteration_s));  // without the cost of a unit
  s.unit.emplace();
  s.unit->servers = 4;
  s.unit->bits = 8;
  s.unit->symbol_rate_bd = 40e9;
  s.unit->symbol_rate_limit_bd = 50e9;
  const CompetitionResult r = run_competition(c);
  REQUIRE(r.job_nodes == 16);
  const double sent_s = 4.0 * 143667240 / 12.5e9, ring = 2.0 * 15 / 16;
  CHECK(r.oddl.iteration_s == Approx(0.05 + ring * sent_s).epsilon(1e-6));
  CHECK(r.adding_fat_tree.iteration_s == Approx(0.05 + sent_s).epsilon(1e-6));
  CHECK(r.optinc.iteration_s == Approx(0.05 + sent_s / 4 * (1 + ring * 32 / (1024 * 8))).epsilon(1e-6));
  // two groups of 32: a switch out of and one into each, and four amplifiers; a quarter of them the job's
  CHECK(r.oddl.optics_j == Approx((2 * 2 * 20.0 + 2 * 4 * 5.0) / 4 * r.oddl.iteration_s));
  CHECK(r.oddl.energy_j == Approx(16 * 100e9 * s.transceiver_j_per_bit * r.oddl.iteration_s + r.oddl.optics_j));
  // 16 servers and 4 units below the topmost, a chip of four lanes each, two ports for each of these
  CHECK(r.optinc.optics_j == Approx(2 * 4 * (16 + 4) * 0.8 * r.optinc.iteration_s));
  s.unit->symbol_rate_bd = 12e9;  // 96 Gb/s a chip: two side by side
  const CompetitionResult slow = run_competition(c);
  CHECK(slow.optinc.optics_j == Approx(2 * 4 * (2 * 16 + 2 * 4) * 0.8 * slow.optinc.iteration_s));
  s.unit->symbol_rate_bd = 40e9;
  c.traffic.light.group_size = 64;  // all on one router
  CHECK(run_competition(c).oddl.optics_j == 0.0);
  // with overlap the last bucket alone is left over where computing is long: of as many gradients, in a quarter
  // of the bits
  c.traffic.overlap = true;
  s.compute_s = 30.0;
  const CompetitionResult hidden = run_competition(c);
  CHECK((hidden.optinc.iteration_s - 30.0) / (hidden.adding_fat_tree.iteration_s - 30.0) ==
        Approx((1 + ring * 32 / (1024 * 8)) / 4).epsilon(1e-3));
  c.tenant_nodes = 8;  // a job of 24 needs a third level
  c.load = 0.63;
  const CompetitionResult larger = run_competition(c);
  CHECK(larger.job_nodes == 24);
  CHECK(std::isnan(larger.optinc.iteration_s));
  CHECK(std::isnan(larger.optinc.energy_j));
  CHECK(larger.ratio(larger.adding_fat_tree) < 1.0);
  c.traffic.optinc_levels = 3;
  const CompetitionResult deeper = run_competition(c);
  CHECK(deeper.ratio(deeper.optinc) < 1.0);
  s.unit->symbol_rate_limit_bd = 30e9;  // its devices do not carry its rate
  CHECK(std::isnan(run_competition(c).optinc.iteration_s));
}
