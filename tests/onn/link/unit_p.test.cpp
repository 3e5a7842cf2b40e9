#include "onn/link/unit_p.hpp"

#include <cmath>

#include "onn/link/transmission.hpp"
#include "onn/task/words.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/hardware.hpp"
#include "tests/support/networks.hpp"
#include "tests/support/refusal.hpp"

using namespace optinc;

namespace {

const Task four = {4, 4};

Codes one_word(std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t d) {
  Codes codes(1, 4);
  codes << a, b, c, d;
  return codes;
}

const std::vector<double> locked = {0, 0, 0, 0};

/// One server whose digits pass two layers that are the identity.
Eigen::MatrixXd repeated(const UnitHardware& hardware, const NoiseSwitches& noise = {}) {
  const std::vector<int> hidden = {4};
  Network network = make_network({1, 4}, hidden);
  for (auto& layer : network.layers) layer.sigma[0].setOnes();
  const ChipDesign design = design_chip(network);
  const ChipState chip = programmed_chip(design, fabricate(design, {}, 1, 0), {}, Programming::uncorrected);
  Codes codes(256, 1);
  for (std::uint32_t w = 0; w < 256; ++w) codes(w, 0) = w;
  return transmit({design, chip, hardware, noise}, codes, {});
}

}  // namespace

// Fails when a lane reads another digit or the combiner is not 1/sqrt(N)
TEST_CASE("unit P without errors carries sqrt(N) times the field of the average digit") {
  UnitHardware hardware = without_losses();
  hardware.link.launch_power_w = 4e-4;
  // base 4: 27 = 0123, 228 = 3210, 255 = 3333, 0 = 0000: averages 6/4, 6/4, 6/4, 6/4
  const FieldBatch lanes =
      unit_p(four, hardware, draw_combiners(four, hardware, 1, 0), one_word(27, 228, 255, 0), locked);
  for (int m = 0; m < 4; ++m) {
    CHECK(lanes.re(m, 0) == Approx(2 * 0.02 * 1.5 / 3).epsilon(1e-14));
    CHECK(lanes.im(m, 0) == Approx(0).margin(1e-18));
  }
}

// The field is off by sqrt(P_3)/(3 sqrt N) sum_n e_n (g_n - mean g): to first order of rms
// sigma sqrt(P_3)/(3 sqrt N) sqrt(sum (g_n - mean g)^2). 4,000 chips of 4 lanes, 16,000 draws: 5 sigma of a
// standard deviation are 5/sqrt(2 x 16000) = 2.8 %. Fails when lanes share their errors, when chips do, or when
// weights are not passive (the mean of equal digits would move)
TEST_CASE("MC: errors of the combiner's weights act on unequal digits alone") {
  UnitHardware hardware = without_losses();  // 1 mW
  hardware.link.sigma_combiner = 0.01;
  double unequal = 0, equal = 0;
  for (std::uint32_t chip = 0; chip < 4000; ++chip) {
    const CombinerWeights weights = draw_combiners(four, hardware, 7, chip);
    // digits 0, 1, 2, 3 in every lane: 0 = 0000, 85 = 1111, 170 = 2222, 255 = 3333
    const FieldBatch apart = unit_p(four, hardware, weights, one_word(0, 85, 170, 255), locked);
    const FieldBatch alike = unit_p(four, hardware, weights, one_word(170, 170, 170, 170), locked);
    for (int m = 0; m < 4; ++m) {
      unequal += std::pow(apart.re(m, 0) / (2 * std::sqrt(1e-3) / 3) - 1.5, 2);
      equal += std::pow(alike.re(m, 0) / (2 * std::sqrt(1e-3) / 3) - 2, 2);
    }
  }
  const double rms_digit = 0.01 * std::sqrt(5.0) / 4;  // sum of (g - 1.5)^2 over 0..3 is 5; divided by N
  CHECK(std::sqrt(unequal / 16000) == Approx(rms_digit).epsilon(0.028));
  CHECK(std::sqrt(equal / 16000) < 0.01 * 0.01 * 3);  // second order
  CHECK(draw_combiners(four, hardware, 7, 3)[1][2] == draw_combiners(four, hardware, 7, 3)[1][2]);
  CHECK(draw_combiners(four, hardware, 7, 3)[1][2] != draw_combiners(four, hardware, 7, 3)[0][2]);
  CHECK(draw_combiners(four, hardware, 7, 3)[1][2] != draw_combiners(four, hardware, 7, 4)[1][2]);
}

// Fails when the leak is in phase, does not vanish at full drive, or the mismatch spreads the levels
TEST_CASE("a server's modulator leaks in quadrature and draws its inner levels together") {
  UnitHardware hardware;  // 1 mW
  hardware.modulator.leak = 0.04;
  hardware.link.level_mismatch = 0.03;
  const double full = std::sqrt(1e-3);
  const auto fields = server_fields_sqrt_w({}, hardware);
  CHECK(std::abs(fields[0] - full * Complex(0, 0.04)) < 1e-15);
  CHECK(std::abs(fields[3] - full) < 1e-9);
  // 1/2 -+ 0.97/6
  CHECK(fields[1].real() == Approx(full * 0.338333333333).epsilon(1e-9));
  CHECK(fields[2].real() == Approx(full * 0.661666666667).epsilon(1e-9));
  CHECK(fields[1].imag() == Approx(full * 0.04 * std::sqrt(1 - 0.338333333333 * 0.338333333333)).epsilon(1e-9));
  // 64 levels: each fourth of 63 is 21 on; half of full scale stays where it is
  const auto levels = server_fields_sqrt_w({.digits = 3, .outputs = Outputs::analogue}, hardware);
  REQUIRE(levels.size() == 64);
  for (std::size_t d = 0; d < 4; ++d) CHECK(std::abs(levels[21 * d] - fields[d]) < 1e-12);
  CHECK((levels[31] + levels[32]).real() / 2 == Approx(full / 2));
}

// Through perfect meshes quadratures do not mix: the leak is invisible, the mismatch moves digits 1 and 2 by
// 0.015 towards each other. Fails when the leak of a neuron's modulator falls into phase
TEST_CASE("a perfect chip passes on the levels of its servers and none of their leak") {
  UnitHardware hardware;
  const Eigen::MatrixXd clean = repeated(hardware);
  hardware.modulator.leak = 0.1;
  CHECK((repeated(hardware) - clean).cwiseAbs().maxCoeff() < 1e-12);
  hardware.link.level_mismatch = 0.03;
  const Eigen::MatrixXd drawn = repeated(hardware);
  for (int w = 0; w < 256; ++w) {
    const int digit = w & 3;
    CHECK(drawn(3, w) == Approx(digit == 1 ? 1.015 : digit == 2 ? 1.985 : digit).margin(1e-12));
  }
}

// Steps of 4/2^5 = 0.125 digit, readings in the middle of a step, clipped to the outermost.
// Fails when the range is not -0.5..3.5
TEST_CASE("a server's converter reads digits on its grid") {
  UnitHardware hardware;
  const Eigen::MatrixXd clean = repeated(hardware);
  hardware.converter.bits = 5;
  hardware.converter.effective_bits = 5;
  const Eigen::MatrixXd read = repeated(hardware, {.converter = true});
  CHECK((read - clean).cwiseAbs().maxCoeff() <= 0.0625 + 1e-12);
  for (int w = 0; w < 256; ++w) {
    const double steps = (read(0, w) + 0.5) / 0.125 - 0.5;
    CHECK(steps == Approx(std::round(steps)).margin(1e-9));
  }
}

// by hand. Fails when the field in place of the power is linear in the digit, when the photodiode divides by N,
// or when the splitters' excess is not taken out of the full scale
TEST_CASE("unit P without a common phase carries the average digit at the full scale of fresh light") {
  UnitHardware hardware;
  hardware.link.averaging = Averaging::incoherent;
  hardware.link.signal_full_scale_w = 4e-4;
  CHECK(averaged_full_scale_w(four, hardware) ==
        Approx(4e-3 * std::pow(10, -0.056)).epsilon(1e-13));  // 2 x 0.28 dB
  Stream unused(1, Purpose::test);
  // 27 = 0123, 225 = 3201, 255 = 3333, 0 = 0000: averages 6/4, 6/4, 5/4, 7/4
  const FieldBatch lanes = incoherent_unit_p(four, hardware, {}, draw_combiners(four, hardware, 1, 0),
                                             one_word(27, 225, 255, 0), unused);
  const double digits[] = {1.5, 1.5, 1.25, 1.75};
  for (int m = 0; m < 4; ++m) CHECK(lanes.re(m, 0) == Approx(0.02 * digits[m] / 3).epsilon(1e-13));
  CHECK(lanes.im.squaredNorm() == 0.0);
  CHECK(repeated(hardware).isApprox(repeated(without_losses()), 1e-12));
}

// One photodiode sees N |w_n|^2 P_n: an error e_n of a field weight counts twice in its power. 4,000 chips as
// above; fails when it counts once
TEST_CASE("MC: errors of the combiner's weights count twice in powers") {
  UnitHardware hardware;
  hardware.link.averaging = Averaging::incoherent;
  hardware.link.sigma_combiner = 0.01;
  Stream unused(1, Purpose::test);
  double unequal = 0;
  for (std::uint32_t chip = 0; chip < 4000; ++chip) {
    const FieldBatch apart = incoherent_unit_p(four, hardware, {}, draw_combiners(four, hardware, 7, chip),
                                               one_word(0, 85, 170, 255), unused);
    for (int m = 0; m < 4; ++m) unequal += std::pow(3 * apart.re(m, 0) / 0.01 - 1.5, 2);
  }
  CHECK(std::sqrt(unequal / 16000) == Approx(2 * 0.01 * std::sqrt(5.0) / 4).epsilon(0.028));
}

// 40,000 words of digits 1, 1, 2, 2 in lane 0 and 2, 1, 1, 2 in lane 1. Standard error of a variance is
// sqrt(2/40000) of it, of a covariance at most as much of the product of both rms: 5 sigma are 3.6 %. Fails
// when a source draws with another's switch, shot noise is that of a local oscillator or lacks the dark
// current, a laser's noise adds up as a field over servers, or is another in every digit
TEST_CASE("MC: a photodiode's noise on incoherent averages, source by source") {
  constexpr Eigen::Index words = 40'000;
  const Task two = {4, 2};
  UnitHardware hardware = without_losses();
  hardware.link.averaging = Averaging::incoherent;
  hardware.link.launch_power_w = 1e-5;
  hardware.receiver.photodiode.dark_current_a = 1e-5;  // a third of the signal, or it is not seen
  hardware.laser.rin_db_per_hz = -125;
  Codes codes(words, 4);
  codes.rowwise() = (Codes(1, 4) << 6, 5, 9, 10).finished().row(0);  // 12, 11, 21, 22
  const double band_hz = noise_bandwidth_hz(hardware.receiver.front_end), full_a = 0.9 * 4e-5;
  const double shot = 2 * 1.602176634e-19 * (0.9 * 2e-5 + 1e-5) * band_hz;
  const double tia = std::pow(16.9e-12, 2) * band_hz;
  const double per_square = std::pow(0.9 * 1e-5 / 3, 2) * std::pow(10, -12.5) * band_hz;  // of a digit squared
  const auto moments = [&](const NoiseSwitches& noise, const Eigen::Vector2d& variance_a2,
                           double covariance_a2) {
    Stream stream(3, Purpose::test);
    const Eigen::MatrixXd level =
        incoherent_unit_p(two, hardware, noise, draw_combiners(two, hardware, 1, 0), codes, stream).re * 100;
    for (int m = 0; m < 2; ++m) {
      CHECK(level.row(m).mean() == Approx(0.5).margin(5 * std::sqrt(variance_a2[m] / words) / full_a));
      CHECK((level.row(m).array() - 0.5).square().mean() ==
            Approx(variance_a2[m] / (full_a * full_a)).epsilon(0.036));
    }
    CHECK(((level.row(0).array() - 0.5) * (level.row(1).array() - 0.5)).mean() * full_a * full_a ==
          Approx(covariance_a2).margin(0.036 * variance_a2.mean()));
  };
  moments({.shot = true}, {shot, shot}, 0);
  moments({.tia = true}, {tia, tia}, 0);
  moments({.rin = true}, {10 * per_square, 10 * per_square}, 9 * per_square);  // 1+1+4+4; 2+1+2+4
  const Eigen::Vector2d together = Eigen::Vector2d::Constant(shot + tia + 10 * per_square);
  moments({.shot = true, .tia = true, .rin = true}, together, 9 * per_square);
}

// Fails when unit P is silent, or noisy with last_only, or phase locks act
TEST_CASE("receivers of incoherent averages are part of the chip and need no lock") {
  UnitHardware hardware;
  hardware.link.averaging = Averaging::incoherent;
  hardware.link.launch_power_w = 1e-5;
  const Eigen::MatrixXd still = repeated(hardware);
  CHECK(lock_rms_rad(hardware) == 0.0);
  CHECK(repeated(hardware, {.lock = true}) == still);
  UnitHardware elsewhere_quiet = hardware;  // neurons and servers far above their noise
  elsewhere_quiet.link.signal_full_scale_w = 10.0;
  elsewhere_quiet.receiver.lo_power_w = 10.0;
  CHECK((repeated(elsewhere_quiet, {.tia = true}) - still).cwiseAbs().maxCoeff() > 0.1);
  CHECK((repeated(elsewhere_quiet, {.tia = true, .last_only = true}) - still).cwiseAbs().maxCoeff() < 0.01);
}

TEST_CASE("impossible devices of the link are refused by name") {
  const auto refused = [](auto change, const char* name) {
    UnitHardware hardware;
    change(hardware);
    CHECK(refusal([&] { validate_hardware(hardware); }).find(name) == 0);
  };
  refused([](UnitHardware& u) { u.link.sigma_combiner = -0.01; }, "sigma_combiner = -0.01");
  refused([](UnitHardware& u) { u.link.sigma_combiner = 0.2; }, "sigma_combiner = 0.2");
  refused([](UnitHardware& u) { u.modulator.leak = 1; }, "leak = 1");
  refused([](UnitHardware& u) { u.link.level_mismatch = -0.1; }, "level_mismatch = -0.1");
  refused([](UnitHardware& u) { u.converter.bits = 25; }, "bits = 25");
  refused(
      [](UnitHardware& u) {
        u.link.averaging = Averaging::incoherent;
        u.link.signed_levels = true;
      },
      "signed_levels = true with averaging = incoherent");
  refused(
      [](UnitHardware& u) {
        u.link.averaging = Averaging::incoherent;
        u.timing.sampling = Sampling::unclocked;
      },
      "sampling = unclocked with averaging = incoherent");
}

// Fails where fields of 1e-35 sqrt(W) become 0 in single precision, and words are decoded from nothing.
TEST_CASE("light too weak for single precision is followed in double") {
  ErrorModel lossy;
  lossy.mzi_loss_db = 10.0;  // 650 dB along a mesh of 64 ports and its attenuators
  const ChipDesign design = design_chip(random_network(four, {64, 64}));
  const ChipState chip =
      programmed_chip(design, fabricate(design, lossy, 1, 0), lossy, Programming::uncorrected);
  const Codes codes = one_word(27, 228, 255, 0);
  const UnitHardware hardware;
  const auto sent = [&](Arithmetic arithmetic) {
    return transmit({design, chip, hardware, {}, arithmetic}, codes, {});
  };
  CHECK(sent(Arithmetic::float64).allFinite());
  CHECK(sent(Arithmetic::float32) == sent(Arithmetic::float64));
}
