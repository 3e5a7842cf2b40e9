#include <filesystem>
#include <string>

#include "experiments/study/study_config.hpp"
#include "experiments/study/study_keys.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/configs.hpp"
#include "tests/support/files.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/scratch.hpp"

using namespace optinc;

TEST_CASE("an unknown key or section names place, key and the nearest valid one") {
  check_message(complaint("[chip]\n  sigma_eta = 0.01\n"),
                {"s.toml:2:3:", "chip.sigma_eta", "mean chip.sigma_eta_rad?"});
  check_message(complaint("[training]\nepoch = 3"), {"s.toml:2:1:", "training.epoch", "mean training.epochs?"});
  check_message(complaint("[training]\nhiden = [3]"), {"training.hiden"});
  check_message(complaint("[training]\nservers = 3"), {"training.servers", "mean task.servers?"});
  check_message(complaint("seed = 3"), {"s.toml:1:1:", "unknown key seed", "mean run.seed?"});
  check_message(complaint("[chips]\ndac_bits = 3"), {"s.toml:1:2:", "[chips]", "mean [chip]?"});
  // keys of other sections until the devices of a unit got sections of their own
  check_message(complaint("[link]\nbandwidth_hz = 1e9"), {"link.bandwidth_hz", "mean receiver.bandwidth_hz?"});
  check_message(complaint("[budget]\nheater = 'typical-metal-heater'"),
                {"budget.heater", "mean heater.device?"});
  check_message(complaint("[run.more]\nx = 1"), {"run.more", "seed, threads, time_limit_s"});
  check_message(complaint("task = 3"), {"s.toml:1:8:", "task = 3", "[task]"});
  check_message(complaint("[[task]]\nservers = 3"), {"task", "section"});
  check_message(complaint("", {"chip.sigma_etta_rad=1"}),
                {"--set chip.sigma_etta_rad=1:", "mean chip.sigma_eta_rad?"});
}

TEST_CASE("what may have been meant by a wrong key is told, all of it") {
  check_message(complaint("[chip]\nsigma = 0.01\n"),
                {"s.toml:2:1:", "mean chip.sigma_eta_rad, chip.sigma_cal_rad or chip.sigma_phase_rad?"});
  CHECK_THROWS_WITH(explain("splitter_"), Catch::Matchers::Contains("drift.splitter_rad_per_m"));
  CHECK(explain("splitter").find("see also calibration.splitters, drift.splitter_rad_per_m") !=
        std::string::npos);
  CHECK(explain("splitter").find("chip.sigma_eta_rad") != std::string::npos);  // its meaning names splitters
  CHECK(explain("network.source").find("study's folder") != std::string::npos);
  // [operation] until the section was named for what it is
  check_message(complaint("[operation]\ntemperature_k = 1.0\n"), {"s.toml:1:2:", "mean [environment]?"});
  check_message(complaint("", {"operation.temperature_k=1.0"}), {"mean [environment]?"});
  CHECK(likely_keys("operation.temperature_k") == "environment.temperature_k");
}

TEST_CASE("the file of a matrix is refused by models that program none") {
  for (const char* model : {"", "model = 'drift'\n"})
    check_message(complaint(std::string(model) + "[mesh]\ntarget = 'U.csv'\n"),
                  {"mesh.target = \"U.csv\"", "Choose a model that reads it: mesh, mesh_drift"});
  CHECK(complaint("model = 'mesh'\n[mesh]\ntarget = 'U.csv'\n").empty());
}

TEST_CASE("a key that moved to the section of its device is told by its new name") {
  CHECK(likely_keys("link.bandwidth_hz") == "receiver.bandwidth_hz");  // three devices have a bandwidth
  CHECK(likely_keys("budget.heater") == "heater.device");              // renamed too
  CHECK(likely_keys("budget.skew") == "link.skew");                    // found by the key alone
  CHECK(likely_keys("drift.pi_power_w") == "heater.pi_power_w");
}

TEST_CASE("a wrong type says what was expected") {
  check_message(complaint("[task]\nservers = \"four\""),
                {"s.toml:2:11:", "task.servers = 'four'", "an integer (1..256)"});
  check_message(complaint("[task]\nservers = 4.0"), {"4.0", "an integer"});
  check_message(complaint("[task]\nservers = true"), {"true", "an integer"});
  check_message(complaint("[task]\nrounding = 1"), {"half-even, half-up, floor"});
  check_message(complaint("[chip]\nrho_ab = [0.5]"), {"chip.rho_ab", "a number (-1..1)"});
  check_message(complaint("[network]\nhidden = 64"), {"network.hidden = 64", "a list of integers", "[64, 128"});
  check_message(complaint("[network]\nhidden = [64, 1.5]"), {"a list of integers"});
  check_message(complaint("[network]\nhidden = [[64]]"), {"a list of integers"});
  check_message(complaint("[network.hidden]\na = 1"), {"network.hidden", "a list of integers"});
  check_message(complaint("figures = 'eye'"), {"figures = 'eye'", "a list of metric_vs_parameter, "});
  check_message(complaint("figures = [1]"), {"figures = [ 1 ]", "a list of metric_vs_parameter, "});
  check_message(complaint("[noise]\nrin = 0"), {"noise.rin = 0", "true or false"});
  check_message(complaint("study = 3"), {"study = 3", "a string"});
  check_message(complaint("", {"chip.dac_bits=many"}), {"--set chip.dac_bits=many:", "'many'", "an integer"});
}

TEST_CASE("a value out of range names the range") {
  check_message(complaint("[task]\nservers = 257"),
                {"s.toml:2:11:", "task.servers = 257", "1..256", "at most 256"});
  check_message(complaint("[task]\nservers = 65"), {"servers = 65", "1..64 are modelled", "servers <= 64"});
  check_message(complaint("[task]\nservers = 0"), {"1..256", "at least 1"});
  check_message(complaint("[task]\nbits = 7"), {"task.bits = 7", "in steps of 2", "Give 6 or 8"});
  check_message(complaint("[task]\nbits = 34"), {"2..32"});
  check_message(complaint("[task]\nservers = 4294967300"),
                {"4294967300", "1..256"});  // 4 when narrowed too early
  check_message(complaint("[run]\nseed = -1"), {"run.seed = -1", "at least 0"});
  check_message(complaint("[chip]\nsigma_eta_rad = nan"), {"nan", "finite"});
  check_message(complaint("[receiver]\nbandwidth_hz = inf"), {"inf", "finite"});
  check_message(complaint("[chip]\nrho_ab = -1.5"), {"chip.rho_ab = -1.5", "-1..1"});
  check_message(complaint("[network]\nhidden = [64, 0]"), {"network.hidden = [64, 0]", "1..4096"});
  check_message(complaint("[network]\nhidden = []"), {"empty", "at least one"});
  check_message(complaint("[network]\nhidden = [64, 96]"), {"s.toml", "network.hidden", "64 and 96"});
  check_message(complaint("[task]\nrounding = 'half'"),
                {"s.toml:2:12: task.rounding", "\"half\"", "half-even, half-up, floor", "Did you mean"});
  check_message(complaint("[chip]\npreset = 'doped-heater'"),
                {"s.toml:2:10: chip.preset", "doped-heater", "Did you mean \"doped-heaters\"?"});
  check_message(complaint("study = ''"), {"empty"});
  for (const char* control : {"\\u0000", "\\t", "\\u001b", "\\u007f"})
    check_message(complaint(fmt::format("study = \"a{}b\"", control)), {"s.toml:1:9: ", "control character"});
  check_message(complaint("[run]\nseed = 9007199254740993"),
                {"run.seed = 9007199254740993", "at most 9007199254740992"});
  CHECK(parse("[run]\nseed = 9007199254740992").run.seed == 9007199254740992);
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

TEST_CASE("text that is nested deeper than a parser's stack is refused, with its place") {
  const auto times = [](int n, const std::string& text) {
    std::string all;
    for (int i = 0; i < n; ++i) all += text;
    return all;
  };
  const std::string far = times(40000, "a.") + "a", deep = "nested too deeply";
  check_message(complaint("study = \"x\"\n[" + far + "]"), {"s.toml:2:", deep});
  for (const std::string& text :
       {far + " = 1", "[[" + far + "]]", "x = {" + far + " = 1}", "[" + times(40000, "\"a\" . ") + "a]",
        "x = [\"\"\"a\"\"\"\", '''b''''', {" + far + " = 1}]", "x = \"\\\"\"\n" + far + " = 1",
        "# '\n" + far + " = 1", "x = " + times(1000, "[") + times(1000, "]"),
        "x = " + times(1000, "{a=") + "1" + times(1000, "}"), far.substr(0, 2 * 17) + " = 1"})
    check_message(complaint(text), {deep});
  check_message(complaint("", {far + "=1"}), {"--set a.a.", deep});
  check_message(complaint("", {"x.y=" + times(1000, "[")}), {deep});
  // as deep as may be: refused for its unknown names alone
  for (const std::string& text : {times(15, "a.") + "a = 1", "x = " + times(32, "[") + times(32, "]")})
    CHECK(complaint(text).find(deep) == std::string::npos);
  CHECK(parse("study = \"" + times(100, "a.") + times(100, "[{") + "\"").study.size() == 400);
  CHECK(parse("study = '" + times(100, "a.\"") + "' # " + times(100, "[a.")).study.size() == 300);
  CHECK(parse("study = '''" + times(100, "a.'[") + "'''").study.size() == 400);
}

TEST_CASE("a missing file or a folder is named") {
  const Scratch scratch;
  const auto check = [](const std::filesystem::path& path, const std::vector<std::string>& parts) {
    check_message(refusal([&] { load_config(path); }), parts);
  };
  check("no/such/study.toml", {"no/such/study.toml", "no such file"});
  check(scratch.path(), {"folder"});
  const auto path = scratch / "study.toml";
  put(path, "[run]\nseed = -1\n");
  check(path, {path.string() + ":2:8:", "run.seed"});
  put(path, "[run]\nseed = 5\n");
  CHECK(load_config(path).run.seed == 5);
}

TEST_CASE("a configuration changed by code is checked as well") {
  CHECK_NOTHROW(validate_config({}));
  StudyConfig c;
  c.hardware.link.sigma_lock_rad = std::nan("");
  CHECK_THROWS_AS(validate_config(c), Error);
  c = {};
  c.network.hidden = {64, 100};
  CHECK_THROWS_AS(validate_config(c), Error);
  c = {};
  c.task.servers = 65;
  CHECK_THROWS_AS(validate_config(c), Error);
}

TEST_CASE("long lists are checked in one pass") {
  std::string widths = "4";
  for (int i = 0; i < 200'000; ++i) widths += ",8";
  CHECK(complaint("[network]\nhidden = [" + widths + "]") != "");
}

TEST_CASE("a name of no model is answered with those of the study's") {
  const std::string told = complaint("[measure]\nmetrics = ['infidelity']", {"model=mesh"});
  check_message(told, {"s.toml:2:11:", "known: mesh_error, ", "Did you mean \"fidelity\"?"});
  CHECK(told.find("word_accuracy") == std::string::npos);
  check_message(complaint("model = 'mesh'\n[measure]\nvariants = ['corected']"),
                {"known: uncorrected, corrected_quadrature, corrected)", "mean \"corrected\"?"});
}

TEST_CASE("metrics, variants and what is measured once are those of the model") {
  CHECK(parse("model = 'mesh'\n[measure]\nmetrics = ['fidelity']\nvariants = ['corrected']").measure.metrics ==
        std::vector<std::string>{"fidelity"});
  check_message(complaint("[measure]\nmetrics = ['margine']"), {"s.toml:2:11:", "mean \"margin\"?"});
  check_message(complaint("[measure]\nmetrics = ['fidelity']"),
                {"s.toml", "fidelity", "model chip has: word_acc"});
  check_message(complaint("[measure]\nvariants = ['corrected']"),
                {"model chip", "uncorrected, corrected_quadrature, noisy"});
  check_message(complaint("model = 'mesh'\n[measure]\nvariants = ['noisy']"),
                {"measure.variants", "model mesh"});
  check_message(complaint("model = 'mesh'\n[measure]\nonce = ['eye']"), {"measure.once", "eye", "model chip"});
  check_message(complaint("[yield]\nmetric = 'fidelity'"), {"yield.metric", "fidelity"});
  check_message(complaint("[yield]\nmetric = 'code_error_count'"), {"s.toml:2:10:", "yield.metric"});
  check_message(complaint("[runner]\nprecision = 0.1"), {"runner.precision = 0.1", "precision_metric"});
  check_message(complaint("[runner]\nprecision = 0.1\nprecision_metric = 'mesh_error'"),
                {"runner.precision_metric", "mesh_error"});
  check_message(complaint("[runner]\nprecision = 1.5"), {"s.toml:2:13:", "0..1"});
  check_message(complaint("figures = ['heatmap']"), {"mean \"heat_map\"?"});
  check_message(complaint("model = 'chop'"),
                {"s.toml:1:9:", "chip, waveform, tolerance, cascade, drift, comb, mesh, mesh_drift, learning",
                 "mean \"chip\"?"});
}
