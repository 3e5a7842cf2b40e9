#include "onn/link/response_table.hpp"

#include <cmath>
#include <map>

#include <omp.h>

#include "onn/link/readout.hpp"
#include "onn/task/words.hpp"
#include "physics/devices/receiver.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/networks.hpp"
#include "tests/support/refusal.hpp"

using namespace optinc;

namespace {

/// A chip with errors of its own and codes drawn for its servers.
struct Lit {
  ChipDesign design;
  ChipState chip;
  UnitHardware hardware;
  Codes codes;

  Lit(const Network& network, Eigen::Index words, double sigma_eta_rad = 0.05) : design(design_chip(network)) {
    ErrorModel errors;
    errors.sigma_eta_rad = sigma_eta_rad;
    chip = programmed_chip(design, fabricate(design, errors, 3, 1), errors, Programming::uncorrected);
    Stream stream(11, Purpose::test);
    codes.resize(words, network.task.servers);
    for (auto& code : codes.reshaped()) code = stream.below(1u << (2 * network.task.input_digits()));
  }
};

Network some_network(Task task = {4, 3}) {
  Network network = random_network(task, {12, 12}, 5);
  for (auto& sigma : network.layers.back().sigma) sigma *= 0.3;  // outputs mostly between digits 0 and 3
  network.layers.back().bias.setConstant(1.3);
  return network;
}

/// Share of the words in which each digit is another than without noise, and last, in which the first two are.
Eigen::VectorXd shares(const CodeVector& codes, const CodeVector& clean, int digits) {
  const Eigen::MatrixXd got = digits_of(codes, digits), was = digits_of(clean, digits);
  const Eigen::ArrayXXd wrong = (got.array() != was.array()).cast<double>();
  Eigen::VectorXd found(digits + 1);
  found << wrong.rowwise().mean().matrix(), (wrong.row(0) * wrong.row(1)).mean();
  return found;
}

/// Holds the map of such a chip to its meshes: shares of wrong digits that scatter by the 17,576 draws of a
/// map's noise before the servers (8 for each of 2,197 words), 5 sigma.
void check_shares_of_draws(const Lit& lit, const NoiseSwitches& noise) {
  const auto clean = decide_digits(transmit({lit.design, lit.chip, lit.hardware}, lit.codes, {1, 1}));
  const LitUnit unit{lit.design, lit.chip, lit.hardware, noise};
  const Eigen::VectorXd by_map =
      shares(send_by_table(tabulate_chip(unit, {1, 1}), lit.codes, {1, 1, 0}), clean, 3);
  const Eigen::VectorXd by_light = shares(decide_digits(transmit(unit, lit.codes, {1, 1})), clean, 3);
  for (Eigen::Index m = 0; m < 3; ++m) {
    CAPTURE(m, by_map[m], by_light[m]);
    CHECK(by_light[m] > 1e-3);  // or nothing is tested
    CHECK(std::abs(by_map[m] - by_light[m]) < 5 * std::sqrt(by_light[m] / 17'576.0));
  }
}

}  // namespace

// the meshes themselves are the reference. Fails when codes are counted in another base or digit order, or the
// codes of one server are left out
TEST_CASE("A map without noise decides what the chip it was made of decides") {
  for (const Task& task :
       {Task{4, 3}, Task{3, 2}, Task{8, 2}, Task{4, 2, Rounding::half_up, CascadeLevel::second}}) {
    CAPTURE(task.servers, task.digits);
    Lit lit(some_network(task), 9000);
    for (const bool linearised : {true, false}) {
      lit.hardware.modulator.linearised = linearised;
      const ResponseTable map = tabulate_chip({lit.design, lit.chip, lit.hardware}, {1, 1});
      CHECK_FALSE(map.noisy());
      CHECK((send_by_table(map, lit.codes, {1, 1, 0}).array() ==
             decide_digits(transmit({lit.design, lit.chip, lit.hardware}, lit.codes, {1, 1})).array())
                .all());
    }
  }
}

// 400,000 words, digits that noise carried over a threshold, 5 sigma of the difference of two binomial shares.
// Fails when shot noise or the intensity's share of the value is left out, a digit has the noise of another, or
// the laser's intensity is another at every digit; or the noise of a converter (source 5: three effective bits
// of seven, 0.144 digits rms) is left out of the map, is that of its steps alone, or is drawn once for all
// digits
TEST_CASE("MC: a map's receivers err as often as those behind the meshes, source by source") {
  Lit lit(some_network(), 400'000);
  lit.hardware.link.signal_full_scale_w = 2e-6;
  lit.hardware.receiver.lo_power_w = 1e-4;
  lit.hardware.laser.rin_db_per_hz = -120.0;
  const auto clean = decide_digits(transmit({lit.design, lit.chip, lit.hardware}, lit.codes, {1, 1}));
  for (const int source : {0, 1, 2, 3, 4, 5}) {
    CAPTURE(source);
    NoiseSwitches noise;
    noise.last_only = source != 5;
    noise.converter = source == 5;
    if (source == 5) lit.hardware.converter.effective_bits = 3.0;
    noise.shot = source == 0 || source == 3 || source == 4;
    if (source == 4) lit.hardware.receiver.lo_power_w = 1e-7;  // the signal's own shot noise is seen as well
    noise.tia = source == 1 || source == 3;
    noise.rin = source == 2 || source == 3;
    const ResponseTable map = tabulate_chip({lit.design, lit.chip, lit.hardware, noise}, {1, 1});
    CHECK(map.noisy());
    const Eigen::VectorXd by_map = shares(send_by_table(map, lit.codes, {1, 1, 7}), clean, 3);
    const Eigen::VectorXd by_light = shares(
        decide_digits(transmit({lit.design, lit.chip, lit.hardware, noise}, lit.codes, {1, 1})), clean, 3);
    for (Eigen::Index m = 0; m < 4; ++m) {
      CAPTURE(m, by_map[m], by_light[m]);
      if (m < 3) CHECK(by_light[m] > 1e-3);  // or nothing is tested
      CHECK(std::abs(by_map[m] - by_light[m]) < 5 * std::sqrt(2 * std::max(by_light[m], 1e-5) / 400'000.0));
    }
  }
}

// 400,000 words. Fails when the map forgets the neurons or draws the servers' receivers twice
TEST_CASE("MC: a map's neurons err as those of the meshes do") {
  Lit lit(some_network(), 400'000);
  NoiseSwitches noise = NoiseSwitches::all();
  noise.lock = false;
  for (const double full_scale_w : {3e-6, 1e-5}) {
    CAPTURE(full_scale_w);
    lit.hardware.link.signal_full_scale_w = full_scale_w;
    check_shares_of_draws(lit, noise);
  }
}

// As above, one layer that servers receive: the only receivers on the chip are unit P's. Fails when a map takes
// them for no receivers
TEST_CASE("MC: a map's incoherent averages err as those of unit P do") {
  Network network = random_network({4, 3}, {}, 5);
  for (auto& sigma : network.layers.back().sigma) sigma *= 0.5;
  network.layers.back().bias.setConstant(1.3);
  Lit lit(network, 400'000);
  lit.hardware.link.averaging = Averaging::incoherent;
  lit.hardware.link.launch_power_w = 2e-5;
  lit.hardware.link.signal_full_scale_w = 1e-2;
  lit.hardware.receiver.lo_power_w = 1e-2;
  check_shares_of_draws(lit, {.shot = true, .tia = true});
}

TEST_CASE("A map's answers do not depend on threads, and every use has noise of its own") {
  Lit lit(some_network(), 50'000);
  lit.hardware.link.signal_full_scale_w = 2e-6;
  NoiseSwitches noise = NoiseSwitches::all();
  noise.lock = false;
  const ResponseTable map = tabulate_chip({lit.design, lit.chip, lit.hardware, noise}, {1, 1});
  const int threads = omp_get_max_threads();
  omp_set_num_threads(1);
  const auto one = send_by_table(map, lit.codes, {1, 1, 5});
  omp_set_num_threads(3);
  const auto three = send_by_table(map, lit.codes, {1, 1, 5});
  omp_set_num_threads(threads);
  CHECK(one == three);
  CHECK(one != send_by_table(map, lit.codes, {1, 1, 6}));
  CHECK(one != send_by_table(map, lit.codes, {1, 2, 5}));
  CHECK(one != send_by_table(map, lit.codes, {2, 1, 5}));
  CHECK(one.tail(50'000 - 8192) == send_by_table(map, lit.codes.bottomRows(50'000 - 8192), {1, 1, 5, 8192}));
}

// Every word's answers counted, in 400,000 words drawn from 16, against all their noise drawn in full:
// chi-square of the two counts, 5 sigma of its own spread. Fails when reach is counted for one digit alone,
// without the laser's intensity, or for the silent outputs where neurons are noisy.
TEST_CASE("MC: a map draws the noise of few words, and answers as if it drew that of all") {
  Lit lit(some_network(), 16);
  const std::vector<std::uint64_t> numbers = {3,    150,  299,  440,  581,  722,  863,  1004,
                                              1145, 1286, 1427, 1568, 1709, 1850, 1991, 2132};
  lit.codes = codes_of_words(lit.design.task, numbers).replicate(25'000, 1);
  lit.hardware.laser.rin_db_per_hz = -125.0;
  NoiseSwitches noise = NoiseSwitches::all();
  noise.lock = false;
  for (const double full_scale_w : {5e-5, 3e-4}) {
    for (const auto& [neurons, converter] : {std::pair(false, true), {true, true}, {true, false}}) {
      CAPTURE(full_scale_w, neurons, converter);
      noise.converter = converter;
      lit.hardware.link.signal_full_scale_w = full_scale_w;
      noise.last_only = !neurons;
      const ResponseTable map = tabulate_chip({lit.design, lit.chip, lit.hardware, noise}, {1, 1});
      ResponseTable all = map;
      all.reach.setZero();
      all.moving.setConstant(~0u);
      Eigen::Index reaching = 0;  // of the 16 words
      for (const std::uint64_t number : numbers)
        reaching += map.reach[static_cast<Eigen::Index>(number)] > 0.5f;
      CHECK(reaching >= 4);
      std::map<std::pair<Eigen::Index, std::uint32_t>, std::pair<double, double>> counts;
      const CodeVector few = send_by_table(map, lit.codes, {1, 1, 0}),
                       every = send_by_table(all, lit.codes, {1, 1, 1});
      for (Eigen::Index w = 0; w < few.size(); ++w) {
        ++counts[{w % 16, few[w]}].first;
        ++counts[{w % 16, every[w]}].second;
      }
      double chi2 = 0.0, cells = 0.0;
      for (const auto& [cell, n] : counts) {
        const auto [a, b] = n;
        if (a + b < 20) continue;  // too few for a normal law
        chi2 += (a - b) * (a - b) / (a + b);
        ++cells;
      }
      CAPTURE(chi2, cells);
      CHECK(cells > 20);
      CHECK(chi2 < cells + 5 * std::sqrt(2 * cells));
    }
  }
}

// one word over and over, in two blocks of words. Fails when blocks share their noise, or all draws of the
// neurons' are one
TEST_CASE("Equal words of one look-up have noise of their own, and so have the draws of a map") {
  Lit lit(some_network(), 1);
  lit.hardware.link.signal_full_scale_w = 2e-6;
  NoiseSwitches noise = NoiseSwitches::all();
  noise.lock = false;
  const ResponseTable map = tabulate_chip({lit.design, lit.chip, lit.hardware, noise}, {1, 1});
  REQUIRE(map.before_readout.size() == static_cast<std::size_t>(table_draws(map.task)));
  for (std::size_t d = 1; d < map.before_readout.size(); ++d)
    CHECK(map.before_readout[d] != map.before_readout[d - 1]);
  const Codes equal = lit.codes.replicate(2 * 4096, 1);
  const auto answers = send_by_table(map, equal, {1, 1, 0});
  CHECK(answers.head(4096) != answers.tail(4096));
  CHECK(answers.minCoeff() < answers.maxCoeff());
}

// Fails when the table is decided without the converter, or noise is added behind its steps
TEST_CASE("A map's receivers read by the server's converter") {
  Lit lit(some_network(), 9000);
  lit.hardware.converter.bits = 1;  // with more, its thresholds are the digits' own
  lit.hardware.converter.effective_bits = 1;
  const auto read_by = [&](const NoiseSwitches& noise) {
    return decide_digits(transmit({lit.design, lit.chip, lit.hardware, noise}, lit.codes, {1, 1}));
  };
  const NoiseSwitches steps = {.converter = true};
  const ResponseTable still = tabulate_chip({lit.design, lit.chip, lit.hardware, steps}, {1, 1});
  CHECK_FALSE(still.noisy());
  const auto decided = send_by_table(still, lit.codes, {1, 1, 0});
  CHECK(decided == read_by(steps));
  CHECK(decided != read_by({}));
  NoiseSwitches faint = {.shot = true, .tia = true, .rin = true, .converter = true};  // far below the digits
  lit.hardware.receiver.lo_power_w = 10.0;
  lit.hardware.link.signal_full_scale_w = 10.0;
  lit.hardware.receiver.front_end.bandwidth_hz = 1e3;
  const ResponseTable quiet = tabulate_chip({lit.design, lit.chip, lit.hardware, faint}, {1, 1});
  REQUIRE(quiet.noisy());
  CHECK((send_by_table(quiet, lit.codes, {1, 1, 0}).array() != decided.array()).count() < 20);
}

// An amplifier's limit just below and just above the threshold of digit 3: 400,000 words, 5 sigma of the
// difference of two binomial shares of a code. Fails when the noise of servers is added behind the limit (digit
// 3 is seen where light never says it), or to outputs that are cut already (digit 2 where light says 3)
TEST_CASE("MC: a map's servers cut what their amplifiers do not pass on, noise included") {
  Network network = random_network({4, 3}, {}, 5);  // no neurons, which would be cut, too
  for (auto& sigma : network.layers.back().sigma) sigma *= 0.6;
  network.layers.back().bias.setConstant(1.3);
  Lit lit(network, 400'000);
  lit.hardware.link.launch_power_w = 1e-5;
  const double bias = readout_noise({lit.design, lit.chip, lit.hardware}, 0).bias;
  for (const auto& [most, noise] :
       {std::pair(2.45, NoiseSwitches{}), {2.45, {.tia = true}}, {2.55, {.tia = true}}}) {
    CAPTURE(most, bias, noise.tia);
    lit.hardware.receiver.overload_a = (most - bias) * homodyne_current_per_field(lit.hardware.receiver) *
                                       readout_field_per_unit_sqrt_w({lit.design, lit.chip, lit.hardware}, 0);
    const LitUnit unit{lit.design, lit.chip, lit.hardware, noise};
    if (noise.tia) CHECK(readout_rms(unit, 0, 2.5) > 0.05);  // or nothing is tested
    const Eigen::MatrixXd by_map =
                              digits_of(send_by_table(tabulate_chip(unit, {1, 1}), lit.codes, {1, 1, 7}), 3),
                          by_light = digits_of(decide_digits(transmit(unit, lit.codes, {1, 1})), 3);
    if (!noise.tia) CHECK(by_map == by_light);
    CHECK((by_light.array() == 3).any() == (most > 2.5));
    for (Eigen::Index m = 0; m < 3; ++m)
      for (int d = 0; d < 4; ++d) {
        const double map = (by_map.row(m).array() == d).cast<double>().mean(),
                     light = (by_light.row(m).array() == d).cast<double>().mean();
        CAPTURE(m, d, map, light);
        CHECK(std::abs(map - light) <= 5 * std::sqrt(2 * light * (1 - light) / 400'000.0));
      }
  }
}

TEST_CASE("A map is refused where light depends on more than digit sums, and so are codes it does not hold") {
  Lit lit(some_network(), 10);
  const auto refused = [&](const char* key, auto member) {
    UnitHardware hardware = lit.hardware;
    member(hardware) = 0.01;
    check_message(refusal([&] {
                    tabulate_chip({lit.design, lit.chip, hardware}, {});
                  }),
                  {key, "through the meshes"});
  };
  for (int LinkSettings::*of : {&LinkSettings::cut_servers, &LinkSettings::late_servers}) {
    UnitHardware missing;
    missing.link.*of = 1;
    CHECK_THROWS_WITH(validate_tabulation({}, missing, {}), ContainsSubstring("_servers = 1"));
  }
  refused("link.sigma_combiner", [](UnitHardware& u) -> double& { return u.link.sigma_combiner; });
  refused("link.sigma_oscillator_rad", [](UnitHardware& u) -> double& { return u.link.sigma_oscillator_rad; });
  refused("link.level_mismatch", [](UnitHardware& u) -> double& { return u.link.level_mismatch; });
  refused("modulator.leak", [](UnitHardware& u) -> double& { return u.modulator.leak; });
  refused("receiver.offset_a", [](UnitHardware& u) -> double& { return u.receiver.offset_a; });
  UnitHardware direct = lit.hardware;
  direct.link.oscillators = Oscillators::direct;
  direct.link.sigma_lock_rad = 0.0;
  check_message(refusal([&] {
                  tabulate_chip({lit.design, lit.chip, direct, NoiseSwitches::all()}, {});
                }),
                {"link.oscillators = direct", "noise.lock", "through the meshes"});
  check_message(refusal([&] {
                  tabulate_chip({lit.design, lit.chip, lit.hardware, NoiseSwitches::all()}, {});
                }),
                {"link.sigma_lock_rad", "noise.lock"});
  check_message(refusal([&] {
                  tabulate_chip({lit.design, lit.chip, lit.hardware, {.shot = true, .scale = 2}}, {});
                }),
                {"scale 2", "through the meshes"});
  UnitHardware clocked = lit.hardware;
  clocked.timing.sampling = Sampling::clocked;
  check_message(refusal([&] {
                  tabulate_chip({lit.design, lit.chip, clocked}, {});
                }),
                {"time.sampling = clocked", "through the meshes"});
  lit.hardware.link.averaging = Averaging::incoherent;
  check_message(refusal([&] {
                  tabulate_chip({lit.design, lit.chip, lit.hardware, NoiseSwitches::all()}, {});
                }),
                {"noise.rin", "link.averaging = incoherent", "through the meshes"});
  const Lit one(some_network({1, 3}), 10);  // squares of one server's digits are known by its digits
  UnitHardware unlocked = one.hardware;
  unlocked.link.averaging = Averaging::incoherent;
  CHECK(tabulate_chip({one.design, one.chip, unlocked, NoiseSwitches::all()}, {1, 1}).noisy());
  lit.hardware.link.averaging = Averaging::coherent;
  const ResponseTable map = tabulate_chip({lit.design, lit.chip, lit.hardware}, {1, 1});
  check_message(refusal([&] { send_by_table(map, Codes::Zero(4, 3), {}); }), {"3 servers"});
  check_message(refusal([&] { send_by_table(map, Codes::Constant(4, 4, 64), {}); }), {"code 64"});
  check_message(refusal([&] {
                  send_by_table(map, lit.codes, {1, 1, 0, 512});
                }),
                {"first_word = 512", "4096, 8192"});
}
