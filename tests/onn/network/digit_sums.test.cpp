#include "onn/network/digit_sums.hpp"

#include <cmath>

#include "onn/budget/unit_cost.hpp"
#include "onn/link/readout.hpp"
#include "onn/link/response_table.hpp"
#include "onn/link/transmission.hpp"
#include "onn/task/words.hpp"

#include "tests/support/catch.hpp"

using namespace optinc;

namespace {

/// A unit that sends sums, its chip without errors.
struct Sums {
  ChipDesign design;
  ChipState chip;

  explicit Sums(const Task& task) : Sums(digit_sums(task)) {}
  explicit Sums(const Network& network) : design(design_chip(network)) {
    const ErrorModel model = error_preset("ideal");
    chip = programmed_chip(design, fabricate(design, model, 1, 0), model, Programming::uncorrected);
  }

  Codes codes(std::size_t words) const {
    Stream stream(7, Purpose::test);
    return codes_of_words(design.task, draw_words(design.task, words, stream));
  }
};

}  // namespace

// The expected answers are typed from the definition, not exact_answer(). Fails when sums are decided in steps
// of a digit, when one is limited to 3, or the rounding of the task is not done behind it
TEST_CASE("digit sums without noise are the rounded mean, whatever servers, bits and rounding") {
  for (const int servers : {1, 2, 3, 4, 7, 8, 16, 33, 64})
    for (const Rounding rounding : {Rounding::half_even, Rounding::half_up, Rounding::floor}) {
      const Sums unit({.servers = servers, .digits = 4, .rounding = rounding});
      const Codes codes = unit.codes(500);
      const CodeVector answers = decide(unit.design.task, transmit({unit.design, unit.chip, {}}, codes, {}));
      for (Eigen::Index w = 0; w < codes.rows(); ++w) {
        CAPTURE(servers, name_of(rounding), w);
        const double mean = codes.row(w).cast<double>().sum() / servers;
        const double wanted = rounding == Rounding::floor     ? std::floor(mean)
                              : rounding == Rounding::half_up ? std::floor(mean + 0.5)
                                                              : std::nearbyint(mean);
        CHECK(answers[w] == static_cast<std::uint32_t>(wanted));
      }
    }
}

// Other answers than the mean are integers' too. Fails when sums that are too large are cut before they are
// added
TEST_CASE("digit sums serve every reduction") {
  const Sums saturated({.servers = 4, .digits = 2, .reduction = Reduction::saturated_sum});
  Codes codes(2, 4);
  codes << 3, 4, 0, 5, 9, 4, 2, 7;
  const CodeVector sums =
      decide(saturated.design.task, transmit({saturated.design, saturated.chip, {}}, codes, {}));
  CHECK(sums[0] == 12);
  CHECK(sums[1] == 15);
}

// Added here in 64 bits. Fails when an analogue sum is rounded to a code, or read in steps of another number of
// servers
TEST_CASE("an analogue sum without noise is the sum of the codes, whatever servers and bits") {
  for (const int servers : {1, 2, 7, 8, 64})
    for (const int digits : {1, 3, 4, 8}) {
      const Sums unit(analogue_sum({.servers = servers, .digits = digits}));
      UnitHardware hardware;
      hardware.link.signed_levels = digits == 4;
      const Codes codes = unit.codes(500);
      const Eigen::MatrixXd outputs = transmit({unit.design, unit.chip, hardware}, codes, {});
      const CodeVector answers = decide(unit.design.task, outputs);
      const double full = std::pow(4.0, digits) - 1;
      CAPTURE(servers, digits);
      CHECK(codes.maxCoeff() == full);
      for (Eigen::Index w = 0; w < codes.rows(); ++w) {
        const std::uint64_t sum = codes.row(w).cast<std::uint64_t>().sum();
        CHECK(answers[w] == sum);
        CHECK(std::abs(outputs(0, w) / 3 - static_cast<double>(sum) / (full * servers)) < 1e-12);
      }
      CHECK(exact_answers(unit.design.task, codes) == answers);
    }
}

// Two levels of N units of N servers, sums of digits at both: half-up mean of N^2 codes, computed here. Fails
// when the first level's sums lose a digit, or the second divides by N
TEST_CASE("two levels of digit sums average the square of their servers") {
  for (const int servers : {3, 4, 8, 16}) {
    const Task task{.servers = servers, .digits = 4, .rounding = Rounding::half_up};
    Task first = task, second = task;
    first.level = CascadeLevel::first;
    second.level = CascadeLevel::second;
    const Sums below(first), above(second);
    Stream stream(5, Purpose::test);
    Codes codes(200, servers * servers), between(200, servers);
    for (auto& code : codes.reshaped()) code = stream.below(256);
    codes.row(0).setConstant(255);
    for (int u = 0; u < servers; ++u)
      between.col(u) = decide(below.design.task, transmit({below.design, below.chip, {}},
                                                          Codes(codes.middleCols(u * servers, servers)), {}));
    const CodeVector answers = decide(above.design.task, transmit({above.design, above.chip, {}}, between, {}));
    for (Eigen::Index w = 0; w < codes.rows(); ++w)
      CHECK(answers[w] == static_cast<std::uint32_t>(
                              std::floor(codes.row(w).cast<double>().sum() / (servers * servers) + 0.5)));
  }
}

// 400,000 words a point, 5 sigma of mean and variance. Fails when noise of the sum is N times too strong, or
// decisions cut it
TEST_CASE("MC: an analogue sum has the noise of its receiver and no bias") {
  const Sums unit(analogue_sum({.servers = 8, .digits = 3}));
  UnitHardware hardware;
  hardware.link.launch_power_w = 2e-5;
  NoiseSwitches noise;
  noise.tia = true;
  const LitUnit lit{unit.design, unit.chip, hardware, noise};
  constexpr double words = 400'000, lsb = 3.0 / 63;
  const Codes codes = Codes::Constant(static_cast<Eigen::Index>(words), 8, 30);
  const double rms = readout_rms(lit, 0, 30 * lsb) / lsb;  // in codes
  CHECK(rms > 0.3);
  const ResponseTable table = tabulate_chip(lit, {1, 0});
  for (const CodeVector& answers :
       {decide(unit.design.task, transmit(lit, codes, {})), send_by_table(table, codes, {1, 0, 2})}) {
    const Eigen::ArrayXd error = answers.cast<double>().array() * unit.design.task.answer_step() - 30;
    // decisions in steps of 1/8 add their own variance, step^2/12
    const double expected = rms * rms + 1.0 / (12 * 64), found = error.square().mean();
    CAPTURE(rms, found);
    CHECK(std::abs(error.mean()) < 5 * rms / std::sqrt(words));
    CHECK(std::abs(found - expected) < 5 * expected * std::sqrt(2 / words));
  }
}

// Words of two late servers meet others of the rest; a third's never arrive. Fails when servers are late the
// other way, or the wrong ones
TEST_CASE("servers that are late or cut off are added as such") {
  const Sums unit({.servers = 5, .digits = 2});
  UnitHardware hardware;
  hardware.link.cut_servers = 1;
  hardware.link.late_servers = 2;
  hardware.link.late_words = 3;
  Stream stream(3, Purpose::test);
  Codes codes(1000, 5), meeting(1000, 5);
  for (auto& code : codes.reshaped()) code = stream.below(16);
  for (Eigen::Index w = 0; w < 1000; ++w)
    for (Eigen::Index n = 0; n < 5; ++n)
      meeting(w, n) = n == 0 ? 0 : n < 3 ? codes((w + 997) % 1000, n) : codes(w, n);
  const Eigen::MatrixXd outputs = transmit({unit.design, unit.chip, hardware}, codes, {});
  CHECK((outputs - digit_averages(unit.design.task, meeting)).cwiseAbs().maxCoeff() < 1e-10);
  hardware.link.late_servers = 5;
  CHECK_THROWS_WITH(transmit({unit.design, unit.chip, hardware}, codes, {}),
                    ContainsSubstring("link.late_servers = 5 of 5 servers"));
}

// 3,276,800 sums a point, 5 sigma; PAM of 3N + 1 levels: (1 - 1/L) erfc(step / (2 sqrt(2) rms)), typed here.
// Fails when noise or thresholds count in digits where levels are 1/N of one apart
TEST_CASE("MC: sums err as PAM of 3N + 1 levels does") {
  for (const int servers : {1, 4}) {
    CAPTURE(servers);
    const Sums unit({.servers = servers, .digits = 1});
    UnitHardware hardware;
    hardware.link.launch_power_w = servers == 1 ? 4e-7 : 8e-6;
    NoiseSwitches noise;
    noise.tia = true;
    const LitUnit lit{unit.design, unit.chip, hardware, noise};
    const int levels = 3 * servers + 1;
    constexpr std::size_t words = 3'276'800;
    Codes codes(words, servers);
    Stream stream(9, Purpose::test);
    for (Eigen::Index w = 0; w < codes.rows(); ++w) {  // every sum equally often
      int sum = static_cast<int>(stream.below(static_cast<std::uint32_t>(levels)));
      for (Eigen::Index n = 0; n < servers; ++n) {
        const int digit = std::min(sum, 3);
        codes(w, n) = static_cast<std::uint32_t>(digit);
        sum -= digit;
      }
    }
    const Eigen::MatrixXd outputs = transmit(lit, codes, {});
    const double wrong =
        ((decided_levels(unit.design.task, outputs) - exact_outputs(unit.design.task, codes)).array().abs() >
         0.5 / servers)
            .cast<double>()
            .mean();
    const double rms = readout_rms(lit, 0, 0.0), step = 1.0 / servers;
    const double expected = (1 - 1.0 / levels) * std::erfc(step / (2 * std::sqrt(2.0) * rms));
    CAPTURE(rms);
    CHECK(expected > 1e-4);
    CHECK(expected < 0.3);
    CHECK(pam4_error_rate(lit) == Approx(expected).epsilon(1e-9));
    CHECK(std::abs(wrong - expected) < 5 * std::sqrt(expected / static_cast<double>(words)));
  }
}

// A table jumps over words whose noise cannot reach a threshold. 200,000 words either way, 5 sigma of the
// difference of two shares. Fails when it takes thresholds of sums for a digit apart
TEST_CASE("MC: a table of digit sums errs as the light does") {
  const Sums unit({.servers = 4, .digits = 2});
  UnitHardware hardware;
  hardware.link.launch_power_w = 8e-6;
  NoiseSwitches noise;
  noise.tia = true;
  const LitUnit lit{unit.design, unit.chip, hardware, noise};
  const ResponseTable table = tabulate_chip(lit, {1, 0});
  constexpr std::size_t words = 200'000;
  const Codes codes = unit.codes(words);
  const CodeVector exact = exact_answers(unit.design.task, codes);
  const auto wrong = [&](const CodeVector& got) {
    return (got.array() != exact.array()).cast<double>().mean();
  };
  const double by_light = wrong(decide(unit.design.task, transmit(lit, codes, {.instant = 1}))),
               by_table = wrong(send_by_table(table, codes, {1, 0, 2}));
  CAPTURE(by_light, by_table);
  CHECK(by_light > 0.01);
  CHECK(std::abs(by_light - by_table) < 5 * std::sqrt(2 * by_light / static_cast<double>(words)));
}

// Counted by hand: a modulator and a receiver for every digit of every server, nothing in between
TEST_CASE("a unit of digit sums has no mesh and no neuron") {
  const Network network = digit_sums({.servers = 8, .digits = 4});
  CHECK(mzi_count(network) == 0);
  const ChipDesign design = design_chip(network);
  const ErrorModel model = error_preset("ideal");
  const ChipBudget b = budget(
      design, program(design, fabricate(design, model, 1, 0), 0, Programming::uncorrected), model, {}, {});
  const UnitCost cost = unit_cost(network, b);
  CHECK(cost.mzis == 0);
  CHECK(cost.modulators == 8 * 4);
  CHECK(cost.receivers == 8 * 4);
  CHECK(cost.conversions == 0);
}
