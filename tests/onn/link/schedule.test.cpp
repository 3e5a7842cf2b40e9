#include "onn/link/schedule.hpp"

#include <numbers>

#include "onn/budget/budget.hpp"
#include "onn/link/power_path.hpp"
#include "onn/network/carry_chain.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/networks.hpp"
#include "tests/support/refusal.hpp"

using namespace optinc;
using Catch::Matchers::WithinAbs;
using Catch::Matchers::WithinRel;

namespace {

ErrorModel with_loss(double mzi_loss_db) {
  ErrorModel model;
  model.mzi_loss_db = mzi_loss_db;
  return model;
}

/// Layers: 0 t_1 of lane 1; 1 its steps; 2 t_0 of lane 0 and 1; 3 its steps; 4 c_0 of 3; 5 r_0 of lane 0, 1, 3.
const ChipDesign& short_chain() {
  static const ChipDesign design = design_chip(carry_chain({4, 2, Rounding::half_up}));
  return design;
}
constexpr double through[] = {1, 10, 1, 10, 2, 2};

}  // namespace

// by hand. Fails when a layer does not wait for its last input, or a lane waits the same time twice
TEST_CASE("schedule: light waits for carries, in lines of its own or at the servers") {
  const ChipDesign& design = short_chain();
  const Schedule s = schedule(design, through, Skew::delay_lines);
  CHECK(s.start_s == std::vector<double>{0, 1, 11, 12, 22, 22});
  CHECK(s.ready_s == std::vector<double>{1, 11, 12, 22, 24, 24});
  CHECK(s.lane_line_s == std::vector<double>{11, 0});
  CHECK(s.launch_s == std::vector<double>{0, 0});
  for (std::size_t i = 0; i < design.layers[5].lanes.size(); ++i) {
    const LaneDesign& lane = design.layers[5].lanes[i];
    const double own =
        lane.source < 0 || lane.source == 1 ? 11 : 0;  // lane 0 has waited 11 with its other copy
    CHECK(s.line_s[5][i] == own);
    CHECK(s.waits_s(design, 5, i) == (lane.source < 0 ? 22 : own));
  }
  const Schedule later = schedule(design, through, Skew::at_servers);
  CHECK(later.launch_s == std::vector<double>{11, 0});
  CHECK(later.lane_line_s == std::vector<double>{0, 0});
  CHECK(later.line_s == s.line_s);
  CHECK(critical_path(design, s, 5).layers == std::vector<std::size_t>{0, 1, 2, 3, 5});
  CHECK(critical_path(design, s, 1).layers == std::vector<std::size_t>{0, 1});
  CHECK(critical_path(design, s, 5).copies == 1);  // lane 1 is read once: r_1 is rounded away
  check_message(refusal([&] { schedule(design, std::vector<double>{1}, Skew::delay_lines); }),
                {"times through 1 layers of 6", "Give them all."});
  check_message(refusal([] { value_of_name<Skew>("servers"); }), {"unknown skew \"servers\"", "at-servers"});
}

// N = 4, B = 8 by hand: trees of 1, 4, 4, 4 inputs and r_0's of 7, three thresholds a digit. Fails when layers
// beside the critical path are counted, or MZIs only where it passes
TEST_CASE("budget: a carry chain's depth, conversions, dB and delay are those of its critical path") {
  const ChipDesign design = design_chip(carry_chain({4, 4, Rounding::half_up}));
  const ChipBudget b = budget(design, with_loss(0.2), {});
  CHECK(b.columns() == 9);  // 0 + 2 + 2 + 2 + 3
  CHECK(b.columns() == mzi_depth(carry_chain({4, 4, Rounding::half_up})));
  CHECK(b.conversions() == 4);
  CHECK(b.mzis() == design.mzi_count());
  CHECK_THAT(b.fan_db(), WithinAbs(4 * 10 * std::log10(3.0), 1e-9));
  CHECK_THAT(b.loss_db.part("MZIs").total(), WithinAbs(9 * 0.2, 1e-9));
  const double pole = 1 / (2 * std::numbers::pi), column = 200e-6 * 4.19789 / 299792458.0;
  const double routing = (5e-3 + 80e-6) * 4.19789 / 299792458.0;  // 80 um: arms of the output screen
  CHECK_THAT(b.delay_s.total(),
             WithinRel(5 * pole / 40e9 + 5 * 2.1139 * pole / 32e9 + 9 * column + 5 * routing + 1e-9, 1e-4));
  double latest = 0.0;
  REQUIRE(b.answers.size() == 4);
  for (const BudgetAnswer& a : b.answers) latest = std::max(latest, a.delay_s);
  CHECK_THAT(latest, WithinRel(b.delay_s.total(), 1e-12));
  CHECK_THAT(b.answers[1].loss_db, WithinRel(b.loss_db.total(), 1e-12));  // r_0
  CHECK(b.answers[1].columns == 9);
  CHECK(b.answers[0].columns == 8);      // c_0, of three steps
  CHECK(b.answers[3].conversions == 2);  // r_2, of the carries of the last two digits
}

// Fails when reads of an incoherent average, a modulator each, wait in a line together, or one is counted twice
TEST_CASE("schedule: incoherent averages wait read by read, as long as coherent ones") {
  const ChipDesign& design = short_chain();
  UnitHardware u;
  u.link.skew = Skew::delay_lines;
  const Schedule fields = unit_schedule(design, u);
  u.link.averaging = Averaging::incoherent;
  const Schedule powers = unit_schedule(design, u);
  CHECK(powers.start_s == fields.start_s);
  CHECK(fields.lane_line_s[0] > 0.0);
  CHECK(powers.lane_line_s == std::vector<double>{0, 0});
  for (std::size_t l = 0; l < design.layers.size(); ++l)
    for (std::size_t i = 0; i < design.layers[l].lanes.size(); ++i)
      CHECK(powers.waits_s(design, l, i) == fields.waits_s(design, l, i));
}

// Fails when a line is not n_g t / c long, when it does not dim the light that waits, or servers send nothing
// later
TEST_CASE("budget: delay lines have length and loss, servers that send later spare the lanes") {
  const ChipDesign design = design_chip(carry_chain({4, 4, Rounding::half_up}));
  UnitHardware u;
  u.link.skew = Skew::delay_lines;
  const ChipBudget lines = budget(design, with_loss(0.2), u);
  u.link.skew = Skew::at_servers;
  const ChipBudget later = budget(design, with_loss(0.2), u);
  double r_0_starts = 0.0;
  for (const BudgetStage& stage : lines.stages) r_0_starts = std::max(r_0_starts, stage.start_s);
  CHECK_THAT(lines.longest_wait.wait_s, WithinRel(r_0_starts, 1e-9));  // lane 0, into r_0
  CHECK(lines.longest_wait.from == "unit P");
  CHECK_THAT(lines.longest_wait.line_m, WithinRel(r_0_starts * 299792458.0 / 4.19789, 1e-4));
  CHECK_THAT(lines.longest_wait.loss_db, WithinRel(1.5 * 100 * lines.longest_wait.line_m, 1e-9));
  CHECK_THAT(lines.area_m2.part("delay lines").total(), WithinRel(5e-6 * lines.delay_lines_m(), 1e-12));
  CHECK(later.delay_lines_m() > 0);
  CHECK(later.delay_lines_m() < lines.delay_lines_m());
  CHECK(later.longest_wait.loss_db < lines.longest_wait.loss_db);
  CHECK(lines.launch_delay_s == 0.0);
  CHECK(later.launch_delay_s > 0.6 * r_0_starts);  // lane 0, into t_0
  CHECK(later.most_gain_db() < lines.most_gain_db());
  CHECK_THAT(later.delay_s.total(), WithinRel(lines.delay_s.total(), 1e-12));
  CHECK_THAT(later.static_power_w.total(), WithinRel(lines.static_power_w.total(), 1e-12));
  u.routing.loss_db_per_cm = 0.0;
  const ChipBudget clear = budget(design, with_loss(0.2), u);
  u.link.skew = Skew::delay_lines;
  CHECK_THAT(clear.most_gain_db(), WithinRel(budget(design, with_loss(0.2), u).most_gain_db(), 1e-12));
}

// A lane's copies: t_m and r_m read it. Fails when they share one lane's light for nothing
TEST_CASE("budget: copies of a lane cost their share and their splitters") {
  const Task task = {4, 2, Rounding::half_up};
  Network twice = make_network(task, std::vector<int>{2});
  Network once = twice;
  for (Network* n : {&once, &twice})
    for (auto& layer : n->layers)
      for (auto& sigma : layer.sigma) sigma.setOnes();
  SigmaULayer again = twice.layers[0];  // a second reader of both lanes, which no one reads
  twice.layers.insert(twice.layers.begin() + 1, again);
  for (int& signal : twice.layers[2].reads) signal = signal + 2;
  UnitHardware u;
  u.splitter.stage_excess_loss_db = 0.21;
  const ChipBudget a = budget(design_chip(once), with_loss(0.2), u),
                   b = budget(design_chip(twice), with_loss(0.2), u);
  CHECK_THAT(b.loss_db.total() - a.loss_db.total(), WithinAbs(10 * std::log10(2.0) + 0.21, 1e-9));
  CHECK_THAT(b.stages[2].gain_db - a.stages[2].gain_db, WithinAbs(10 * std::log10(2.0) + 0.21, 1e-9));
}

// Fails when a plain network's tables lose a layer, or it waits
TEST_CASE("budget: of a plain network every layer is on the critical path and nothing waits") {
  const ChipDesign design = design_chip(random_network({4, 4}, {16, 32, 16}));
  UnitHardware u;
  for (const Skew skew : {Skew::delay_lines, Skew::at_servers}) {
    u.link.skew = skew;
    const ChipBudget b = budget(design, with_loss(0.2), u);
    CHECK(b.columns() == 5 + 17 + 17 + 5);
    CHECK(b.conversions() == 3);
    const double pole = 1 / (2 * std::numbers::pi), metre = 4.19789 / 299792458.0;
    CHECK_THAT(b.delay_s.total(), WithinRel(4 * pole / 40e9 + 4 * 2.1139 * pole / 32e9 +
                                                (44 * 200e-6 + 4 * 5080e-6) * metre + 1e-9,
                                            1e-4));
    CHECK_THAT(b.loss_db.part("splitting").total(), WithinAbs(10 * std::log10(4.0 * 5.0), 1e-9));
    CHECK(b.delay_lines_m() == 0.0);
    CHECK(b.longest_wait.wait_s == 0.0);
    CHECK(b.launch_delay_s == 0.0);
    CHECK(b.answer_skew_s() == 0.0);
    for (const BudgetAnswer& a : b.answers) CHECK_THAT(a.loss_db, WithinRel(b.loss_db.total(), 1e-12));
  }
}
