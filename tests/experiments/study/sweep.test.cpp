#include "experiments/study/sweep.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "experiments/study/points.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/configs.hpp"

using namespace optinc;

namespace {

constexpr const char* swept_sections =
    "network, training, chip, fabrication, calibration, crosstalk, environment, parts, laser, modulator, "
    "receiver, "
    "converter, "
    "heater, splitter, "
    "coupler, fibre, waveguide, layout, die, link, neuron, owner, time, noise, stand_in, tolerance, mesh, "
    "comb, drift";

using Strings = std::vector<std::string>;

/// A study with one [[sweep]] of these lines.
std::string sweep(const std::string& lines) { return "[[sweep]]\n" + lines + "\n"; }

/// The values of one key of one axis as doubles.
std::vector<double> values(const StudyConfig& config, std::size_t axis = 0, std::size_t key = 0) {
  std::vector<double> found;
  for (const FieldValue& v : config.sweeps.at(axis).keys.at(key).values)
    found.push_back(std::holds_alternative<double>(v) ? std::get<double>(v)
                                                      : static_cast<double>(std::get<std::int64_t>(v)));
  return found;
}

/// The message of the Error that "--sweep text" over a study throws; empty where it throws none.
std::string sweep_complaint(const std::string& file, const std::string& text) {
  return refusal([&] { parse_config(file, "s.toml", {{}, {text}, false}); });
}

std::vector<double> design(const std::string& method, int points, const std::string& seed = "1") {
  return values(parse("[run]\nseed = " + seed + "\n" +
                      sweep("range = {\"chip.sigma_cal_rad\" = [0, 1]}\nmethod = '" + method +
                            "'\npoints = " + std::to_string(points))));
}

}  // namespace

TEST_CASE("a study without sweeps has one point, itself") {
  const StudyConfig c = parse("");
  CHECK(point_count(c) == 1);
  CHECK(point_index(c, 0).empty());
  CHECK(point_label(c, 0).empty());
  CHECK(config_at(c, 0) == c);
}

TEST_CASE("a list of values is swept as given") {
  const StudyConfig c = parse(sweep("values = {\"chip.sigma_eta_rad\" = [0.25, 0, 1e-3]}"));
  REQUIRE(c.sweeps.size() == 1);
  CHECK(c.sweeps[0].name == "sigma_eta_rad");
  CHECK(c.sweeps[0].keys[0].key == "chip.sigma_eta_rad");
  CHECK(values(c) == std::vector<double>{0.25, 0.0, 1e-3});  // an integer is a number too
  CHECK(point_count(c) == 3);
  CHECK(config_at(c, 1).chip.sigma_eta_rad == 0.0);
  CHECK(config_at(c, 2).chip.sigma_eta_rad == 1e-3);
  CHECK(config_at(c, 2).chip.preset == "custom");
  CHECK(config_at(c, 2).chip.dac_bits == 14);
  CHECK(config_at(c, 2).sweeps.empty());
  CHECK(point_label(c, 2) == "sigma_eta_rad = 0.001");
}

TEST_CASE("every type of value can be swept") {
  const StudyConfig c = parse(sweep("values = {\"noise.rin\" = [true, false]}") +
                              sweep("values = {\"chip.dac_bits\" = [8, 12]}") +
                              sweep("values = {\"calibration.policy\" = ['oracle', 'none']}"));
  CHECK(config_at(c, 0).noise.rin);
  CHECK_FALSE(config_at(c, 4).noise.rin);
  CHECK(config_at(c, 2).chip.dac_bits == 12);
  CHECK(config_at(c, 0).calibration.policy == CalibrationPolicy::oracle);
  CHECK(config_at(c, 1).calibration.policy == CalibrationPolicy::none);
}

TEST_CASE("keys of one sweep are taken together") {
  const StudyConfig c =
      parse(sweep("values = {\"chip.dac_bits\" = [4, 6], \"receiver.lo_power_w\" = [1e-3, 1e-2]}"));
  CHECK(c.sweeps[0].name == "dac_bits_and_lo_power_w");
  REQUIRE(point_count(c) == 2);
  CHECK(config_at(c, 1).chip.dac_bits == 6);
  CHECK(config_at(c, 1).hardware.receiver.lo_power_w == 1e-2);
  CHECK(point_label(c, 0) == "dac_bits = 4, lo_power_w = 0.001");
}

TEST_CASE("sweeps are nested, the last one fastest") {
  const StudyConfig c = parse(sweep("values = {\"chip.dac_bits\" = [4, 6]}") +
                              sweep("values = {\"chip.rho_ab\" = [0.1, 0.2, 0.3]}") +
                              sweep("name = 'steps'\nvalues = {\"calibration.in_situ_steps\" = [8, 16]}"));
  CHECK(point_count(c) == 12);
  std::size_t point = 0;
  for (const int bits : {4, 6})
    for (const double rho : {0.1, 0.2, 0.3})
      for (const int steps : {8, 16}) {
        const StudyConfig there = config_at(c, point++);
        CHECK(there.chip.dac_bits == bits);
        CHECK(there.chip.rho_ab == rho);
        CHECK(there.calibration.in_situ_steps == steps);
      }
  CHECK(point_index(c, 9) == std::vector<std::size_t>{1, 1, 1});
}

TEST_CASE("even steps hit the ends exactly") {
  // 0.1 + (0.45 - 0.1) is not 0.45 in binary, nor 0.01 (0.7 / 0.01) 0.7: an end computed would show
  const auto linear = values(parse(sweep("range = {\"chip.sigma_cal_rad\" = [0.1, 0.45]}\npoints = 5")));
  REQUIRE(linear.size() == 5);
  CHECK(linear.front() == 0.1);
  CHECK(linear.back() == 0.45);
  for (std::size_t i = 0; i < 5; ++i)
    CHECK(linear[i] == Approx(0.1 + 0.0875 * static_cast<double>(i)).epsilon(1e-15));

  const auto logarithmic =
      values(parse(sweep("range = {\"receiver.lo_power_w\" = [0.01, 0.7]}\nmethod = 'log'\npoints = 7")));
  REQUIRE(logarithmic.size() == 7);
  CHECK(logarithmic.front() == 0.01);
  CHECK(logarithmic.back() == 0.7);
  for (std::size_t i = 0; i + 1 < 7; ++i)
    CHECK(logarithmic[i + 1] / logarithmic[i] == Approx(std::exp(std::log(0.7 / 0.01) / 6)).epsilon(1e-11));

  // downwards, and two keys along one diagonal
  const auto both = parse(
      sweep("range = {\"chip.sigma_cal_rad\" = [0.3, 0.1], \"chip.rho_ab\" = [-1, 1]}\nmethod = 'linear'\n"
            "points = 3"));
  CHECK(values(both, 0, 0) == std::vector<double>{-1, 0, 1});
  CHECK(values(both, 0, 1).front() == 0.3);
  CHECK(values(both, 0, 1)[1] == Approx(0.2).epsilon(1e-15));
  CHECK(values(both, 0, 1).back() == 0.1);
}

TEST_CASE("designed values of integer keys are rounded") {
  CHECK(values(parse(sweep("range = {\"chip.dac_bits\" = [4, 9]}\npoints = 4"))) ==
        std::vector<double>{4, 6, 7, 9});  // 4, 5 2/3, 7 1/3, 9
  const auto c = parse(sweep("range = {\"calibration.in_situ_steps\" = [2, 200]}\nmethod = 'log'\npoints = 3"));
  CHECK(std::get<std::int64_t>(c.sweeps[0].keys[0].values[1]) == 20);
}

TEST_CASE("random points lie in the box and follow the seed") {
  const auto one = design("random", 64), again = design("random", 64), other = design("random", 64, "2");
  CHECK(one == again);
  CHECK(one != other);
  CHECK(std::set<double>(one.begin(), one.end()).size() == 64);
  CHECK(std::all_of(one.begin(), one.end(), [](double x) { return x > 0 && x < 1; }));
  CHECK(design("latin-hypercube", 64) != design("latin-hypercube", 64, "2"));
  CHECK(design("sobol", 64) == design("sobol", 64, "2"));
  CHECK(design("random", 1).size() == 1);
}

TEST_CASE("the two dimensions of a random design are drawn apart") {
  for (const std::string method : {"random", "latin-hypercube"}) {
    const auto u = unit_design({method, 50, false}, 2, 3);
    REQUIRE(u.size() == 2);
    CHECK(u[0] != u[1]);
  }
}

TEST_CASE("a Latin hypercube hits every stratum of every dimension once") {
  for (const std::uint64_t seed : {1, 2, 3}) {
    const auto u = unit_design({"latin-hypercube", 37, false}, 3, seed);
    REQUIRE(u.size() == 3);
    for (const auto& dimension : u) {
      std::set<int> strata;
      for (const double x : dimension) strata.insert(static_cast<int>(x * 37));
      CHECK(strata.size() == 37);
      CHECK(*strata.begin() == 0);
      CHECK(*strata.rbegin() == 36);
      CHECK_FALSE(std::is_sorted(dimension.begin(), dimension.end()));
    }
  }
}

TEST_CASE("the first Sobol points fill every dyadic cell once") {
  const auto u = unit_design({"sobol", 32, false}, 2, 1);
  CHECK(u[0][0] == 0.0);
  CHECK(u[1][0] == 0.0);
  // a (0, 2)-sequence in base 2: elementary intervals of area 1/16, of every shape, for both blocks of 16
  for (const std::size_t start : {std::size_t{0}, std::size_t{16}})
    for (const auto& [across, up] : std::map<int, int>{{1, 16}, {2, 8}, {4, 4}, {8, 2}, {16, 1}}) {
      std::set<std::pair<int, int>> cells;
      for (std::size_t i = start; i < start + 16; ++i)
        cells.insert({static_cast<int>(u[0][i] * across), static_cast<int>(u[1][i] * up)});
      CHECK(cells.size() == 16);
    }
}

TEST_CASE("a box may be filled evenly in the logarithm") {
  const auto c = parse(
      sweep("range = {\"receiver.lo_power_w\" = [1e-4, 1e-2]}\nmethod = 'sobol'\nscale = 'log'\npoints = 2"));
  CHECK(values(c)[0] == 1e-4);
  CHECK(values(c)[1] == Approx(1e-3).epsilon(1e-13));  // u = 1/2
}

// mutation: the tables of shapes and sweeps go by readers of their own, which take what they do not know
TEST_CASE("values of a sweep are held to type and range, with their place") {
  const auto of = [](const std::string& shapes) {
    return complaint(sweep("shapes = {widths = [8], depths = [2], " + shapes + "}"));
  };
  check_message(of("pyramids = 1"), {"s.toml:2:", "sweep.shapes.pyramids = 1", "true or false"});
  check_message(of("most_mzis = 'many'"), {"s.toml:2:", "sweep.shapes.most_mzis", "a number"});
  check_message(of("most_mzi = 3"), {"s.toml:2:", "unknown key sweep.shapes.most_mzi ", "\"most_mzis\"?"});
  check_message(complaint(sweep("valves = {}")), {"s.toml:2:1:", "unknown key sweep.valves ", "\"values\"?"});
  check_message(complaint("sweep = 3"), {"s.toml:1:9:", "sweep = 3", "[[sweep]]"});
}

TEST_CASE("a swept preset replaces the whole chip and other keys go over it") {
  const std::string base = "[chip]\npreset = 'good-lab'\nmzi_loss_db = 0.7\n";
  const StudyConfig c = parse(base + sweep("values = {\"chip.preset\" = ['ideal', 'doped-heaters']}"));
  CHECK(config_at(c, 0).chip.mzi_loss_db == 0.0);
  CHECK(config_at(c, 0).chip.preset == "ideal");
  CHECK(config_at(c, 1).chip.mzi_loss_db == error_preset("doped-heaters").mzi_loss_db);
  CHECK(config_at(c, 1).chip.sigma_eta_rad == error_preset("doped-heaters").sigma_eta_rad);
  CHECK(config_at(c, 1).chip.preset == "doped-heaters");
  // in whatever order, in one sweep or in two
  const std::string preset = sweep("values = {\"chip.preset\" = ['doped-heaters']}"),
                    bits = sweep("values = {\"chip.dac_bits\" = [5]}");
  for (const auto& text : {preset + bits, bits + preset,
                           sweep("values = {\"chip.preset\" = ['doped-heaters'], \"chip.dac_bits\" = [5]}")}) {
    const ErrorModel chip = config_at(parse(base + text), 0).chip;
    CHECK(chip.dac_bits == 5);
    CHECK(chip.mzi_loss_db == error_preset("doped-heaters").mzi_loss_db);
    CHECK(chip.preset == "custom");
  }
}

TEST_CASE("an ablation switches off exactly the sources it names") {
  // every source of the field tables, with the one value that it stands for
  const std::map<std::string, std::string> key_of = {{"splitters", "chip.sigma_eta_rad"},
                                                     {"calibration", "chip.sigma_cal_rad"},
                                                     {"mean loss", "chip.mzi_loss_db"},
                                                     {"loss spread", "chip.arm_loss_spread_db"},
                                                     {"DAC", "chip.dac_bits"},
                                                     {"phase noise", "chip.sigma_phase_rad"},
                                                     {"shot noise", "noise.shot"},
                                                     {"amplifier noise", "noise.tia"},
                                                     {"intensity noise", "noise.rin"},
                                                     {"phase lock", "noise.lock"},
                                                     {"converter", "noise.converter"}};
  const StudyConfig c = parse(sweep("method = 'ablation'"));
  REQUIRE(c.sweeps[0].name == "ablation");
  const Strings sources = c.sweeps[0].sources;
  CHECK(std::set<std::string>(sources.begin(), sources.end()).size() == 11);
  for (const auto& source : sources) CHECK(key_of.contains(source));

  Strings labels = {"none"};
  for (const auto& s : sources) labels.push_back("only " + s);
  labels.push_back("all");
  for (const auto& s : sources) labels.push_back("all but " + s);
  CHECK(ablation_labels(c.sweeps[0]) == labels);
  REQUIRE(point_count(c) == 24);
  for (std::size_t p = 0; p < 24; ++p) {
    INFO(labels[p]);
    CHECK(point_label(c, p) == labels[p]);
    for (const FieldEntry& entry : config_entries(config_at(c, p))) {
      INFO(entry.name());
      const auto named =
          std::find_if(key_of.begin(), key_of.end(), [&](const auto& k) { return k.second == entry.name(); });
      const FieldValue full = entry_of(c, entry.name()).value;
      if (named == key_of.end()) {
        CHECK((entry.value == full || entry.name() == "chip.preset" || entry.name() == "noise.set"));
        continue;
      }
      const std::string& source = named->first;
      const bool on = labels[p] == "all" || labels[p] == "only " + source ||
                      (labels[p].starts_with("all but ") && labels[p] != "all but " + source);
      if (on)
        CHECK(entry.value == full);
      else
        CHECK(toml_text(entry.value) == (entry.section == "noise"       ? "false"
                                         : entry.info.key == "dac_bits" ? "0"
                                                                        : "0.0"));
    }
  }
}

TEST_CASE("an ablation has the sources that act, or those it names") {
  const StudyConfig c =
      parse("[noise]\nshot = false\nlock = false\n[chip]\ndac_bits = 0\n" + sweep("method = 'ablation'"));
  CHECK(c.sweeps[0].sources == Strings{"splitters", "calibration", "mean loss", "loss spread", "phase noise",
                                       "amplifier noise", "intensity noise", "converter"});
  const StudyConfig named = parse(sweep("method = 'ablation'\nsources = ['DAC', 'splitters']"));
  CHECK(ablation_labels(named.sweeps[0]) ==
        Strings{"none", "only DAC", "only splitters", "all", "all but DAC", "all but splitters"});
  CHECK(config_at(named, 1).chip.sigma_eta_rad == 0.0);
  CHECK(config_at(named, 1).chip.dac_bits == 14);
  CHECK(config_at(named, 0).chip.sigma_cal_rad == 1e-3);  // not named: it stays
  // what another sweep switches on can be switched off, whichever of the two is outside
  const std::string ablation = sweep("method = 'ablation'\nsources = ['splitters']"),
                    level = sweep("values = {\"chip.sigma_eta_rad\" = [0.02]}");
  for (const auto& text : {level + ablation, ablation + level}) {
    const StudyConfig both = parse("[chip]\npreset = 'ideal'\n" + text);
    CHECK(config_at(both, 0).chip.sigma_eta_rad == 0.0);
    CHECK(config_at(both, 1).chip.sigma_eta_rad == 0.02);
    CHECK(config_at(both, 3).chip.sigma_eta_rad == 0.0);
  }
  const StudyConfig asked = parse_config("", "s.toml", {{"noise.shot=false"}, {}, true});
  CHECK(asked.sweeps[0].sources.size() == 10);
}

TEST_CASE("an ablation of a mesh alone leaves the receivers out") {
  const StudyConfig c = parse("model = 'mesh'\n" + sweep("method = 'ablation'"));
  CHECK(c.sweeps[0].sources ==
        Strings{"splitters", "calibration", "mean loss", "loss spread", "DAC", "phase noise"});
  check_message(complaint("model = 'mesh'\n" + sweep("method = 'ablation'\nsources = ['shot noise']")),
                {"shot noise", "splitters"});
}

// Fails when the sources of [mesh] are offered to another model, or not to this one
TEST_CASE("the sources of [mesh] are switched off in model mesh alone") {
  const std::string on = "[mesh]\nsigma_common_rad = 0.01\n[calibration]\nsigma_estimate_rad = "
                         "0.02\n[chip]\npreset = 'ideal'\n",
                    ablation = sweep("method = 'ablation'");
  const StudyConfig c = parse("model = 'mesh'\n" + on + ablation);
  CHECK(c.sweeps[0].sources == Strings{"splitter estimate", "common phase"});
  const StudyConfig without = config_at(c, 4);  // none, two alone, all, all but the estimate
  CHECK(without.mesh.sigma_common_rad == 0.01);
  CHECK(without.calibration.sigma_estimate_rad == 0.0);
  CHECK(parse(on + ablation).sweeps[0].sources == Strings{"splitter estimate", "shot noise", "amplifier noise",
                                                          "intensity noise", "phase lock", "converter"});
  check_message(complaint(sweep("method = 'ablation'\nsources = ['common phase']")),
                {"common phase", "splitters"});
}

TEST_CASE("a setting that a sweep would undo is refused") {
  const std::string text = sweep("values = {\"chip.sigma_eta_rad\" = [0.02, 0.03]}");
  try {
    parse_config(text, "s.toml", {{"chip.sigma_eta_rad=0.01"}, {}, false});
    FAIL("accepted");
  } catch (const Error& error) {
    check_message(error.what(), {"chip.sigma_eta_rad", "--sweep chip.sigma_eta_rad=[0.01]"});
  }
}

TEST_CASE("even steps are round where round numbers are near") {
  const auto steps = values(parse(sweep("range = {\"chip.sigma_cal_rad\" = [0.0, 0.01]}\npoints = 11")));
  CHECK(toml_text(steps[8]) == "0.008");  // 8 * 0.01 / 10 is 0.008 plus a bit in binary
  CHECK(toml_text(steps[3]) == "0.003");
}

TEST_CASE("sweeps written out read back equal") {
  const StudyConfig c =
      parse("[run]\nseed = 4\n[runner]\ntrials = 3\n" +
            sweep("name = 'level_of_error'\nrange = {\"chip.sigma_eta_rad\" = [1e-3, 0.03]}\nmethod = "
                  "'log'\npoints = 5") +
            sweep("range = {\"receiver.lo_power_w\" = [1e-3, 0.1], \"chip.dac_bits\" = [4, 14]}\nmethod = "
                  "'latin-hypercube'\n"
                  "points = 6") +
            sweep("values = {\"chip.preset\" = ['ideal', 'doped-heaters'], \"noise.rin\" = [true, false]}") +
            sweep("method = 'ablation'\nsources = ['DAC', 'phase lock']"));
  CHECK(point_count(c) == 5 * 6 * 2 * 6);
  for (const bool comments : {false, true}) {
    const StudyConfig back = parse(to_toml(c, comments));
    CHECK(back == c);
    CHECK(back.sweeps == c.sweeps);
    CHECK(run_id(back) == run_id(c));
  }
  // a design is stored by its values: another seed over them changes no point
  CHECK(parse(to_toml(c), {"run.seed=5"}).sweeps == c.sweeps);
}

TEST_CASE("a sweep on the command line takes the place of the file's") {
  const std::string file = sweep("name = 'level'\nvalues = {\"chip.sigma_eta_rad\" = [0.01, 0.02]}") +
                           sweep("values = {\"chip.rho_ab\" = [0, 1]}");
  const auto with = [&](const Strings& sweeps) { return parse_config(file, "s.toml", {{}, sweeps, false}); };
  const StudyConfig replaced = with({"chip.sigma_eta_rad=[0.5, 0.25, 0.125]"});
  CHECK(replaced.sweeps.size() == 2);
  CHECK(replaced.sweeps[0].name == "level");
  CHECK(values(replaced) == std::vector<double>{0.5, 0.25, 0.125});
  CHECK(point_count(replaced) == 6);
  const StudyConfig more = with({"chip.dac_bits=[3]", "chip.dac_bits=[4, 5]"});
  CHECK(more.sweeps.size() == 3);
  CHECK(more.sweeps[2].name == "dac_bits");
  CHECK(values(more, 2) == std::vector<double>{4, 5});
  check_message(sweep_complaint(file, "chip.sigma_eta=[1]"),
                {"--sweep chip.sigma_eta=[1]: ", "mean chip.sigma_eta_rad?"});
  check_message(sweep_complaint(file, "chip.rho_ab=0.5"),
                {"--sweep chip.rho_ab=0.5: ", "not a list of values"});
  check_message(sweep_complaint(file, "chip.rho_ab=[2]"), {"chip.rho_ab = 2", "-1..1"});
  check_message(sweep_complaint(file, "chip.rho_ab"), {"--sweep chip.rho_ab: ", "not an assignment"});
  check_message(sweep_complaint(file, "study=[1]"), {"--sweep study=[1]: ", "no key of a section"});
  check_message(sweep_complaint(file, "run.seed=[1]"), {"run.seed cannot be swept", swept_sections});
  check_message(
      sweep_complaint(sweep("values = {\"chip.rho_ab\" = [0], \"chip.dac_bits\" = [8]}"), "chip.rho_ab=[1]"),
      {"--sweep chip.rho_ab=[1]: ", "chip.rho_ab", "Sweep it once"});
}

TEST_CASE("a sweep that cannot be says where and why") {
  const auto listed = [](const std::string& table) { return complaint(sweep("values = {" + table + "}")); };
  const auto ranged = [](const std::string& table, const std::string& rest) {
    return complaint(sweep("range = {" + table + "}\n" + rest));
  };
  check_message(listed("\"chip.sigma_eta\" = [1]"),
                {"s.toml:2:", "unknown key chip.sigma_eta", "mean chip.sigma_eta_rad?"});
  check_message(listed("\"run.seed\" = [1, 2]"), {"s.toml:2:", "run.seed cannot be swept", swept_sections});
  check_message(listed("\"study\" = ['a']"), {"s.toml:2:", "study cannot be swept"});
  check_message(listed("\"chip.rho_ab\" = [0, 1], \"chip.dac_bits\" = [8]"),
                {"s.toml:1:1:", "chip.rho_ab has 2 values", "chip.dac_bits has 1", "taken together"});
  check_message(listed("\"chip.rho_ab\" = []"), {"s.toml:2:27:", "chip.rho_ab = []", "not a list of values"});
  check_message(listed("\"chip.rho_ab\" = 0.5"), {"s.toml:2:27:", "chip.rho_ab = 0.5", "not a list of values"});
  check_message(listed("\"chip.rho_ab\" = [0.5, 'a']"),
                {"s.toml:2:33:", "chip.rho_ab = 'a'", "a number (-1..1)"});
  check_message(listed("\"chip.dac_bits\" = [8.5]"),
                {"s.toml:2:30:", "chip.dac_bits = 8.5", "an integer (0..24)"});
  check_message(listed("\"noise.rin\" = [1]"), {"noise.rin = 1", "true or false"});
  check_message(listed("\"chip.rho_ab\" = [0.5, 1.5]"),
                {"s.toml:2:33:", "chip.rho_ab = 1.5", "-1..1", "at most 1"});
  check_message(listed("\"chip.preset\" = ['doped-heater']"),
                {"s.toml:2:28:", "doped-heater", "mean \"doped-heaters\"?"});
  check_message(listed(""), {"s.toml:2:10:", "sweep.values = {}", "keys and what they take"});
  check_message(complaint(sweep("values = 3")), {"s.toml:2:10:", "sweep.values = 3"});
  check_message(complaint(sweep("value = {\"chip.rho_ab\" = [0]}")),
                {"s.toml:2:1:", "sweep.value ", "mean \"values\"?"});
  check_message(complaint(sweep("")), {"s.toml:1:1:", "without values"});
  check_message(complaint("[sweep]\nvalues = {}"), {"s.toml:1:1:", "Write [[sweep]]"});
  check_message(complaint("sweep = [3]"), {"s.toml:1:9:", "Write [[sweep]]"});
  check_message(complaint(sweep("values = {\"chip.rho_ab\" = [0]}\nrange = {\"chip.rho_ab\" = [0, 1]}")),
                {"s.toml:1:1:", "values and a range"});
  check_message(complaint(sweep("values = {\"chip.rho_ab\" = [0]}\nmethod = 'log'")),
                {"s.toml:1:1:", "\"log\" with values"});

  const std::string rho = "\"chip.rho_ab\" = [0, 1]";
  check_message(ranged(rho, "method = 'logg'\npoints = 3"),
                {"s.toml:3:10:", "\"logg\"", "linear, log, random", "mean \"log\"?"});
  check_message(ranged(rho, "method = 3\npoints = 3"),
                {"s.toml:3:10:", "sweep.method = 3", "one of linear, log, random"});
  check_message(ranged(rho, ""), {"s.toml:1:1:", "sweep.points = 0 by method linear", "2..1000000"});
  check_message(ranged(rho, "points = 1"), {"sweep.points = 1", "2..1000000"});
  check_message(ranged(rho, "points = 2.5"), {"s.toml:3:10:", "sweep.points = 2.5", "an integer"});
  check_message(ranged(rho, "points = 0\nmethod = 'sobol'"),
                {"s.toml:3:10:", "sweep.points = 0 ", "1..1000000"});
  check_message(ranged(rho, "points = 1000001\nmethod = 'random'"), {"sweep.points = 1000001", "1..1000000"});
  check_message(ranged(rho, "points = 99999999999"),
                {"s.toml:3:10:", "sweep.points = 99999999999 ", "1..1000000"});
  check_message(ranged(rho, "points = -4294967293"), {"sweep.points = -4294967293 "});
  check_message(ranged(rho, "points = 3\nscale = 'cubic'"),
                {"s.toml:4:9:", "sweep.scale = \"cubic\"", "linear, log"});
  check_message(ranged(rho, "points = 3\nmethod = 'log'"),
                {"s.toml:2:26:", "chip.rho_ab = [ 0, 1 ]", "at or below 0"});
  check_message(ranged(rho, "points = 3\nmethod = 'random'\nscale = 'log'"), {"at or below 0"});
  check_message(ranged("\"chip.rho_ab\" = [0, 1, 2]", "points = 3"),
                {"s.toml:2:26:", "not a range of numbers"});
  check_message(ranged("\"chip.rho_ab\" = 1", "points = 3"), {"not a range of numbers"});
  check_message(ranged("\"chip.preset\" = ['ideal', 'doped-heaters']", "points = 3"),
                {"not a range of numbers"});
  check_message(ranged("\"noise.rin\" = [0, 1]", "points = 3"), {"not a range of numbers"});
  check_message(ranged("\"chip.rho_ab\" = [0, 3]", "points = 3"),
                {"s.toml:2:26:", "chip.rho_ab = 1.5", "-1..1"});

  check_message(complaint(sweep("method = 'ablation'\nsources = []")), {"s.toml:3:11:", "[] is empty"});
  check_message(complaint(sweep("method = 'ablation'\nsources = ['dac']")),
                {"s.toml:3:11:", "\"dac\"", "mean \"DAC\"?"});
  check_message(complaint(sweep("method = 'ablation'\nsources = ['DAC', 'DAC']")), {"\"DAC\" twice"});
  check_message(complaint("noise = {shot = false, tia = false, rin = false, lock = false, converter = "
                          "false}\nchip = {preset = 'ideal'}\n" +
                          sweep("method = 'ablation'")),
                {"no source of error acts"});
}

TEST_CASE("axes are told apart by name and a key has one value at a point") {
  const auto named = [](const std::string& name, const std::string& key = "chip.rho_ab") {
    return sweep("name = '" + name + "'\nvalues = {\"" + key + "\" = [0]}");
  };
  check_message(complaint(named("a") + named("a", "chip.dac_bits")),
                {"s.toml: ", "a is there already", "Give it a name"});
  for (const std::string taken :
       {"margin", "mesh_error", "trial", "variant", "quantile", "completed", "yield", "source"})
    check_message(complaint(named(taken)), {"s.toml: ", taken + " is there already"});
  check_message(complaint(named("a") + named("b")),
                {"s.toml: ", "chip.rho_ab is there already", "Sweep it once"});
  check_message(complaint(named("a b")), {"sweep.name = \"a b\"", "letters, digits and _"});
  check_message(complaint(named("a/b")), {"sweep.name = \"a/b\""});
  check_message(complaint(named("")), {"sweep.name = \"\""});
  check_message(complaint(sweep("name = 3\nvalues = {\"chip.rho_ab\" = [0]}")),
                {"s.toml:2:8:", "sweep.name = 3", "a string"});
  const std::string ablation = "method = 'ablation'\nsources = ['DAC']\nname = ";
  check_message(complaint(sweep(ablation + "'a'") + sweep(ablation + "'b'")),
                {"method = ablation", "Ablate once"});
}

TEST_CASE("names that a result file needs for something else are refused before the run") {
  const auto named = [](const std::string& name) {
    return sweep("name = '" + name + "'\nvalues = {\"chip.rho_ab\" = [0]}");
  };
  // datasets of the group summary, of the group ablation, and the values of keys taken together
  for (const std::string taken : {"margin_mean", "mesh_error_quantile_low", "code_error_count_sum", "yield_low",
                                  "variance_all", "share_alone"})
    check_message(complaint(named(taken)), {"s.toml: ", taken + " is there already"});
  const std::string pair = sweep("values = {\"chip.dac_bits\" = [8], \"chip.sigma_cal_rad\" = [0]}");
  check_message(complaint(named("dac_bits") + pair), {"s.toml: ", "dac_bits is there already"});
  check_message(complaint(pair + named("dac_bits")), {"s.toml: ", "dac_bits is there already"});
  CHECK(complaint(named("dac") + pair).empty());
}

TEST_CASE("too many points are refused") {
  const std::string thousand = "\nmethod = 'sobol'\npoints = 1000";
  const StudyConfig c = parse(sweep("range = {\"chip.rho_ab\" = [0, 1]}" + thousand) +
                              sweep("range = {\"chip.sigma_cal_rad\" = [0, 1]}" + thousand));
  CHECK(point_count(c) == 1000000);
  const auto more = [&] {
    return parse(sweep("range = {\"chip.rho_ab\" = [0, 1]}" + thousand) +
                 sweep("range = {\"chip.sigma_cal_rad\" = [0, 1]}" + thousand) +
                 sweep("values = {\"chip.dac_bits\" = [8, 9]}"));
  };
  check_message(refusal([&] { point_count(more()); }), {"1000000 points"});
}
