#include "onn/margin/rare_words.hpp"

#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "onn/link/average.hpp"
#include "onn/link/readout.hpp"
#include "onn/network/carry_chain.hpp"
#include "onn/network/digit_sums.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/networks.hpp"
#include "tests/support/refusal.hpp"

using namespace optinc;

namespace {

/// A unit on a perfect chip, and words for it.
struct Averaged {
  ChipDesign design;
  ChipState chip;
  UnitHardware hardware;
  NoiseSwitches noise = {.tia = true, .lock = true};

  Averaged(const Network& network, double launch_w, double lock_rad) : design(design_chip(network)) {
    const ErrorModel model = error_preset("ideal");
    chip = programmed_chip(design, fabricate(design, model, 1, 0), model, Programming::uncorrected);
    hardware.link.launch_power_w = launch_w;
    hardware.link.sigma_lock_rad = lock_rad;
  }

  LitUnit lit() const { return {design, chip, hardware, noise}; }
  Codes codes(Eigen::Index words, std::uint32_t seed = 3) const {
    Stream stream(seed, Purpose::test);
    Codes drawn(words, design.task.servers);
    for (auto& code : drawn.reshaped()) code = stream.below(static_cast<std::uint32_t>(design.task.codes()));
    return drawn;
  }
};

double tail(double x) { return std::erfc(x / std::numbers::sqrt2) / 2; }

}  // namespace

// A hub of one server is two links with a phase each: by quadrature over the phase, from 1e-6 to 1e-12, for
// locks that hardly matter and for such that decide. Of 5,000 phases from the widest proposal 800 decide: 5
// sigma of their sum are 18 %. Fails when weights are those of one proposal, phases turn light by less, or the
// share beyond four sigma is that of the draws
TEST_CASE("rare words of a link are those of a quadrature over its phase") {
  for (const auto& [launch_w, lock_rad] :
       {std::pair{1.1e-5, 0.0}, {1.2e-5, 0.02}, {2.5e-5, 0.1}, {8e-5, 0.1}}) {
    const Averaged unit(digit_sums({.servers = 1, .digits = 1}), launch_w, lock_rad);
    const RareWords found =
        rare_words(unit.lit(), Codes::NullaryExpr(4, 1, [](auto w, auto) { return w; }), {}, 5000);
    const double rms = readout_rms(unit.lit(), 0, 0.0) / std::exp(-lock_rad * lock_rad / 2);
    double all = 0.0, far = 0.0;
    constexpr double step = 0.01, end = 12;
    for (double z = -end; z < end; z += step) {
      const double turned = std::cos(lock_rad * z) * std::exp(lock_rad * lock_rad / 2),
                   density = step * std::exp(-z * z / 2) / std::sqrt(2 * std::numbers::pi);
      double wrong = 0.0;
      for (int d = 0; d < 4; ++d) {
        if (d < 3) wrong += tail((d + 0.5 - d * turned) / rms) / 4;
        if (d > 0) wrong += tail((d * turned - (d - 0.5)) / rms) / 4;
      }
      all += density * wrong;
      if (std::abs(z) > 4) far += density * wrong;
      if (lock_rad == 0) {
        all = wrong;
        break;
      }
    }
    CAPTURE(launch_w, lock_rad, found.share, all, found.error, found.samples);
    fmt::print("link, locks of {} rad: {:.3g}, by quadrature {:.3g}\n", lock_rad, found.share, all);
    CHECK(all > 1e-17);
    CHECK(all < 1e-4);
    CHECK(found.share == Approx(all).epsilon(0.2));
    CHECK(found.beyond_4_sigma == Approx(far / all).margin(0.05));
  }
}

// 3,000 blocks of 512 words: a count scatters by its blocks, whose words share their phases. Five
// standard errors of both. Fails when an owner's answers or what phases leave of one are left out, lanes of a
// word count twice, or thresholds are those of the levels' half
TEST_CASE("MC: rare words are those that are counted") {
  const Task task = {.servers = 4, .digits = 4};
  struct Case {
    const char* name;
    Network network;
    double launch_w, lock_rad;
    int destinations;
  };
  const Case cases[] = {{"sums, a star", digit_sums(task), 7e-5, 0.12, 0},
                        {"sums, an owner", digit_sums(task), 1.1e-5, 0.1, 1},
                        {"ring", word_hops(task, Adder::ring), 5e-6, 0.1, 0},
                        {"carry chain", carry_chain({4, 4, Rounding::half_up}), 5e-4, 0.1, 0}};
  for (const Case& c : cases) {
    Averaged unit(c.network, c.launch_w, c.lock_rad);
    unit.hardware.link.destinations = c.destinations;
    unit.hardware.link.signal_full_scale_w = 4e-4;
    const RareWords found = rare_words(unit.lit(), unit.codes(256), {}, 250);
    constexpr Eigen::Index words = 1024;
    constexpr std::uint32_t instants = 1500;
    const Codes codes = unit.codes(words, 7);
    const CodeVector exact = exact_answers(unit.design.task, codes);
    Eigen::ArrayXd counted(2 * instants);  // of every block
    for (std::uint32_t i = 0; i < instants; ++i) {
      const CodeVector got = average_codes(unit.lit(), codes, {.instant = i});
      for (Eigen::Index b = 0; b < 2; ++b)
        counted[2 * i + b] =
            (got.segment(b * words / 2, words / 2).array() != exact.segment(b * words / 2, words / 2).array())
                .cast<double>()
                .mean();
    }
    const double error = std::sqrt((counted - counted.mean()).square().mean() / (2 * instants));
    CAPTURE(c.name, found.share, found.error, counted.mean(), error, found.beyond_4_sigma);
    fmt::print("{}: {:.3g} +- {:.1g}, counted {:.3g} +- {:.1g}\n", c.name, found.share, found.error,
               counted.mean(), error);
    CHECK(counted.mean() > 1e-5);
    CHECK(std::abs(counted.mean() - found.share) < 5 * std::hypot(error, found.error));
  }
}

// Fails when given phases, at which every limiting neuron decides, are asked whether neurons do
TEST_CASE("rare words of neurons that pass on noise are refused") {
  Network network = random_network({.servers = 2, .digits = 2}, {4, 4});
  for (const double ceiling : {network.layers[0].ceiling, 0.7}) {
    for (std::size_t l = 0; l + 1 < network.layers.size(); ++l) network.layers[l].ceiling = ceiling;
    const Averaged unit(network, 1e-3, 0.1);
    check_message(refusal([&] { rare_words(unit.lit(), unit.codes(8), {}); }), {"neurons that do not decide"});
  }
}
