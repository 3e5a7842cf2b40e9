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
  const auto fields = server_fields_sqrt_w(hardware);
  CHECK(std::abs(fields[0] - full * Complex(0, 0.04)) < 1e-15);
  CHECK(std::abs(fields[3] - full) < 1e-9);
  // 1/2 -+ 0.97/6
  CHECK(fields[1].real() == Approx(full * 0.338333333333).epsilon(1e-9));
  CHECK(fields[2].real() == Approx(full * 0.661666666667).epsilon(1e-9));
  CHECK(fields[1].imag() == Approx(full * 0.04 * std::sqrt(1 - 0.338333333333 * 0.338333333333)).epsilon(1e-9));
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
}
