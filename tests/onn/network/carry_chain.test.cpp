#include "onn/network/carry_chain.hpp"

#include "onn/chip/calibration.hpp"
#include "onn/chip/crosstalk.hpp"
#include "onn/link/transmission.hpp"
#include "onn/task/words.hpp"
#include "physics/random/stream.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/refusal.hpp"

using namespace optinc;

namespace {

/// Words of a task that carry far: all digits full or empty but one, and ties of the rounding; then drawn ones.
std::vector<std::uint64_t> some_words(const Task& task, int drawn) {
  std::vector<std::uint64_t> words = {0, task.words() - 1};
  const auto base = static_cast<std::uint64_t>(task.sums());
  for (std::uint64_t place = 1; place < task.words(); place *= base)
    for (std::uint64_t digit = 0; digit < base; ++digit) {
      words.push_back(digit * place);
      words.push_back(task.words() - 1 - digit * place);
    }
  Stream stream(5, Purpose::test);
  for (int w = 0; w < drawn; ++w) {
    std::uint64_t word = 0;
    for (int m = 0; m < task.input_digits(); ++m)
      word = word * base + stream.below(static_cast<std::uint32_t>(base));
    words.push_back(word);
  }
  return words;
}

}  // namespace

// The answer is integer arithmetic of its own. Fails when a carry, a threshold, the rounding constant or the
// digits that fall away are off by one, a run passes on what it should not, or a step that is read is pruned
TEST_CASE("a carry chain is right by construction, rippling and looking ahead") {
  constexpr Rounding up = Rounding::half_up, even = Rounding::half_even, down = Rounding::floor;
  constexpr CascadeLevel flat = CascadeLevel::flat;
  constexpr Reduction sum = Reduction::saturated_sum, vote = Reduction::majority;
  for (const Task& task : {Task{4, 4, up},
                           Task{4, 8, up},
                           Task{4, 4, down},
                           Task{4, 3, down},
                           Task{8, 4, up},
                           Task{8, 8, up},
                           Task{8, 8, down},
                           Task{16, 4, up},
                           Task{16, 8, up},
                           Task{2, 4, up},
                           Task{2, 8, down},
                           Task{16, 1, down},
                           Task{16, 1, up},
                           Task{8, 1, up},
                           Task{4, 1, up},
                           Task{4, 16, up},
                           Task{4, 4, up, CascadeLevel::first},
                           Task{4, 4, up, CascadeLevel::second},
                           Task{4, 4, even, flat, sum},
                           Task{3, 2, even, flat, sum},
                           Task{16, 4, even, flat, sum},
                           Task{4, 4, up, flat, vote},
                           Task{4, 4, even, flat, vote},
                           Task{4, 4, down, flat, vote},
                           Task{5, 2, up, flat, vote},
                           Task{16, 4, even, flat, vote}}) {
    const Codes codes = codes_of_words(task, some_words(task, 20000));
    const Eigen::MatrixXd wanted = digits_of(exact_answers(task, codes), task.output_digits());
    for (const Carries carries : {Carries::ripple, Carries::lookahead}) {
      CAPTURE(task.servers, task.digits, name_of(task.level), name_of(task.rounding), name_of(task.reduction),
              name_of(carries));
      CarryChainSettings settings;
      settings.carries = carries;
      const Network network = carry_chain(task, settings);
      validate_network(network);
      const std::vector<int> reads = signal_reads(network);
      for (std::size_t l = 0; l < network.layers.size(); ++l)
        if (carries == Carries::lookahead && network.layers[l].ending != LayerEnd::servers)
          for (int k = 0; k < network.layers[l].outputs; ++k)
            CHECK(reads[static_cast<std::size_t>(network.first_signal(l) + k)] > 0);
      const Eigen::MatrixXd y = forward(network, digit_averages(task, codes));
      CHECK((y - wanted).cwiseAbs().maxCoeff() < 1e-9);
    }
  }
}

// Steps in series, 1 + 1 + ceil(log2 M) for four servers. Fails when runs are joined one after the other
TEST_CASE("a carry chain that looks ahead has as many steps in series as its prefix tree is deep") {
  CarryChainSettings ahead;
  ahead.carries = Carries::lookahead;
  const auto in_series = [](const Network& network) {
    std::vector<int> steps(static_cast<std::size_t>(network.task.input_digits()), 0);  // by signal
    for (const SigmaULayer& layer : network.layers) {
      int most = 0;
      for (const int signal : layer.reads) most = std::max(most, steps[static_cast<std::size_t>(signal)]);
      steps.insert(steps.end(), static_cast<std::size_t>(layer.outputs),
                   most + (layer.ending == LayerEnd::receivers ? 1 : 0));
    }
    return *std::max_element(steps.begin(), steps.end());
  };
  CHECK(in_series(carry_chain({4, 4, Rounding::half_up}, ahead)) == 4);
  CHECK(in_series(carry_chain({4, 8, Rounding::half_up}, ahead)) == 5);
  CHECK(in_series(carry_chain({16, 8, Rounding::half_up}, ahead)) == 7);  // two for u; c_0 has a digit more
  CHECK(in_series(carry_chain({4, 8, Rounding::half_up})) == 8);
}

// Enumerated: 28,561 words
TEST_CASE("a carry chain for four servers is right on every word, in its light too") {
  const Task task = {4, 4, Rounding::half_up};
  const Network network = carry_chain(task);
  const WordTable table = word_table(task);
  CHECK((forward(network, table.averages) - table.targets).cwiseAbs().maxCoeff() < 1e-9);
  // the golden test: a perfect chip's light is the network, whatever the levels' encoding
  const ChipDesign design = design_chip(network);
  const ChipState chip = programmed_chip(design, fabricate(design, {}, 1, 0), {}, Programming::corrected);
  const Codes codes = codes_of_words(task, some_words(task, 2000));
  const Eigen::MatrixXd wanted = digits_of(exact_answers(task, codes), 4);
  UnitHardware hardware;
  for (const bool is_signed : {false, true}) {
    hardware.link.signed_levels = is_signed;
    CHECK((transmit({design, chip, hardware}, codes, {}) - wanted).cwiseAbs().maxCoeff() < 1e-9);
  }
  CHECK(design.mzi_count() == mzi_count(network));
}

TEST_CASE("a cascade of two levels equals the flat average of sixteen servers") {
  const Task first = {4, 4, Rounding::half_up, CascadeLevel::first},
             second = {4, 4, Rounding::half_up, CascadeLevel::second};
  const Network below = carry_chain(first), above = carry_chain(second);
  Stream stream(9, Purpose::test);
  Codes codes(2000, 16), sums(2000, 4);
  for (auto& code : codes.reshaped()) code = stream.below(256);
  for (int unit = 0; unit < 4; ++unit)
    sums.col(unit) = decide_digits(forward(below, digit_averages(first, codes.middleCols(4 * unit, 4))));
  const auto got = decide_digits(forward(above, digit_averages(second, sums)));
  CHECK((got.array() == exact_answers({16, 4, Rounding::half_up}, codes).array()).all());
}

TEST_CASE("a carry chain refuses what is no shift, and half-even") {
  check_message(refusal([] { carry_chain({3, 4, Rounding::half_up}); }), {"3 servers"});
  check_message(refusal([] { carry_chain({4, 4, Rounding::half_even}); }), {"half-even"});
  check_message(refusal([] { carry_chain({4, 4, Rounding::half_up}, {1.0, 0.9}); }), {"step_width = 1"});
  check_message(refusal([] { carry_chain({4, 4, Rounding::half_up}, {0.25, 0.0}); }), {"step_level = 0"});
}

// Fails when a tree without attenuators, or a port without MZIs, is taken for something with heaters
TEST_CASE("a carry chain's chip knows crosstalk, calibration in place and noise") {
  const Task few = {4, 2, Rounding::half_up};
  const ChipDesign design = design_chip(carry_chain(few));
  CrosstalkSettings heat;
  heat.x0 = 0.05;
  const ErrorModel model = error_preset("good-lab");
  const CalibrationSettings in_situ{.policy = CalibrationPolicy::in_situ, .sigma_estimate_rad = 1e-3};
  const CalibratedChip chip = calibrate(design, model, in_situ, {3, 0});
  const ChipProgram phases = program_calibrated(design, chip, model, Programming::corrected, in_situ);
  ChipErrors errors = chip.errors;
  UnitHardware hardware;
  hardware.link.signed_levels = true;
  add_crosstalk(design, chip_crosstalk(design, heat, hardware), phases, errors);
  const Codes codes = codes_of_words(few, evaluation_words(few));
  const auto got =
      decide_digits(transmit({design, settle_chip(design, phases, errors, model), hardware}, codes, {}));
  CHECK((got.array() == exact_answers(few, codes).array()).all());
}

TEST_CASE("networks whose light cannot be what they say are refused") {
  const Network good = carry_chain({4, 2, Rounding::half_up});
  validate_network(good);
  const auto refused = [&](auto damage, const char* what) {
    Network bad = good;
    damage(bad);
    CHECK(refusal([&] { validate_network(bad); }).find(what) != std::string::npos);
  };
  const auto last = good.layers.size() - 1;
  refused([&](Network& n) { n.layers[last].reads[0] = n.first_signal(last - 1); },
          "goes to the servers and is read");
  refused([](Network& n) { n.layers[0].bias[0] = 1; }, "has a bias but no receivers");
  refused([&](Network& n) { n.layers[last].offset = 1; }, "has an offset 1");
  refused([&](Network& n) { n.layers[last].reads[0] = 1000; }, "reads signal 1000");
  refused([&](Network& n) { n.layers[1].sigma[0][0] = -1; }, "no attenuators but sigmas");
  refused([&](Network& n) { n.layers.pop_back(); }, "go to the servers");
}
