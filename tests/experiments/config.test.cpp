#include <cmath>
#include <filesystem>
#include <fstream>
#include <set>

#include "experiments/config/study_config.hpp"
#include "physics/core/check.hpp"

#include "tests/support/catch.hpp"

using namespace optinc;

namespace {

using Overrides = std::vector<std::string>;

StudyConfig parse(const std::string& text, const Overrides& overrides = {}) {
  return parse_config(text, "s.toml", overrides);
}

/// The message of the Error that parsing throws; "" when it throws none.
std::string complaint(const std::string& text, const Overrides& overrides = {}) {
  try {
    parse(text, overrides);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

/// PROBLEM (WHY). SUGGESTION, in one line, with every part in it.
void check_message(const std::string& message, const std::vector<std::string>& parts) {
  INFO(message);
  CHECK(message.find('\n') == std::string::npos);
  CHECK(message.find(" (") != std::string::npos);
  CHECK(message.find("). ") != std::string::npos);
  for (const auto& part : parts) {
    INFO("looked for: " << part);
    CHECK(message.find(part) != std::string::npos);
  }
}

/// A configuration in which no field has its default.
StudyConfig unlike_default() {
  StudyConfig c;
  c.study = "odd \"name\"\\ \t\x01 \xC3\xA9";
  c.run = {9007199254740992u, 3};
  c.task = {3, 5, Rounding::floor};
  c.network.hidden = {5, 10};
  c.training = {7, 33, 0.1 + 0.2, 0, 1.0 / 3.0};
  c.chip = {"custom", 0.1 / 3.0, -0.25, 1e-7, 0.123456789012345678, 5e-324, 24, 1.0};
  c.link = {1.1e-3, 1.1e-4, 0.11, {1.2e-3, 0.95, 0.0, 17e-12, 33e9, -151.0, 31.0}};
  c.noise = {false, false, false, false};
  c.levels = {{0.0, 1e-5}, 31, 4097};
  c.gradient = {"some/where", 129, 255, 2, 0.2, 0.0, 512, 0.25};
  return c;
}

}  // namespace

TEST_CASE("an empty file gives the defaults and the defaults are valid") {
  const StudyConfig c = parse("");
  CHECK(c == StudyConfig{});
  CHECK(c.chip.preset == "design-target");
  CHECK(c.chip.sigma_eta_rad == error_preset("design-target").sigma_eta_rad);
  CHECK(c.task.bits() == 8);
  CHECK(c.training.learning_rate == TrainingSettings{}.learning_rate);
}

TEST_CASE("a configuration written out reads back to the same bits") {
  const StudyConfig odd = unlike_default();
  const auto values = config_entries(odd), defaults = config_entries({});
  for (std::size_t i = 0; i < values.size(); ++i) {
    INFO(values[i].name());
    CHECK(values[i].value != defaults[i].value);  // or the round trip below would not see the field
  }
  for (const bool comments : {false, true}) {
    CHECK(parse(to_toml(odd, comments)) == odd);
    CHECK(parse(to_toml({}, comments)) == StudyConfig{});
    CHECK(to_toml(parse(to_toml(odd, comments))) == to_toml(odd));
  }
  CHECK(parse(to_toml(odd)).task.digits == 5);
  CHECK(parse(to_toml(odd)).chip.arm_loss_spread_db == 5e-324);
}

TEST_CASE("the field tables hold every member of every struct") {
  const StudyConfig c = unlike_default();
  const auto check = [&](std::string_view section, const std::vector<FieldValue>& members) {
    INFO(section);
    std::vector<FieldValue> fields;
    for (const FieldEntry& entry : config_entries(c))
      if (entry.section == section) fields.push_back(entry.value);
    CHECK(fields == members);
  };
  const auto values = [](const auto&... members) {
    return std::vector<FieldValue>{to_field_value(members)...};
  };
  // a structured binding names all members or does not compile: a new one cannot be forgotten here
  const auto& [seed, threads] = c.run;
  check("run", values(seed, threads));
  const auto& [servers, digits, rounding] = c.task;
  check("task", values(servers, 2 * digits, std::string(rounding_name(rounding))));
  const auto& [hidden] = c.network;
  check("network", values(hidden));
  const auto& [epochs, batch, rate, warmup, zone] = c.training;
  check("training", values(epochs, batch, rate, warmup, zone));
  const auto& [preset, eta, rho, cal, loss, spread, dac, phase] = c.chip;
  check("chip", values(preset, eta, rho, cal, loss, spread, dac, phase));
  const auto& [launch, full_scale, lock, receiver] = c.link;
  const auto& [lo, responsivity, dark, tia, bandwidth, rin, cmrr] = receiver;
  check("link", values(launch, full_scale, lo, responsivity, dark, tia, bandwidth, rin, cmrr, lock));
  const auto& [shot, amplifier, intensity, phase_lock] = c.noise;
  check("noise", values(shot, amplifier, intensity, phase_lock));
  const auto& [levels, chips, words] = c.levels;
  check("levels", values(levels, chips, words));
  const auto& [data, width, images, passes, step, momentum, block, level] = c.gradient;
  check("gradient", values(data, width, images, passes, step, momentum, block, level));
}

TEST_CASE("values from a file land in their members") {
  const StudyConfig c = parse(
      "study = 'mine'\n[task]\nservers = 8\nbits = 4\nrounding = 'floor'\n[network]\nhidden = [16, 32]\n"
      "[training]\nlearning_rate = 1\n[levels]\nsigma_eta_rad = [0, 0.25]\n[link]\nbandwidth_hz = 1e9\n");
  CHECK(c.study == "mine");
  CHECK(c.task.servers == 8);
  CHECK(c.task.digits == 2);
  CHECK(c.task.rounding == Rounding::floor);
  CHECK(c.network.hidden == std::vector<int>{16, 32});
  CHECK(c.training.learning_rate == 1.0);  // an integer is a number too
  CHECK(c.levels.sigma_eta_rad == std::vector<double>{0.0, 0.25});
  CHECK(c.link.receiver.bandwidth_hz == 1e9);
}

TEST_CASE("a chip preset fills its section and keys go over it in any order") {
  const ErrorModel foundry = error_preset("foundry");
  CHECK(parse("[chip]\npreset = 'foundry'").chip.mzi_loss_db == foundry.mzi_loss_db);
  CHECK(parse("[chip]\npreset = 'foundry'").chip.preset == "foundry");
  for (const auto* text :
       {"[chip]\ndac_bits = 9\npreset = 'foundry'", "[chip]\npreset = 'foundry'\ndac_bits = 9"}) {
    const ErrorModel chip = parse(text).chip;
    CHECK(chip.dac_bits == 9);
    CHECK(chip.sigma_eta_rad == foundry.sigma_eta_rad);
    CHECK(chip.preset == "custom");
  }
  CHECK(parse("[chip]\npreset = 'foundry'\ndac_bits = 12").chip.preset == "foundry");  // its own value
  check_message(complaint("[chip]\npreset = 'custom'\ndac_bits = 9"),
                {"custom", "sigma_eta_rad", "design-target"});
}

TEST_CASE("overrides go over the file") {
  const std::string file = "[run]\nseed = 3\n[chip]\npreset = 'foundry'\nrho_ab = 0.1\n";
  CHECK(parse(file, {"run.seed=7"}).run.seed == 7);
  CHECK(parse(file, {"run.seed=7", "run.seed=8"}).run.seed == 8);
  CHECK(parse(file, {"network.hidden=[4, 8]"}).network.hidden == std::vector<int>{4, 8});
  CHECK(parse(file, {"task.rounding=half-up"}).task.rounding == Rounding::half_up);
  CHECK(parse(file, {"task.rounding=\"half-up\""}).task.rounding == Rounding::half_up);
  CHECK(parse(file, {"gradient.data=/some/where"}).gradient.data == "/some/where");
  CHECK(parse(file, {"study=night"}).study == "night");
  CHECK(parse(file, {"link.bandwidth_hz = 1e9"}).link.receiver.bandwidth_hz == 1e9);
  CHECK(parse(file, {"chip.rho_ab=0.2"}).chip.rho_ab == 0.2);
  CHECK(parse(file, {"chip.rho_ab=0.2"}).chip.sigma_eta_rad == error_preset("foundry").sigma_eta_rad);

  // a preset on the command line replaces the file's chip, also one that was printed in full
  const StudyConfig printed = parse(to_toml(parse(file)), {"chip.dac_bits=9", "chip.preset=good-lab"});
  CHECK(printed.chip.rho_ab == error_preset("good-lab").rho_ab);
  CHECK(printed.chip.dac_bits == 9);
}

TEST_CASE("an unknown key or section names place, key and the nearest valid one") {
  check_message(complaint("[chip]\n  sigma_eta = 0.01\n"),
                {"s.toml:2:3:", "chip.sigma_eta", "mean chip.sigma_eta_rad?"});
  check_message(complaint("[training]\nepoch = 3"), {"s.toml:2:1:", "training.epoch", "mean training.epochs?"});
  check_message(complaint("[training]\nhiden = [3]"), {"training.hiden"});
  check_message(complaint("[training]\nservers = 3"), {"training.servers", "mean task.servers?"});
  check_message(complaint("seed = 3"), {"s.toml:1:1:", "unknown key seed", "mean run.seed?"});
  check_message(complaint("[chips]\ndac_bits = 3"), {"s.toml:1:2:", "[chips]", "mean [chip]?"});
  check_message(complaint("[run.more]\nx = 1"), {"run.more", "seed, threads"});
  check_message(complaint("task = 3"), {"s.toml:1:8:", "task = 3", "[task]"});
  check_message(complaint("[[task]]\nservers = 3"), {"task", "section"});
  check_message(complaint("", {"chip.sigma_etta_rad=1"}),
                {"--set chip.sigma_etta_rad=1:", "mean chip.sigma_eta_rad?"});
}

TEST_CASE("a wrong type says what was expected") {
  check_message(complaint("[task]\nservers = \"four\""),
                {"s.toml:2:11:", "task.servers = 'four'", "an integer (1..64)"});
  check_message(complaint("[task]\nservers = 4.0"), {"4.0", "an integer"});
  check_message(complaint("[task]\nservers = true"), {"true", "an integer"});
  check_message(complaint("[task]\nrounding = 1"), {"half-even, half-up, floor"});
  check_message(complaint("[chip]\nrho_ab = [0.5]"), {"chip.rho_ab", "a number (-1..1)"});
  check_message(complaint("[network]\nhidden = 64"), {"network.hidden = 64", "a list of integers", "[64, 128"});
  check_message(complaint("[network]\nhidden = [64, 1.5]"), {"a list of integers"});
  check_message(complaint("[network]\nhidden = [[64]]"), {"a list of integers"});
  check_message(complaint("[network.hidden]\na = 1"), {"network.hidden", "a list of integers"});
  check_message(complaint("[levels]\nsigma_eta_rad = ['a']"), {"a list of numbers"});
  check_message(complaint("study = 3"), {"study = 3", "a string"});
  check_message(complaint("", {"chip.dac_bits=many"}), {"--set chip.dac_bits=many:", "'many'", "an integer"});
}

TEST_CASE("a value out of range names the range") {
  check_message(complaint("[task]\nservers = 65"),
                {"s.toml:2:11:", "task.servers = 65", "1..64", "at most 64"});
  check_message(complaint("[task]\nservers = 0"), {"1..64", "at least 1"});
  check_message(complaint("[task]\nbits = 7"), {"task.bits = 7", "multiple of 2", "Give 6 or 8"});
  check_message(complaint("[task]\nbits = 18"), {"2..16"});
  check_message(complaint("[task]\nservers = 4294967300"),
                {"4294967300", "1..64"});  // 4 when narrowed too early
  check_message(complaint("[run]\nseed = -1"), {"run.seed = -1", "at least 0"});
  check_message(complaint("[chip]\nsigma_eta_rad = nan"), {"nan", "finite"});
  check_message(complaint("[link]\nbandwidth_hz = inf"), {"inf", "finite"});
  check_message(complaint("[chip]\nrho_ab = -1.5"), {"chip.rho_ab = -1.5", "-1..1"});
  check_message(complaint("[network]\nhidden = [64, 0]"), {"network.hidden = [64, 0]", "1..4096"});
  check_message(complaint("[network]\nhidden = []"), {"empty", "at least one"});
  check_message(complaint("[network]\nhidden = [64, 96]"), {"s.toml", "network.hidden", "64 and 96"});
  check_message(complaint("[task]\nrounding = 'half'"),
                {"s.toml:2:12: task.rounding", "\"half\"", "half-even, half-up, floor", "Did you mean"});
  check_message(complaint("[chip]\npreset = 'foundery'"),
                {"s.toml:2:10: chip.preset", "foundery", "Did you mean \"foundry\"?"});
  check_message(complaint("study = ''"), {"empty"});
  check_message(complaint("[run]\nseed = 3", {"run.seed=-2"}), {"--set run.seed=-2:", "at least 0"});
}

TEST_CASE("text that is not TOML names the place") {
  check_message(complaint("[task]\nservers = = 3"), {"s.toml:2:11:", "not readable"});
  check_message(complaint("[task]\nservers = 3\nservers = 4"), {"s.toml:3:"});
  check_message(complaint("[task"), {"s.toml:1:"});
  check_message(complaint("", {"run.seed"}), {"--set run.seed:", "section.key=value"});
  check_message(complaint("", {"run.seed=1\nrun.threads=2"}), {"one line"});
  check_message(complaint("", {"run.seed=[1"}), {"--set run.seed=[1:", "not readable"});
}

TEST_CASE("a missing file or a folder is named") {
  const auto check = [](const std::filesystem::path& path, const std::vector<std::string>& parts) {
    std::string message;
    try {
      load_config(path);
    } catch (const Error& error) {
      message = error.what();
    }
    check_message(message, parts);
  };
  check("no/such/study.toml", {"no/such/study.toml", "no such file"});
  check(std::filesystem::temp_directory_path(), {"folder"});
  const auto path = std::filesystem::temp_directory_path() / "optinc_config_test.toml";
  std::ofstream(path) << "[run]\nseed = -1\n";
  check(path, {path.string() + ":2:8:", "run.seed"});
  std::ofstream(path) << "[run]\nseed = 5\n";
  CHECK(load_config(path).run.seed == 5);
  std::filesystem::remove(path);
}

TEST_CASE("a configuration changed by code is checked as well") {
  CHECK_NOTHROW(validate_config({}));
  StudyConfig c;
  c.levels.sigma_eta_rad = {0.01, std::nan("")};
  CHECK_THROWS_AS(validate_config(c), Error);
  c = {};
  c.network.hidden = {64, 100};
  CHECK_THROWS_AS(validate_config(c), Error);
  c = {};
  c.task.servers = 65;
  CHECK_THROWS_AS(validate_config(c), Error);
}

TEST_CASE("every key is explained") {
  const auto keys = all_keys();
  CHECK(keys.size() == config_entries({}).size());
  CHECK(std::set<std::string>(keys.begin(), keys.end()).size() == keys.size());
  for (const auto& key : keys) {
    const std::string text = explain(key);
    for (const auto* part : {"meaning: ", "unit: ", "default: ", "allowed: ", "source: "})
      CHECK(text.find(part) != std::string::npos);
  }
  const std::string text = explain("chip.sigma_eta_rad");
  for (const auto* part : {"splitter angle", "rad", "0.005", "0..0.5", "Mikkelsen"})
    CHECK(text.find(part) != std::string::npos);
  CHECK_THROWS_WITH(explain("sigma_eta_rad"), Catch::Matchers::Contains("mean chip.sigma_eta_rad?"));
  CHECK_THROWS_WITH(explain("chip.sigma_eta"), Catch::Matchers::Contains("mean chip.sigma_eta_rad?"));
  CHECK_THROWS_WITH(explain("link.bandwith_hz"), Catch::Matchers::Contains("mean link.bandwidth_hz?"));
}

TEST_CASE("the identity of a run follows every setting but threads") {
  const std::string id = run_id({});
  CHECK(id.size() == 16);
  CHECK(id.find_first_not_of("0123456789abcdef") == std::string::npos);
  const auto changed = config_entries(unlike_default());
  for (const FieldEntry& entry : changed) {
    if (entry.section == "task" || entry.section == "network" || entry.name() == "chip.preset") continue;
    INFO(entry.name());
    const bool same = run_id(parse("", {entry.name() + "=" + toml_text(entry.value)})) == id;
    CHECK(same == (entry.name() == "run.threads"));
  }
  CHECK(run_id(parse("", {"task.servers=3"})) != id);
  CHECK(run_id(parse("", {"network.hidden=[4]"})) != id);
  CHECK(run_id(parse(to_toml({}, true))) == id);
}
