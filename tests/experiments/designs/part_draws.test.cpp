#include "experiments/designs/part_draws.hpp"

#include <cmath>
#include <limits>
#include <map>

#include "experiments/designs/choices.hpp"
#include "experiments/run/study_inputs.hpp"
#include "onn/hardware/unit_parts.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/refusal.hpp"

using namespace optinc;

namespace {

DesignList list_of(std::vector<std::string> settings) {
  DesignList list = {"sums and a ring", "", std::move(settings), std::vector<DesignEntry>(2)};
  list.designs[0].name = "sums", list.designs[1].name = "ring";
  list.designs[0].settings = {"network.source=digit-sums", "link.destinations=1"};
  list.designs[1].settings = {"network.source=ring"};
  return list;
}

const std::vector<std::string> fast = {"task.bits=4",
                                       "task.rounding=half-even",
                                       "link.signed_levels=true",
                                       "link.fibre_mismatch_m=0",
                                       "converter.device=ibm-56g-converter",
                                       "time.sampling=clocked",
                                       "link.launch_power_w=3e-4",
                                       "receiver.lo_power_w=1e-3",
                                       "link.drive_depth=0.5"};

}  // namespace

// Fails when a part is drawn whose source states a lower rate, or no source and no range, or parts are not all
// drawn
TEST_CASE("parts are drawn among those that keep up with the rate") {
  const UnitHardware unit = unit_of_parts();
  std::map<std::string, std::map<std::string, int>> drawn;
  constexpr int draws = 2000;
  for (std::uint32_t d = 0; d < draws; ++d) {
    const DrawnParts parts = draw_parts(unit, 28e9, 1, d);
    std::size_t k = 0;
    for (const UnitPart& named : unit_parts(unit)) ++drawn[named.key][parts.names[k++]];
  }
  CHECK(drawn["modulator.driver"].count("assumed-1pj-driver") == 0);  // a guess
  CHECK(drawn["modulator.driver"].count("liao-2022-driver") == 0);    // 25 GBd
  CHECK(drawn["converter.device"].count("ramkaj-2018-converter") == 0);
  CHECK(drawn["receiver.photodiodes"].count("large-core-photodiode") == 0);  // 12 GHz
  CHECK(drawn["laser.booster"].count("no-booster") == 0);
  // evenly: a share p of so many draws, five standard errors
  for (const auto& [key, names] : drawn)
    for (const auto& [name, times] : names) {
      CAPTURE(key, name);
      const double p = 1.0 / static_cast<double>(names.size());
      CHECK(std::abs(times - draws * p) <= 5 * std::sqrt(draws * p * (1 - p)) + 1e-9);
    }
  CHECK(drawn["converter.device"].size() == parts_for_rate("converter", 28e9).size());
  check_message(refusal([&] { draw_parts(unit, 300e9, 1, 0); }), {"300 GBd", "time.symbol_rate_bd"});
}

TEST_CASE("a draw's parts are whole: figures with a range alone are overridden, inside it") {
  const DesignList list = list_of(fast);
  const StudyConfig given = design_study(list, list.designs[0]);
  for (std::uint32_t d = 0; d < 50; ++d) {
    DesignEntry entry = list.designs[0];
    const DrawnParts drawn = draw_parts(given.hardware, 28e9, 7, d);
    entry.settings.insert(entry.settings.end(), drawn.settings.begin(), drawn.settings.end());
    const StudyConfig study = design_study(list, entry);
    std::size_t k = 0;
    for (const UnitPart& named : unit_parts(study.hardware)) {
      CAPTURE(d, named.key);
      CHECK(named.part->name == drawn.names[k++]);
      for (const std::string& key : named.overridden) {
        const auto figure = std::ranges::find(named.part->figures, key, &Figure::key);
        CHECK(std::isfinite(figure->low));
      }
    }
  }
}

// Fails when energies are of other parts than are named, a quantile of another draw, or a pair is compared over
// other draws
TEST_CASE("searches over draws of parts tell energies, quantiles and who takes less") {
  const DesignList list = list_of(fast);
  OperatingPointSearch search = {
      .wrong = 1e-3, .chips = 2, .words = 3'000, .goal = Goal::energy, .estimated_words = 128};
  constexpr std::uint32_t draws = 9;
  const PartDraws found = search_over_parts(list, search, draws, [](std::string_view) {});
  REQUIRE(found.energy_j.size() == 2);
  REQUIRE(found.parts.size() == draws);
  CHECK(found.servers == std::vector<std::int64_t>{4, 4});
  // one draw by itself
  search.counted = false, search.held = {"time.symbol_rate_bd"};
  const StudyConfig given = design_study(list, list.designs[1]);
  DesignEntry entry = list.designs[1];
  const DrawnParts drawn = draw_parts(given.hardware, 28e9, given.run.seed, 4);
  entry.settings.insert(entry.settings.end(), drawn.settings.begin(), drawn.settings.end());
  const StudyConfig study = design_study(list, entry);
  const OperatingPoint point = find_operating_point(study, make_study_inputs(study, true), search);
  CHECK(found.parts[4] == drawn.names);
  if (point.found())
    CHECK(found.energy_j[1][4] == point.energy_per_bit_j());
  else
    CHECK(std::isnan(found.energy_j[1][4]));
  int less = 0, below = 0;
  for (std::uint32_t d = 0; d < draws; ++d) {
    const double a = found.energy_j[0][d], b = found.energy_j[1][d];
    less += std::isnan(b) ? !std::isnan(a) : a < b;
    below += b <= found.quantile_j(1, 0.5);
  }
  CHECK(found.won(0, 1) == static_cast<double>(less) / draws);
  if (std::isfinite(found.quantile_j(1, 0.5))) CHECK(below == 5);
  DesignList fixed = list_of(fast);
  fixed.settings.emplace_back("converter.step_j=40e-15");
  check_message(refusal([&] { search_over_parts(fixed, search, 1, [](std::string_view) {}); }),
                {"sums: converter.step_j", "whole parts"});
}

// By compare_designs(), a draw by itself. Fails when a draw's parts do not reach the design, settings beyond a
// part end all, or words are said to be counted
TEST_CASE("costs over draws of parts are those of each draw's unit") {
  DesignList list = list_of(fast);
  for (DesignEntry& entry : list.designs) entry.settings.emplace_back("converter.effective_bits=6");
  const TrainedNetwork none;
  constexpr std::uint32_t draws = 40;
  const PartDraws found = costs_over_parts(list, none, draws, [](std::string_view) {});
  REQUIRE(found.energy_j.size() == 2);
  std::uint32_t beyond = 0;
  for (std::uint32_t d = 0; d < draws; ++d) {
    DesignList one = list;
    one.designs = {list.designs[1]};
    const StudyConfig given = design_study(list, one.designs[0]);
    const DrawnParts drawn = draw_parts(given.hardware, 28e9, given.run.seed, d);
    one.designs[0].settings.insert(one.designs[0].settings.end(), drawn.settings.begin(), drawn.settings.end());
    CHECK(found.parts[d] == drawn.names);
    beyond += std::isnan(found.energy_j[1][d]);
    if (!std::isnan(found.energy_j[1][d]))
      CHECK(found.energy_j[1][d] == compare_designs(one, none)[0].cost.energy_per_bit_j());
  }
  CHECK(beyond < draws);
  CHECK(found.quantiles[0][1].draw == -1);
  CHECK(part_draws_text(found).find("no word is sent") != std::string::npos);
  CHECK(part_draws_text(found).find("counted") == std::string::npos);
}

// Four units of four servers and one above them, which serves four servers a bit. Fails when a level weighs
// otherwise, a unit's draw is another's, or what is counted at a quantile is that of one level alone
TEST_CASE("a system of units takes the energies of its units, draw by draw") {
  DesignList list = list_of(fast);
  list.designs.resize(3);
  list.designs[0].settings.emplace_back("task.level=first");
  list.designs[1].name = "upper unit";
  list.designs[1].settings = {"network.source=digit-sums", "link.destinations=1", "task.level=second"};
  list.designs[2].name = "sums of 16", list.designs[2].units = {{"sums", 4}, {"upper unit", 1}};
  const OperatingPointSearch search = {
      .wrong = 1e-3, .chips = 2, .words = 3'000, .goal = Goal::energy, .estimated_words = 128};
  constexpr std::uint32_t draws = 6;
  const PartDraws system = search_over_parts(list, search, draws, [](std::string_view) {});
  const PartDraws costs = costs_over_parts(list, {}, draws, [](std::string_view) {});
  list.designs.pop_back();
  const PartDraws units = search_over_parts(list, search, draws, [](std::string_view) {}),
                  costs_of_units = costs_over_parts(list, {}, draws, [](std::string_view) {});
  CHECK(system.designs == std::vector<std::string>{"sums of 16"});
  CHECK(system.servers == std::vector<std::int64_t>{16});
  int points = 0;
  for (std::uint32_t d = 0; d < draws; ++d) {
    const double of_units = units.energy_j[0][d] + units.energy_j[1][d] / 4, found = system.energy_j[0][d];
    CAPTURE(d, of_units, found);
    CHECK((std::isnan(of_units) ? std::isnan(found) : found == Approx(of_units)));
    points += !std::isnan(of_units);
  }
  REQUIRE(points > 0);
  const PartDraws::Counted& least = system.quantiles[0][0];
  REQUIRE(least.draw >= 0);
  CHECK(least.energy_j == Approx(system.energy_j[0][static_cast<std::size_t>(least.draw)]).epsilon(0.05));
  CHECK(costs.energy_j[0][0] == Approx(costs_of_units.energy_j[0][0] + costs_of_units.energy_j[1][0] / 4));
}

TEST_CASE("the best of settings without derivatives is chosen") {
  CHECK(combinations({}).size() == 1);
  CHECK(combinations({"a.b=1,2", "c.d=x,y,z"}).size() == 6);
  CHECK(combinations({"a.b=1,2", "c.d=x"})[1] == std::vector<std::string>{"a.b=2", "c.d=x"});
  check_message(refusal([] { combinations({"a.b"}); }), {"a.b", "section.key=VALUE,VALUE"});
  const DesignList list = list_of(fast);
  std::vector<StudyConfig> studies;
  for (const auto& settings : combinations({"modulator.driver=breyne-2020-driver,zhang-2025-driver"})) {
    DesignEntry entry = list.designs[1];
    entry.settings.insert(entry.settings.end(), settings.begin(), settings.end());
    studies.push_back(design_study(list, entry));
  }
  OperatingPointSearch search = {.wrong = 1e-3,
                                 .chips = 2,
                                 .words = 3'000,
                                 .goal = Goal::energy,
                                 .held = {"time.symbol_rate_bd"},
                                 .estimated_words = 128};
  const StudyInputs inputs = make_study_inputs(studies[0], true);
  const ChosenPoint best = best_point(studies, inputs, search);
  REQUIRE(best.point.found());
  CHECK(best.point.chips == 2);  // counted, too
  search.counted = false;
  std::vector<double> estimated;
  for (const StudyConfig& study : studies)
    estimated.push_back(find_operating_point(study, inputs, search).energy_per_bit_j());
  CHECK(best.study == 1);  // 4.0 pJ a symbol, where the other takes 7.8
  CHECK(estimated[1] < 0.9 * estimated[0]);
}
