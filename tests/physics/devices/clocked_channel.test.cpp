#include "physics/devices/clocked_channel.hpp"

#include <array>
#include <cmath>
#include <numeric>

#include "tests/support/catch.hpp"
#include "tests/support/refusal.hpp"

using namespace optinc;

namespace {

const Lowpass modulator = {LowpassShape::one_pole, 40e9}, receiver = {LowpassShape::bessel_thomson_4, 32e9};
const std::array<Lowpass, 2> stage = {modulator, receiver};
// as good as none
const Lowpass open = {LowpassShape::one_pole, 1e15};

/// Squares of what a symbol leaves in other samples, and of its own less 1.
double interference(const std::vector<double>& g, int own) {
  double sum = 0.0;
  for (int k = 0; k < static_cast<int>(g.size()); ++k)
    sum += std::pow(g[static_cast<std::size_t>(k)] - (k == own ? 1.0 : 0.0), 2);
  return sum;
}

double cost(const ClockedChannel& channel, double noise_weight) {
  return interference(channel.equalised(), channel.own()) +
         noise_weight * noise_weight * std::pow(channel.noise_gain(), 2);
}

/// Samples of a channel, taken so much later.
std::vector<double> samples_late(const ClockedChannel& channel, double rate, double late_s) {
  std::vector<double> samples;
  for (int k = 0; k < static_cast<int>(channel.response.size()); ++k) {
    const double t = channel.delay_s + late_s + (k - channel.response_before) / rate;
    const std::array<double, 2> times_s = {t, t - 1 / rate};
    const std::vector<double> s = step_response(stage, times_s);
    samples.push_back(s[0] - s[1]);
  }
  return samples;
}

}  // namespace

// A pole leaves h_k = (1 - a) a^k at the end of a symbol, a = exp(-2 pi f/R), which the taps 0, 1/(1 - a),
// -a/(1 - a) undo exactly
TEST_CASE("clocked channel: three taps undo one pole") {
  const Lowpass pole = {LowpassShape::one_pole, 20e9};
  const ClockedChannel channel = clocked_channel(open, pole, 50e9, 3, 0.0);
  const double a = std::exp(-2 * 3.14159265358979323846 * 20e9 / 50e9);
  CHECK(interference(channel.equalised(), channel.own()) < 1e-12);
  // noise behind the pole is correlated by a from symbol to symbol, which the taps then undo, too
  CHECK(channel.noise_gain() == Approx(std::sqrt((1 + a) / (1 - a))).epsilon(1e-4));
  CHECK(channel.delay_s == Approx(1 / 50e9).epsilon(1e-4));
}

// Fails when samples do not add up to 1, taps do not, or a symbol meets others long after it has settled
TEST_CASE("clocked channel: a constant passes, and slow symbols are settled") {
  for (const double rate : {1e9, 20e9, 40e9, 64e9})
    for (const int taps : {1, 3, 5}) {
      const ClockedChannel channel = clocked_channel(modulator, receiver, rate, taps);
      CHECK(std::accumulate(channel.response.begin(), channel.response.end(), 0.0) ==
            Approx(1.0).epsilon(1e-9));
      CHECK(std::accumulate(channel.equaliser.begin(), channel.equaliser.end(), 0.0) ==
            Approx(1.0).epsilon(1e-9));
    }
  const ClockedChannel slow = clocked_channel(modulator, receiver, 0.4e9);
  CHECK(interference(slow.equalised(), slow.own()) < 1e-20);
  CHECK(slow.noise_gain() == 1.0);
}

// Fails when another instant or other taps of the same sum would do better
TEST_CASE("clocked channel: nothing near it costs less") {
  for (const int taps : {1, 3, 5})
    for (const double rate : {32e9, 50e9}) {
      const ClockedChannel best = clocked_channel(modulator, receiver, rate, taps, 0.05);
      for (int m = 1; m < taps; ++m)
        for (const double step : {-1e-3, 1e-3}) {
          ClockedChannel other = best;
          other.equaliser[0] += step, other.equaliser[static_cast<std::size_t>(m)] -= step;
          CHECK(cost(other, 0.05) > cost(best, 0.05));
        }
      for (const double later : {-0.02, 0.02}) {  // of a symbol
        ClockedChannel other = best;
        other.response = samples_late(best, rate, later / rate);
        CHECK(cost(other, 0.05) > cost(best, 0.05));
      }
    }
}

// Samples, slopes and curvatures against the step response at later instants; fails when they belong to another
// symbol, or curvatures are not halved
TEST_CASE("clocked channel: a late instant samples h + slope d + curvature d^2/2") {
  const ClockedChannel channel = clocked_channel(modulator, receiver, 40e9, 3);
  for (const double late_s : {-1e-13, 0.0, 1e-13}) {
    const std::vector<double> samples = samples_late(channel, 40e9, late_s);
    for (std::size_t k = 0; k < samples.size(); ++k)
      CHECK(channel.response[k] + late_s * (channel.slope[k] + late_s / 2 * channel.curvature[k]) ==
            Approx(samples[k]).margin(1e-6));
  }
}

// Fails when a symbol's samples belong to its neighbour, or earlier ones are cut
TEST_CASE("clocked channel: sampled later, it samples what the step response then is") {
  const double rate = 40e9;
  const ClockedChannel channel = clocked_channel(modulator, receiver, rate, 3);
  for (const double symbols : {-0.99, -0.5, 0.0, 0.4, 0.99}) {
    const ClockedChannel later = sampled_later(channel, modulator, receiver, rate, symbols / rate);
    CHECK(later.delay_s == Approx(channel.delay_s + symbols / rate));
    const std::vector<double> expected = samples_late(later, rate, 0.0);
    for (std::size_t k = 0; k < expected.size(); ++k)
      CHECK(later.response[k] == Approx(expected[k]).margin(1e-12));
    CHECK(std::accumulate(later.response.begin(), later.response.end(), 0.0) == Approx(1.0).epsilon(1e-9));
  }
  const ClockedChannel same = sampled_later(channel, modulator, receiver, rate, 0.0);
  for (std::size_t k = 0; k < channel.response.size(); ++k)
    CHECK(same.response[k + 1] == Approx(channel.response[k]).margin(1e-12));
  check_message(refusal([&] { sampled_later(channel, modulator, receiver, rate, 1 / rate); }), {"later_s"});
}

// The moving average of the noise against the correlation of the receiver's filter; fails when its taps are
// those of the impulse response at symbols
TEST_CASE("clocked channel: noise of samples is as correlated as the receiver's band makes it") {
  for (const double rate : {10e9, 40e9, 80e9}) {
    const ClockedChannel channel = clocked_channel(modulator, receiver, rate, 3);
    const std::vector<double>& a = channel.colour;
    for (std::size_t lag = 0; lag < 6; ++lag) {
      double sum = 0.0;
      for (std::size_t k = 0; k + lag < a.size(); ++k) sum += a[k] * a[k + lag];
      CHECK(sum ==
            Approx(noise_correlation(std::span(&receiver, 1), static_cast<double>(lag) / rate)).margin(1e-5));
    }
  }
}

// Means over the symbol before the instant, by sums, with slopes and noise. Fails when the mean is that of the
// symbol after, or noise is as large as that of an instant
TEST_CASE("clocked channel: integrate-and-dump averages over a symbol") {
  constexpr int parts = 1000;
  for (const double rate : {5e9, 40e9}) {
    const ClockedChannel mean =
        clocked_channel(modulator, receiver, rate, 3, 0.03, Sampler::integrate_and_dump);
    ClockedChannel instant = mean;  // samples_late() takes one
    for (std::size_t k = 0; k < mean.response.size(); ++k) {
      double sum = 0.0;
      for (int i = 0; i < parts; ++i) sum += samples_late(instant, rate, -(i + 0.5) / parts / rate)[k] / parts;
      CHECK(mean.response[k] == Approx(sum).margin(1e-6));
      const double slope =
          (samples_late(instant, rate, 0.0)[k] - samples_late(instant, rate, -1 / rate)[k]) * rate;
      CHECK(mean.slope[k] == Approx(slope).margin(1e-6 * rate));
    }
    CHECK(std::accumulate(mean.response.begin(), mean.response.end(), 0.0) == Approx(1.0).epsilon(1e-9));
    const double variance = averaged_noise_correlation(std::span(&receiver, 1), 0.0, 1 / rate);
    double colour = 0.0;
    for (const double a : mean.colour) colour += a * a;
    CHECK(colour == Approx(variance).epsilon(1e-9));
    CHECK(variance < 0.8);
    const ClockedChannel later = sampled_later(mean, modulator, receiver, rate, 0.0);
    for (std::size_t k = 0; k < mean.response.size(); ++k)
      CHECK(later.response[k + 1] == Approx(mean.response[k]).margin(1e-12));
  }
}

TEST_CASE("clocked channel: impossible ones are refused") {
  check_message(refusal([] { clocked_channel(modulator, receiver, 0); }), {"symbol_rate_bd"});
  check_message(refusal([] { clocked_channel(modulator, receiver, 1e9, 2); }), {"equaliser_taps = 2"});
  check_message(refusal([] { clocked_channel(modulator, receiver, 1e9, 3, -1); }), {"noise_weight"});
}
