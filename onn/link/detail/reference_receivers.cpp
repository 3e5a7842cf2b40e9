#include "onn/link/detail/reference_receivers.hpp"

#include <array>
#include <cmath>
#include <span>

#include <boost/math/quadrature/gauss.hpp>

#include "physics/devices/homodyne.hpp"

namespace optinc {
namespace {

/// What noise adds to a current, A. `seed_noise` is dI/I of the seed laser, the same at all receivers of a
/// layer. transmit() departs from two devices: homodyne_current_a() also has a common mode of the signal where
/// diodes differ, and noisy_homodyne_current_a() draws the oscillator's intensity noise for every receiver by
/// itself and has none on the signal.
double noise_a(double current_a, Complex field, const ReferenceReceiver& at, const UnitHardware& hardware,
               const NoiseSwitches& noise, double seed_noise, Stream& stream) {
  const ReceiverSettings& receiver = hardware.receiver;
  const HomodyneNoise variance = homodyne_noise_a2(receiver, hardware.laser, std::norm(field));
  const double white = (noise.shot ? variance.shot : 0.0) + (noise.tia ? variance.front_end : 0.0);
  const double leak_per_noise =
      lo_intensity_noise_a(receiver, hardware.laser) / relative_intensity_noise(receiver, hardware.laser);
  return noise.scale * std::sqrt(white) * stream.normal() +
         seed_noise * (current_a + at.stronger_diode * leak_per_noise);
}

/// Integral over an interval of what is smooth within.
template <class Function>
double integral(const Function& f, double from, double to) {
  return boost::math::quadrature::gauss<double, 15>::integrate(f, from, to);
}

/// What a sampler takes of a step, so many seconds after it.
std::vector<double> stepped(std::span<const Lowpass> stage, Sampler sampler, double symbol_s,
                            const std::vector<double>& since_s) {
  if (sampler == Sampler::track_and_hold) return step_response(stage, since_s);
  const auto step = [&](double t) { return step_response(stage, std::span(&t, 1))[0]; };
  std::vector<double> taken;
  for (const double t : since_s)
    taken.push_back(t > 0 ? integral(step, std::max(0.0, t - symbol_s), t) / symbol_s : 0.0);
  return taken;
}

/// Correlation of the noise of samples so many symbols apart.
double sample_correlation(const Lowpass& receiver, Sampler sampler, double symbol_s, Eigen::Index lag) {
  const auto r = [&](double t) { return noise_correlation(std::span(&receiver, 1), t); };
  const double lag_s = static_cast<double>(lag) * symbol_s;
  if (sampler == Sampler::track_and_hold) return r(lag_s);
  const auto both = [&](double u) { return (1 - std::abs(u) / symbol_s) * r(lag_s + u) / symbol_s; };
  return integral(both, -symbol_s, 0) + integral(both, 0, symbol_s);
}

/// What its front end makes of a current, A.
double amplified_a(const ReceiverSettings& receiver, const ReferenceReceiver& at, double current_a) {
  const double i = current_a + at.offset_a, most_a = receiver.overload_a;
  if (most_a == 0 || std::abs(i) <= most_a) return i;
  return i > 0 ? most_a : -most_a;
}

/// Values that a receiver takes of words in succession, the first after the last, A: the levels' steps, each
/// smoothed by modulator and receiver, at an instant of its own; noise of the receiver's band; equaliser. Of
/// `channel`, only the instant and the taps that were chosen count. Shot noise is that of the light's words,
/// or, of light that is late, of its samples.
Eigen::VectorXd clocked_currents_a(const LightParts& light, const ReferenceReceiver& at,
                                   const UnitHardware& hardware, const NoiseSwitches& noise,
                                   const Eigen::VectorXd& seed_noise, const ClockedChannel& channel,
                                   Stream& stream) {
  const double symbol_s = 1 / hardware.timing.symbol_rate_bd;
  const Lowpass receiver = {LowpassShape::bessel_thomson_4, hardware.receiver.front_end.bandwidth_hz};
  const std::array<Lowpass, 2> stage = {Lowpass{LowpassShape::one_pole, hardware.modulator.bandwidth_hz},
                                        receiver};
  const Sampler sampler = hardware.timing.sampler;
  const Eigen::Index words = light.begin()->second.size(),
                     reach = static_cast<Eigen::Index>(channel.response.size()) + 4;
  const auto word = [&](Eigen::Index n) { return ((n % words) + words) % words; };
  const auto steps_since = [&](double instant_s) {  // of the words from the one `reach` later to that before
    std::vector<double> since_s;
    for (Eigen::Index k = -reach; k <= reach; ++k)
      since_s.push_back(instant_s + static_cast<double>(k) * symbol_s);
    return stepped(stage, sampler, symbol_s, since_s);
  };
  std::map<double, std::vector<double>> in_time;  // without jitter, by how late light is
  for (const auto& part : light) in_time[part.first] = steps_since(channel.delay_s - part.first);
  Eigen::VectorXd samples(words), white(words);
  const bool on_time = light.size() == 1 && light.contains(0.0);
  LightParts held = light;
  if (on_time) held.at(0.0).array() *= at.turn.array();
  for (Eigen::Index n = 0; n < words; ++n) {
    const double jitter_s = noise.jitter ? noise.scale * hardware.timing.jitter_s * stream.normal() : 0.0;
    Complex sampled = 0.0;
    for (const auto& [late_s, fields] : held) {
      const std::vector<double> step =
          jitter_s == 0 ? in_time.at(late_s) : steps_since(channel.delay_s + jitter_s - late_s);
      sampled += fields[word(n - reach - 1)];
      for (Eigen::Index k = -reach; k <= reach; ++k)
        sampled += (fields[word(n - k)] - fields[word(n - k - 1)]) * step[static_cast<std::size_t>(k + reach)];
    }
    if (!on_time) sampled *= at.turn[n];  // as transmit() does
    samples[n] = homodyne_current_a(hardware.receiver, sampled, at.phase_rad);
    white[n] =
        noise_a(samples[n], on_time ? light.at(0.0)[n] : sampled, at, hardware, noise, seed_noise[n], stream);
  }
  if (noise.any_receiver_noise()) {
    Eigen::MatrixXd correlation(words, words);
    for (Eigen::Index lag = 0; lag < words; ++lag) {
      const double r = sample_correlation(receiver, sampler, symbol_s, lag);
      correlation.diagonal(lag).setConstant(r);
      correlation.diagonal(-lag).setConstant(r);
    }
    samples += correlation.llt().matrixL() * white;
  }
  for (double& i : samples) i = amplified_a(hardware.receiver, at, i);
  Eigen::VectorXd equalised = Eigen::VectorXd::Zero(words);
  for (Eigen::Index n = 0; n < words; ++n)
    for (std::size_t m = 0; m < channel.equaliser.size(); ++m)
      equalised[n] +=
          channel.equaliser[m] * samples[word(n - static_cast<Eigen::Index>(m) + channel.equaliser_before)];
  return equalised;
}

/// What an unclocked receiver hands on at every sample, A: the levels' steps, smoothed by modulator and
/// receiver, and noise smoothed by the receiver alone, less the delay that all lanes have. Levels of late light
/// are interpolated between samples.
Eigen::VectorXd unclocked_currents_a(const LightParts& light, const ReferenceReceiver& at,
                                     const UnitHardware& hardware, const NoiseSwitches& noise,
                                     const Eigen::VectorXd& seed_noise, Stream& stream) {
  const double step_s = 1 / (samples_per_symbol * hardware.timing.symbol_rate_bd);
  const std::array<Lowpass, 2> stage = {
      Lowpass{LowpassShape::one_pole, hardware.modulator.bandwidth_hz},
      Lowpass{LowpassShape::bessel_thomson_4, hardware.receiver.front_end.bandwidth_hz}};
  const Eigen::Index samples = light.begin()->second.size(), reach = 16 * samples_per_symbol,
                     delay = std::lround(lowpass_delay_s(stage) / step_s);
  std::vector<double> since_step_s;
  for (Eigen::Index j = 0; j <= reach; ++j) since_step_s.push_back(static_cast<double>(j) * step_s);
  const std::vector<double> smooth = step_response(stage, since_step_s),
                            receiver = step_response(std::span(stage).last(1), since_step_s);
  const auto around = [&](Eigen::Index n) { return ((n % samples) + samples) % samples; };
  Eigen::VectorXcd fields = Eigen::VectorXcd::Zero(samples);
  for (const auto& [late_s, part] : light) {
    const auto before = static_cast<Eigen::Index>(std::floor(late_s / step_s));
    const double rest = late_s / step_s - static_cast<double>(before);
    for (Eigen::Index n = 0; n < samples; ++n)
      fields[n] += (1 - rest) * part[around(n - before)] + rest * part[around(n - before - 1)];
  }
  fields.array() *= at.turn.array();
  Eigen::VectorXd held_a(samples), drawn_a(samples), currents = Eigen::VectorXd::Zero(samples);
  for (Eigen::Index n = 0; n < samples; ++n) {
    held_a[n] = homodyne_current_a(hardware.receiver, fields[n], at.phase_rad);
    drawn_a[n] = noise_a(held_a[n], fields[n], at, hardware, noise, seed_noise[n], stream);
  }
  double energy = 0.0;
  for (std::size_t j = 0; j + 1 < receiver.size(); ++j) energy += std::pow(receiver[j + 1] - receiver[j], 2);
  for (Eigen::Index n = 0; n < samples; ++n)
    for (Eigen::Index j = 0; j < reach; ++j) {
      const Eigen::Index from = around(n + delay - j);
      const auto later = static_cast<std::size_t>(j) + 1;
      currents[n] += held_a[from] * (smooth[later] - smooth[later - 1]) +
                     drawn_a[from] * (receiver[later] - receiver[later - 1]) / std::sqrt(energy);
    }
  for (double& i : currents) i = amplified_a(hardware.receiver, at, i);
  return currents;
}

}  // namespace

Eigen::VectorXd reference_currents_a(const LightParts& light, const ReferenceReceiver& at,
                                     const UnitHardware& hardware, const NoiseSwitches& noise,
                                     const Eigen::VectorXd& seed_noise,
                                     const std::optional<ClockedChannel>& channel, Stream& stream) {
  if (hardware.timing.sampling == Sampling::unclocked)
    return unclocked_currents_a(light, at, hardware, noise, seed_noise, stream);
  if (channel) return clocked_currents_a(light, at, hardware, noise, seed_noise, *channel, stream);
  const Eigen::VectorXcd fields = light.at(0.0).cwiseProduct(at.turn);
  Eigen::VectorXd currents(fields.size());
  for (Eigen::Index n = 0; n < fields.size(); ++n) {
    const double mean = homodyne_current_a(hardware.receiver, fields[n], at.phase_rad);
    currents[n] = amplified_a(hardware.receiver, at,
                              mean + noise_a(mean, fields[n], at, hardware, noise, seed_noise[n], stream));
  }
  return currents;
}

}  // namespace optinc
