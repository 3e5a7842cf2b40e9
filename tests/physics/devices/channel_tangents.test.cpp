#include <array>

#include "physics/devices/clocked_channel.hpp"

#include "tests/support/catch.hpp"

using namespace optinc;

namespace {

/// Fourth-order difference quotient of f at x, relative step h: wide, since the instant is found to half of the
/// digits.
template <class F>
double difference_quotient(F f, double x, double h) {
  const double d = h * x;
  return (f(x - 2 * d) - 8 * f(x - d) + 8 * f(x + d) - f(x + 2 * d)) / (12 * d);
}

}  // namespace

// Against difference quotients of clocked_channel(), which finds its instant and taps anew each time. Fails
// when taps or the instant are held, or a pole keeps its place
TEST_CASE("channel tangents are the derivatives of samples, taps, noise and delay") {
  const Lowpass modulator = {LowpassShape::one_pole, 40e9};
  for (const Sampler sampler : {Sampler::track_and_hold, Sampler::integrate_and_dump})
    for (const int taps : {1, 3, 5})
      for (const double rate_bd : {30e9, 45e9}) {
        const double hz = 24e9;
        CAPTURE(name_of(sampler), taps, rate_bd);
        const auto channel_at = [&](double bandwidth_hz, double bd) {
          return clocked_channel(modulator, {LowpassShape::bessel_thomson_4, bandwidth_hz}, bd, taps, 0.03,
                                 sampler);
        };
        const ClockedChannel channel = channel_at(hz, rate_bd);
        const ChannelTangents found =
            channel_tangents(channel, modulator, {LowpassShape::bessel_thomson_4, hz}, rate_bd, 0.03);
        const auto check = [&](const ChannelTangent& tangent, auto of, double scale) {
          CHECK(tangent.value == Approx(of(channel)).epsilon(1e-8).margin(1e-8 * scale));
          CHECK(tangent.slope[0] * hz ==
                Approx(difference_quotient([&](double b) { return of(channel_at(b, rate_bd)); }, hz, 2e-3) * hz)
                    .margin(1e-5 * scale));
          CHECK(tangent.slope[1] * rate_bd ==
                Approx(difference_quotient([&](double r) { return of(channel_at(hz, r)); }, rate_bd, 2e-3) *
                       rate_bd)
                    .margin(1e-5 * scale));
        };
        const auto own = static_cast<std::size_t>(channel.response_before);
        for (const std::size_t k : {own, own + 1})
          check(
              found.response[k], [&](const ClockedChannel& c) { return c.response[k]; }, 1.0);
        for (std::size_t m = 0; m < channel.equaliser.size(); ++m)
          check(
              found.equaliser[m], [&](const ClockedChannel& c) { return c.equaliser[m]; }, 1.0);
        check(
            found.delay_s, [](const ClockedChannel& c) { return c.delay_s; }, 1 / rate_bd);
        ChannelTangent gain2;
        for (std::size_t m = 0; m < channel.equaliser.size(); ++m)
          for (std::size_t n = 0; n < channel.equaliser.size(); ++n)
            gain2 += found.equaliser[m] * found.equaliser[n] * found.noise[m > n ? m - n : n - m];
        check(
            gain2, [](const ClockedChannel& c) { return c.noise_gain() * c.noise_gain(); }, 1.0);
      }
}
