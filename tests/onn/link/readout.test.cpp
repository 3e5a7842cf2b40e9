#include "onn/link/readout.hpp"

#include <cmath>
#include <numeric>

#include "onn/network/carry_chain.hpp"
#include "onn/task/words.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/hardware.hpp"
#include "tests/support/networks.hpp"
#include "tests/support/refusal.hpp"

using namespace optinc;

namespace {

/// One server whose four digits pass two layers that are the identity: all levels are exact and equally likely.
struct Repeater {
  ChipDesign design;
  ChipState chip;

  Repeater() {
    const std::vector<int> hidden = {4};
    Network network = make_network({1, 4}, hidden);
    for (auto& layer : network.layers) layer.sigma[0].setOnes();
    design = design_chip(network);
    chip = programmed_chip(design, fabricate(design, {}, 1, 0), {}, Programming::uncorrected);
  }
};

constexpr std::uint32_t words = 51200;  // every one of the 256 codes 200 times, 204,800 digits

Codes repeated_codes() {
  Codes codes(words, 1);
  for (std::uint32_t w = 0; w < words; ++w) codes(w, 0) = w % 256;
  return codes;
}

double measured_rate(const Repeater& r, const UnitHardware& hardware, const NoiseSwitches& noise) {
  const Codes codes = repeated_codes();
  const Eigen::MatrixXd got =
      digits_of(decide_digits(transmit({r.design, r.chip, hardware, noise}, codes, {5, 0, 0})), 4);
  const Eigen::MatrixXd sent = digits_of(exact_answers(r.design.task, codes), 4);
  return (got.array() != sent.array()).cast<double>().mean();
}

/// 5 standard deviations of a share of `count` draws.
double five_sigma(double share, double count) { return 5 * std::sqrt(share * (1 - share) / count); }

}  // namespace

// 204,800 digits a point, 5 sigma of the binomial distribution; (3/2) Q(q) typed here. Fails when neurons stay
// noisy, the gain forgets the passive scale, or the level spacing is taken for the half of it
TEST_CASE("MC: behind noise of the last receiver alone exact levels err as PAM4 does") {
  const Repeater r;
  NoiseSwitches noise;
  noise.tia = noise.last_only = true;
  for (const double full_scale_w : {1e-7, 3e-7, 6e-7, 1e-6}) {
    CAPTURE(full_scale_w);
    UnitHardware hardware = without_losses();
    hardware.link.signal_full_scale_w = full_scale_w;
    // i_n sqrt(B) over the current of one digit, 2 R sqrt(P_LO P_fs) 0.99/3
    const double sigma = 16.9e-12 * std::sqrt(noise_bandwidth_hz(FrontEnd{})) /
                         (2 * 0.9 * std::sqrt(1e-3 * full_scale_w) * 0.99 / 3);
    const double theory = 0.75 * std::erfc(0.5 / sigma / std::sqrt(2.0));
    CHECK(readout_rms({r.design, r.chip, hardware, noise}, 1, 2.0) == Approx(sigma).epsilon(1e-12));
    CHECK(pam4_error_rate({r.design, r.chip, hardware, noise}) == Approx(theory).epsilon(1e-10));
    CHECK(weakest_digit({r.design, r.chip, hardware}).power_w ==
          Approx(0.99 * 0.99 * full_scale_w).epsilon(1e-12));
    CHECK(measured_rate(r, hardware, noise) == Approx(theory).margin(five_sigma(theory, 4.0 * words)));
  }
}

// the same with noise that depends on the level: intensity noise, common to the digits of a word, so that words
// are counted. Fails when the leak of the oscillator has one sign on all pairs, or intensity noise is drawn for
// each digit
TEST_CASE("MC: level-dependent noise of the last receiver errs by the formula, each source and all") {
  const Repeater r;
  for (int source = 0; source < 3; ++source) {
    CAPTURE(source);
    NoiseSwitches noise;
    noise.last_only = true;
    noise.shot = source != 0;
    noise.tia = source == 2;
    noise.rin = source != 1;
    UnitHardware hardware = without_losses();
    hardware.link.signal_full_scale_w = source == 0 ? 1e-4 : 1e-6;
    hardware.laser.rin_db_per_hz = source == 0 ? -127.0 : -145.0;
    hardware.receiver.cmrr_db = source == 0 ? 20.0 : 25.0;
    const double theory = pam4_error_rate({r.design, r.chip, hardware, noise});
    REQUIRE(theory > 1e-3);
    CHECK(measured_rate(r, hardware, noise) == Approx(theory).margin(five_sigma(theory, words)));
  }
}

// Steps of 8 bits, 4/256 digit, have a threshold at every decision threshold, so that only the noise that makes
// them three effective bits errs: variance 4/3 (4^-3 - 4^-8) digits^2, typed here. The outermost levels too:
// clipping does not change what they decide to. 204,800 digits, 5 sigma. Fails when ENOB is taken for bits or
// the converter's noise is left out of the formula
TEST_CASE("MC: behind converters alone exact levels err by the noise of their effective bits") {
  const Repeater r;
  const NoiseSwitches noise = {.converter = true};
  UnitHardware hardware;
  hardware.converter.bits = hardware.converter.effective_bits = 8;
  CHECK(pam4_error_rate({r.design, r.chip, hardware, noise}) == 0.0);
  CHECK(readout_rms({r.design, r.chip, hardware, noise}, 1, 2.0) == 0.0);
  hardware.converter.effective_bits = 3;
  const double sigma = std::sqrt(4.0 / 3 * (1.0 / 64 - 1.0 / 65536));
  const double theory = 0.75 * std::erfc(0.5 / sigma / std::sqrt(2.0));
  CHECK(readout_rms({r.design, r.chip, hardware, noise}, 1, 2.0) == Approx(sigma).epsilon(1e-12));
  CHECK(pam4_error_rate({r.design, r.chip, hardware, noise}) == Approx(theory).epsilon(1e-10));
  CHECK(pam4_error_rate({r.design, r.chip, hardware}) == 0.0);
  CHECK(measured_rate(r, hardware, noise) == Approx(theory).margin(five_sigma(theory, 4.0 * words)));
}

// 28,561 words of a network whose levels lie anywhere; digits are those decided without noise. Fails when
// thresholds are those of exact levels, the outermost levels have two, or the bias is taken for light
TEST_CASE("MC: levels that are not exact err by their own margins, not by the formula") {
  const Task task{4, 4};
  const ChipDesign design = design_chip(random_network(task, {8, 8}));
  const ChipState chip = programmed_chip(design, fabricate(design, {}, 1, 0), {}, Programming::uncorrected);
  std::vector<std::uint64_t> all(task.words());
  std::iota(all.begin(), all.end(), std::uint64_t{0});
  const Codes codes = codes_of_words(task, all);
  NoiseSwitches noise;
  noise.shot = noise.tia = noise.last_only = true;
  UnitHardware hardware;
  hardware.link.signal_full_scale_w = 1e-3;
  NoiseSwitches intensity;
  intensity.rin = true;
  for (int m = 0; m < 4;
       ++m) {  // rho (y - b) +- rho R P_LO 10^(-CMRR/20) over the current of one digit, at 2 digits
    const double rho = std::sqrt(1e-15 * noise_bandwidth_hz(FrontEnd{})),
                 per_unit = 1.8 * std::sqrt(1e-3) * readout_field_per_unit_sqrt_w({design, chip, hardware});
    const double leak = 0.9e-3 * std::pow(10.0, -1.5) / per_unit, signal = 2.0 - design.layers.back().bias[m];
    CHECK(readout_rms({design, chip, hardware, intensity}, m, 2.0) ==
          Approx(rho * std::abs(signal + (m % 2 == 0 ? leak : -leak))).epsilon(1e-9));
  }
  const Eigen::MatrixXd clean = transmit({design, chip, hardware}, codes, {});
  const Eigen::MatrixXd digits = digits_of(decide_digits(clean), 4);
  const Eigen::MatrixXd got =
      digits_of(decide_digits(transmit({design, chip, hardware, noise}, codes, {3, 0, 0})), 4);
  const double measured = (got.array() != digits.array()).cast<double>().mean();
  const double theory = readout_error_rate({design, chip, hardware, noise}, clean, digits);
  const double tolerance = five_sigma(theory, static_cast<double>(clean.size()));
  CHECK(measured == Approx(theory).margin(tolerance));
  CHECK(std::abs(measured - pam4_error_rate({design, chip, hardware, noise})) > 2 * tolerance);
  check_message(refusal([&] {
                  readout_error_rate({design, chip, hardware, noise}, clean, digits.leftCols(3));
                }),
                {"outputs (4, 28561) meet digits (4, 3)"});
}

// Fails when the switch turns off the servers' receivers too, or the lock
TEST_CASE("noise of the last receivers alone, and none at all") {
  const Repeater r;
  UnitHardware hardware;
  NoiseSwitches noise = NoiseSwitches::all();
  CHECK_FALSE(noise.last_only);
  const Codes codes = repeated_codes().topRows(2000);
  const auto spread = [&](const NoiseSwitches& n) {
    return (transmit({r.design, r.chip, hardware, n}, codes, {}) -
            transmit({r.design, r.chip, hardware}, codes, {}))
        .norm();
  };
  noise.lock = false;
  const double everywhere = spread(noise);
  noise.last_only = true;
  const double last = spread(noise);
  CHECK(last > 0);
  CHECK(last < everywhere);
  CHECK(pam4_error_rate({r.design, r.chip, hardware}) == 0.0);
  const Eigen::MatrixXd clean = transmit({r.design, r.chip, hardware}, codes, {});
  const Eigen::MatrixXd sent = digits_of(exact_answers(r.design.task, codes), 4);
  CHECK(readout_error_rate({r.design, r.chip, hardware}, clean, sent) == 0.0);
}

// A limit at what is told cuts nothing of any word, and far below it cuts. Fails when a layer's bias, the light
// of unit T or the largest output is left out, or currents are those of another layer
TEST_CASE("the largest currents of receivers are those that a limit may have without cutting a word") {
  const Task task{4, 2, Rounding::half_up};
  const Network networks[] = {random_network({4, 2}, {8, 16}, 5), carry_chain(task),
                              random_network({4, 2}, {}, 5)};
  for (const Network& network : networks) {  // the last has no neurons
    const ChipDesign design = design_chip(network);
    const ErrorModel model = error_preset("ideal");
    const ChipState chip =
        programmed_chip(design, fabricate(design, model, 1, 0), model, Programming::uncorrected);
    const Codes all = codes_of_words(network.task, evaluation_words(network.task));
    UnitHardware unlimited, limited;
    double most_a = 0.0;
    for (const double current_a : receiver_currents_a(design, model, unlimited))
      if (current_a > most_a) most_a = current_a;
    const auto moved = [&](double limit_a) {
      limited.receiver.overload_a = limit_a;
      const Eigen::MatrixXd free = digits_of(decide_digits(transmit({design, chip, unlimited}, all, {})), 2),
                            cut = digits_of(decide_digits(transmit({design, chip, limited}, all, {})), 2);
      return (free - cut).norm();
    };
    CAPTURE(network.layers.size(), most_a);
    CHECK(moved(1.0001 * most_a) == 0.0);
    CHECK(moved(0.3 * most_a) > 0.0);
  }
}
