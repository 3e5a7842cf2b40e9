#include "experiments/models/networks.hpp"

#include <cmath>

#include <fmt/format.h>

#include "experiments/files/hdf5/hdf5.hpp"
#include "experiments/run/one_off_measurements.hpp"
#include "experiments/run/run_study.hpp"
#include "experiments/run/state.hpp"
#include "experiments/run/study_inputs.hpp"
#include "experiments/run/trials/run_trials.hpp"
#include "experiments/study/points.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/configs.hpp"
#include "tests/support/scratch.hpp"

using namespace optinc;

namespace {

const char* const small =
    "[run]\nseed = 5\n[task]\nservers = 2\nbits = 4\n[network]\nhidden = [4, 8]\n[training]\nepochs = 4\n"
    "batch = 16\n[measure]\nwords = 50\nmetrics = ['word_accuracy', 'matrix_error']\n[runner]\ntrials = 2\n";

}  // namespace

// mutation: identities leave out the seed or the chip that is trained on; a trained one names a carry chain's
// step
TEST_CASE("points share a network where nothing that makes it differs") {
  const StudyConfig base = parse(small);
  const auto with = [&](const std::string& key, FieldValue value) {
    return network_identity(with_values(base, {{key, std::move(value)}}));
  };
  const std::string identity = network_identity(base);
  CHECK(with("chip.sigma_eta_rad", 0.1) == identity);
  CHECK(with("network.step_width", 0.5) == identity);
  CHECK(with("training.epochs", std::int64_t{5}) != identity);
  CHECK(with("network.hidden", std::vector<std::int64_t>{8, 8}) != identity);
  StudyConfig other = base;
  other.run.seed = 6;
  CHECK(network_identity(other) != identity);
  other = base;
  other.training.on_chips = true;
  const std::string on_chips = network_identity(other);
  other.chip.sigma_eta_rad *= 2;
  CHECK(network_identity(other) != on_chips);
  other.hardware.timing.sampling = Sampling::clocked;  // words that interfere
  const std::string clocked = network_identity(other);
  CHECK(clocked != on_chips);
  other.hardware.timing.lane_skew_s = 1e-12,
  other.hardware.receiver.overload_a = 1e-3;  // which training leaves out
  CHECK(network_identity(other) == clocked);
  other = base;
  other.network.source = "carry-chain";
  const std::string chain = network_identity(other);
  other.training.epochs = 9;
  other.network.hidden = {2};
  CHECK(network_identity(other) == chain);
  other.network.carry_chain.step_width = 0.5;
  CHECK(network_identity(other) != chain);
}

// mutation: the aggregator is not looked at, or that of other models is
TEST_CASE("a learner asks for a network where its gradients meet one") {
  StudyConfig config = parse(small);
  config.learner.aggregator = "exact";
  CHECK(asked_networks(config).size() == 1);
  config.model = "learning";
  for (const char* without : {"exact", "ring", "halving-doubling", "parameter-server", "quantised"}) {
    config.learner.aggregator = without;
    INFO(without);
    CHECK(asked_networks(config).empty());
  }
  for (const char* with : {"network", "chip"}) {
    config.learner.aggregator = with;
    config.learner.levels = 1;
    CHECK(asked_networks(config).size() == 1);
    config.learner.levels = 2;
    CHECK(asked_networks(config).size() == 2);
  }
}

// mutation: make_study_inputs asks network_configs(), or such a point is given a network in the file
TEST_CASE(
    "a learning study makes the networks that gradients meet, and says of other points that they have none") {
  const StudyConfig config = parse(
      "model = 'learning'\n[task]\nservers = 2\nbits = 4\nrounding = 'half-up'\n[noise]\nlock = "
      "false\n[[sweep]]\n"
      "values = {\"learner.aggregator\" = ['exact', 'network', 'chip', 'quantised'], \"network.source\" = "
      "['train', 'carry-chain', 'carry-chain', 'train'], \"network.step_width\" = [0.3, 0.3, 0.2, 0.3]}\n");
  const StudyInputs inputs = make_study_inputs(config, true);
  REQUIRE(inputs.networks.size() == 2);
  const File file = File::in_memory("networks");
  write_study_inputs(file.root(), inputs);
  write_network_results(file.root(), config, inputs, nullptr);
  CHECK(file.root().open("networks").read<std::int64_t>("of_point").values ==
        std::vector<std::int64_t>{-1, 0, 1, -1});
  const StudyConfig none =
      parse("model = 'learning'\n[learner]\naggregator = 'quantised'\n[noise]\nlock = false\n");
  CHECK(make_study_inputs(none, true).networks.empty());
}

// mutation: a network meets the chip of its first point of all sweeps, or the eye of another network
TEST_CASE("what a study measures once is measured of every network, on the chip of the values before sweeps") {
  const auto with_eye = [](const std::string& sweeps) {
    return parse(std::string(small) + "[chip]\nsigma_eta_rad = 0.1\n" + sweeps, {"measure.once=['eye']"});
  };
  const auto net = [](const std::string& hidden, const std::string& bits) {
    return "[[sweep]]\nname = 'net'\nvalues = {\"network.hidden\" = " + hidden +
           ", \"chip.dac_bits\" = " + bits + "}\n";
  };
  const StudyConfig swept =
      with_eye("[[sweep]]\nvalues = {\"chip.sigma_eta_rad\" = [0.01, 0.3]}\n" + net("[[4, 8], [8]]", "[8, 5]"));
  const OneOffResults found = measure_one_offs(swept, make_study_inputs(swept, true), true);
  REQUIRE(found.size() == 2);
  const std::string alone[] = {net("[[4, 8]]", "[8]"), net("[[8]]", "[5]")};
  for (std::size_t i = 0; i < 2; ++i) {
    const StudyConfig own = config_at(with_eye(alone[i]), 0);
    const OneOffResults expected = measure_one_offs(own, make_study_inputs(own, true), true);
    CHECK(found[i].eye->sigma_eta_rad == 0.1);
    CHECK(found[i].eye->noisy == expected.front().eye->noisy);
    CHECK(found[i].onn->ideal_chip_deviation == expected.front().onn->ideal_chip_deviation);
  }
}

// mutation: time.sampling acts there
TEST_CASE("a network is held against a perfect chip of settled words") {
  const auto deviation = [](const std::vector<std::string>& settings) {
    const StudyConfig config = parse(std::string(small), settings);
    return measure_one_offs(config, make_study_inputs(config, true), true).front().onn->ideal_chip_deviation;
  };
  CHECK(deviation({"time.sampling='clocked'", "time.symbol_rate_bd=80e9"}) == deviation({}));
}

// mutation: a sweep of one value is left out, though it chooses the network
TEST_CASE("sweeps choose a network together") {
  const StudyConfig swept = parse(
      "[task]\nservers = 2\nbits = 4\nrounding = 'half-up'\n[measure]\nonce = ['eye']\n[[sweep]]\nvalues = "
      "{\"network.source\" = ['carry-chain']}\n[[sweep]]\nvalues = {\"network.step_width\" = [0.3, 0.2]}\n");
  const OneOffResults found = measure_one_offs(swept, make_study_inputs(swept, true), true);
  REQUIRE(found.size() == 2);
  for (const OneOffs& of : found) CHECK(of.onn->ideal_chip_word_accuracy == 1.0);
}

// mutation: a point takes another point's network; networks are not read back in their order
TEST_CASE("a study that sweeps networks gives each point what a study of that network gives") {
  const Scratch scratch;
  RunOptions options;
  options.quiet = true;
  const StudyConfig swept =
      parse(fmt::format("{}{}", small,
                        "[[sweep]]\nvalues = {\"network.hidden\" = [[4, 8], [8], [4, 8, 4]]}\n"
                        "[[sweep]]\nvalues = {\"chip.sigma_eta_rad\" = [0.01, 0.3]}\n"));
  options.output = scratch / "swept.h5";
  CHECK(run_study(swept, options) == Ending::complete);
  const StudyState state = read_state(options.output);
  REQUIRE(state.inputs->networks.size() == 3);
  const TrialModel model = layout_of(state);
  for (std::size_t p = 0; p < 6; ++p) {
    INFO(point_label(swept, p));
    const StudyConfig alone = config_at(swept, p);
    const TrialModel one = make_model(alone, make_study_inputs(alone, true));
    for (std::size_t t = 0; t < 2; ++t) {
      const auto record = run_trial(one, alone, {0, t}).record;
      const auto found = state.records->at(p, t);
      for (std::size_t v = 0; v < 3; ++v)
        CHECK(found[model.find("word_accuracy")->offset + v] == record[one.find("word_accuracy")->offset + v]);
      const std::size_t layers = alone.network.hidden.size() + 1;
      for (std::size_t l = 0; l < 4; ++l) {                                      // the deepest has four
        const double error = found[model.find("matrix_error")->offset + 4 + l];  // of the corrected chip
        if (l < layers)
          CHECK(error == record[one.find("matrix_error")->offset + layers + l]);
        else
          CHECK(std::isnan(error));
      }
    }
  }
  CHECK(resume_study({.trials = 3, .threads = {}, .time_limit_s = {}}, options) == Ending::complete);
  CHECK(read_state(options.output).records->count() == 18);
}
