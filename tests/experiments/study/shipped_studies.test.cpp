#include "experiments/study/shipped_studies.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "experiments/base/shipped_files.hpp"
#include "experiments/files/hdf5/hdf5.hpp"
#include "experiments/run/run_study.hpp"
#include "experiments/run/study_inputs.hpp"
#include "experiments/study/shipped_networks.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/run_options.hpp"
#include "tests/support/scratch.hpp"

using namespace optinc;
namespace fs = std::filesystem;

// mutation: study_path looks for shipped studies first, or not at all
TEST_CASE("a study is a file, or else the shipped study of that name") {
  const auto names = shipped_names("studies");
  REQUIRE(std::find(names.begin(), names.end(), "quickstart") != names.end());
  CHECK(load_study("quickstart", {}).study == "quickstart");
  CHECK(study_path("quickstart.toml") == study_path("quickstart"));
  check_message(refusal([] { study_path("quikstart"); }), {"quikstart: no such file", "mean \"quickstart\"?"});
  check_message(refusal([] { study_path("mesh"); }),
                {"\"mesh_balance\", \"mesh_comparison\", \"mesh_drift\" or \"mesh_scaling\""});
  check_message(refusal([] { study_path("nofile.toml"); }), {"nofile.toml: no such file", "Check the path."});
  CHECK(study_path("folder/quickstart") == "folder/quickstart");  // a path is no name
  const Scratch scratch;
  const fs::path before = fs::current_path();
  fs::current_path(scratch.path());
  std::ofstream("quickstart.toml") << "study = 'mine'\n";
  CHECK(load_study("quickstart.toml", {}).study == "mine");
  fs::current_path(before);
}

// mutations: a list of designs is looked for in the working directory, or a folder in its name is forgotten
TEST_CASE("a list is a file beside the one that names it, or else the shipped list of that name") {
  CHECK(shipped_or_own("lists", "headline") == shipped_folder("lists") / "headline.toml");
  const Scratch scratch;
  CHECK(shipped_or_own("lists", "published.toml", scratch.path()) ==
        shipped_folder("lists") / "published.toml");
  std::ofstream(scratch / "published.toml") << "title = 'mine'\n";
  CHECK(shipped_or_own("lists", "published.toml", scratch.path()) == scratch / "published.toml");
  CHECK(shipped_or_own("lists", "in/published.toml", scratch.path()) == scratch / "in/published.toml");
  check_message(refusal([] { shipped_or_own("lists", "headlin"); }), {"shipped lists", "mean \"headline\"?"});
}

// mutations: place_beside is left out of the file's values, of the sweep's, or done to those of --set and
// --sweep
TEST_CASE("relative paths of a study start at its folder, those of the command line at the working directory") {
  const Scratch scratch;
  fs::create_directories(scratch / "in");
  const fs::path path = scratch / "in/s.toml";
  const auto with = [&](const std::string& text, const Overrides& overrides = {}) {
    std::ofstream(path) << text;
    return load_config(path, overrides);
  };
  const auto in = [&](const char* name) { return (scratch / "in" / name).string(); };
  CHECK(with("model = 'mesh'\n[mesh]\ntarget = 'U.csv'\n").mesh.target == in("U.csv"));
  CHECK(with("model = 'mesh'\n[mesh]\ntarget = '../U.csv'\n").mesh.target == (scratch / "U.csv").string());
  CHECK(with("model = 'mesh'\n[mesh]\ntarget = '/U.csv'\n").mesh.target == "/U.csv");
  CHECK(with("model = 'mesh'\n[mesh]\ntarget = 'orthogonal'\n").mesh.target == "orthogonal");
  CHECK(with("[learner]\ndata = 'images'\n").learner.data == in("images"));  // a folder has no ending
  CHECK(with("[learner]\ndata = 'default'\n").learner.data == "default");
  const StudyConfig config =
      with("model = 'cascade'\n[network]\nsource = 'a.h5'\nstart = 'b/c.h5'\nabove = 'shipped/64x5'\n");
  CHECK(config.network.source == in("a.h5"));
  CHECK(config.network.start == in("b/c.h5"));
  CHECK(config.network.above == "shipped/64x5");
  const std::string sweep = "[[sweep]]\nvalues = {'network.source' = ['carry-chain', 'a.h5']}\n";
  const StudyConfig swept = with(sweep);
  CHECK(swept.sweeps[0].keys[0].values == std::vector<FieldValue>{std::string("carry-chain"), in("a.h5")});
  CHECK(with("", {{"network.source=a.h5"}, {}, false}).network.source == "a.h5");
  const StudyConfig typed = with("", {{}, {"network.source=['a.h5']"}, false});
  CHECK(typed.sweeps[0].keys[0].values == std::vector<FieldValue>{std::string("a.h5")});
  // what a result file stores is read from text, which has no folder
  CHECK(parse_config(identity_toml(config), "results.h5").network.source == in("a.h5"));
}

// Fails when currents are those of neurons or of servers alone, or of other light
TEST_CASE("values that amplifiers cut are told once, with the current and the first point") {
  const auto told = [](std::vector<std::string> settings, std::vector<std::string> sweeps = {}) {
    const StudyConfig study =
        parse_config("", "s.toml", {std::move(settings), std::move(sweeps), false, network_rounding});
    std::vector<std::string> lines;
    for (const StudyWarning& w : input_warnings(study, make_study_inputs(study, true)))
      if (w.key == "receiver.overload_a") lines.push_back(w.line());
    return lines;
  };
  const std::string chain = "network.source=carry-chain";
  REQUIRE(told({chain}).size() == 1);
  CHECK(told({chain})[0].starts_with(
      "receiver.overload_a: amplifiers pass on 0.0009 A, and values of carry-chain "));
  CHECK(told({chain, "parts.set=idealised"}).empty());
  CHECK(told({chain, "receiver.lo_power_w=1e-6"}).empty());
  CHECK(told({"network.source=shipped/bottleneck_noise_aware"}).empty());
  const auto swept = told({chain}, {"receiver.lo_power_w=[1e-6, 1e-3]"});
  REQUIRE(swept.size() == 1);
  CHECK(swept[0].find("at lo_power_w = 0.001") != std::string::npos);
}

// Fails where the link that a network was trained for is not looked at: 1 % of words right, without a word.
TEST_CASE("a network that was trained for another link is warned of, with keys and values") {
  const auto study = [](std::vector<std::string> settings) {
    settings.insert(settings.begin(),
                    {"parts.set=idealised", "network.source=shipped/8_servers_noise_aware", "task.servers=8",
                     "measure.words=10", "measure.variants=['noisy']", "runner.trials=1"});
    return parse_config("", "s.toml", {settings, {}, false, network_rounding});
  };
  const StudyConfig dim = study({});
  const StudyInputs inputs = make_study_inputs(dim, true);
  const auto told = lines_of(input_warnings(dim, inputs));
  REQUIRE(told.size() == 1);
  check_message(told[0],
                {"network.source: shipped/8_servers_noise_aware", "receiver.lo_power_w = 0.01 (here 0.001)",
                 "link.signal_full_scale_w = 0.001 (here 0.0001)"});
  std::vector<std::string> as_trained;
  std::istringstream keys(inputs.networks[0].trained_for);
  for (std::string key; std::getline(keys, key);) as_trained.push_back(key);
  const StudyConfig bright = study(as_trained);
  CHECK(input_warnings(bright, make_study_inputs(bright, true)).empty());
  const Scratch scratch;
  run_study(dim, to(scratch / "dim.h5"));
  CHECK(File::open(scratch / "dim.h5").root().attributes().text("warnings").find(told[0]) != std::string::npos);
}
