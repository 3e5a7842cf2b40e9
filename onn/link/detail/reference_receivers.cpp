#include "onn/link/detail/reference_receivers.hpp"

#include <array>
#include <cmath>
#include <span>

#include <boost/math/quadrature/gauss.hpp>

#include "physics/devices/homodyne.hpp"

namespace optinc {
namespace {

/// What noise adds to the current of a word or sample, A. transmit() departs from homodyne_current_a(), which
/// also has a common mode of the signal where diodes differ.
double noise_a(double current_a, Complex field, const ReferenceReceiver& of, const ReceiverSurroundings& around,
               double seed_noise, Stream& stream) {
  const ReceiverSettings& receiver = around.hardware.receiver;
  const LaserSettings& laser = around.hardware.laser;
  const NoiseSwitches& noise = around.noise;
  const HomodyneNoise variance = homodyne_noise_a2(receiver, laser, std::norm(field));
  const double white = (noise.shot ? variance.shot : 0.0) + (noise.tia ? variance.front_end : 0.0);
  const double leak_per_noise =
      lo_intensity_noise_a(receiver, laser) / relative_intensity_noise(receiver, laser);
  return noise.scale * std::sqrt(white) * stream.normal() +
         seed_noise * (current_a + of.stronger_diode * leak_per_noise);
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

/// What a front end that passes on at most `most_a` makes of a current, A.
double amplified_a(double most_a, const ReferenceReceiver& of, double current_a) {
  const double i = current_a + of.offset_a;
  if (most_a == 0 || std::abs(i) <= most_a) return i;
  return i > 0 ? most_a : -most_a;
}

/// Element n of values in a circle, the first after the last.
template <class Vector>
auto cyclic(const Vector& values, Eigen::Index n) {
  const Eigen::Index size = values.size();
  return values[((n % size) + size) % size];
}

std::array<Lowpass, 2> modulator_and_receiver(const UnitHardware& hardware) {
  return {Lowpass{LowpassShape::one_pole, hardware.modulator.bandwidth_hz},
          Lowpass{LowpassShape::bessel_thomson_4, hardware.receiver.front_end.bandwidth_hz}};
}

/// Weights of the steps between words in a sample at an instant: those of the words from the one `reach` later
/// to that `reach` before.
std::vector<double> step_weights(const UnitHardware& hardware, double instant_s, Eigen::Index reach) {
  const double symbol_s = 1 / hardware.timing.symbol_rate_bd;
  std::vector<double> since_s;
  for (Eigen::Index k = -reach; k <= reach; ++k)
    since_s.push_back(instant_s + static_cast<double>(k) * symbol_s);
  return stepped(modulator_and_receiver(hardware), hardware.timing.sampler, symbol_s, since_s);
}

/// Adds to a sample of word n what levels that follow each other make of it: their steps, so weighted, from the
/// level before them all.
void add_steps(Complex& sample, const Eigen::VectorXcd& levels, Eigen::Index n,
               const std::vector<double>& weights) {
  const auto reach = static_cast<Eigen::Index>(weights.size() / 2);
  sample += cyclic(levels, n - reach - 1);
  for (Eigen::Index k = -reach; k <= reach; ++k)
    sample +=
        (cyclic(levels, n - k) - cyclic(levels, n - k - 1)) * weights[static_cast<std::size_t>(k + reach)];
}

/// Noise of independent samples, so much each, with the correlation that filter and sampler give it.
Eigen::VectorXd correlated(const UnitHardware& hardware, const Eigen::VectorXd& white) {
  const Lowpass receiver = modulator_and_receiver(hardware)[1];
  Eigen::MatrixXd correlation(white.size(), white.size());
  for (Eigen::Index lag = 0; lag < white.size(); ++lag) {
    const double r =
        sample_correlation(receiver, hardware.timing.sampler, 1 / hardware.timing.symbol_rate_bd, lag);
    correlation.diagonal(lag).setConstant(r);
    correlation.diagonal(-lag).setConstant(r);
  }
  return correlation.llt().matrixL() * white;
}

/// Values that a receiver takes of words in succession, the first after the last, A: the levels' steps, each
/// smoothed by modulator and receiver, at an instant of its own; noise of the receiver's band; equaliser. Shot
/// noise is that of the light's words, or, of light that is late, of its samples; light on time turns word by
/// word, late light sample by sample, as in transmit().
Eigen::VectorXd clocked_currents_a(const LightParts& light, const ReferenceReceiver& receiver,
                                   const ReceiverSurroundings& around, Stream& stream) {
  const UnitHardware& hardware = around.hardware;
  const ClockedChannel& channel = *around.channel;
  const Eigen::Index words = light.begin()->second.size(),
                     reach = static_cast<Eigen::Index>(channel.response.size()) + 4;
  std::map<double, std::vector<double>> without_jitter;  // by how late light is
  for (const auto& part : light)
    without_jitter[part.first] = step_weights(hardware, channel.delay_s - part.first, reach);
  const bool on_time = light.size() == 1 && light.contains(0.0);
  LightParts held = light;
  if (on_time) held.at(0.0).array() *= around.turn.array();
  Eigen::VectorXd samples(words), white(words);
  for (Eigen::Index n = 0; n < words; ++n) {
    const double jitter_s =
        around.noise.jitter ? around.noise.scale * hardware.timing.jitter_s * stream.normal() : 0.0;
    Complex sampled = 0.0;
    for (const auto& [late_s, fields] : held)
      add_steps(sampled, fields, n,
                jitter_s == 0 ? without_jitter.at(late_s)
                              : step_weights(hardware, channel.delay_s + jitter_s - late_s, reach));
    if (!on_time) sampled *= around.turn[n];
    samples[n] = homodyne_current_a(hardware.receiver, sampled, receiver.phase_rad);
    white[n] = noise_a(samples[n], on_time ? light.at(0.0)[n] : sampled, receiver, around, around.seed_noise[n],
                       stream);
  }
  if (around.noise.any_receiver_noise()) samples += correlated(hardware, white);
  for (double& i : samples) i = amplified_a(around.overload_a, receiver, i);
  Eigen::VectorXd equalised = Eigen::VectorXd::Zero(words);
  for (Eigen::Index n = 0; n < words; ++n)
    for (std::size_t m = 0; m < channel.equaliser.size(); ++m)
      equalised[n] +=
          channel.equaliser[m] * cyclic(samples, n - static_cast<Eigen::Index>(m) + channel.equaliser_before);
  return equalised;
}

/// Samples of light whose levels are so much late, interpolated between samples.
Eigen::VectorXcd late_samples(const LightParts& light, double step_s) {
  const Eigen::Index samples = light.begin()->second.size();
  Eigen::VectorXcd fields = Eigen::VectorXcd::Zero(samples);
  for (const auto& [late_s, part] : light) {
    const auto before = static_cast<Eigen::Index>(std::floor(late_s / step_s));
    const double rest = late_s / step_s - static_cast<double>(before);
    for (Eigen::Index n = 0; n < samples; ++n)
      fields[n] += (1 - rest) * cyclic(part, n - before) + rest * cyclic(part, n - before - 1);
  }
  return fields;
}

/// What an unclocked receiver hands on at every sample, A: the levels' steps, smoothed by modulator and
/// receiver, and noise smoothed by the receiver alone, less the delay that all lanes have.
Eigen::VectorXd unclocked_currents_a(const LightParts& light, const ReferenceReceiver& receiver,
                                     const ReceiverSurroundings& around, Stream& stream) {
  const UnitHardware& hardware = around.hardware;
  const double step_s = 1 / (samples_per_symbol * hardware.timing.symbol_rate_bd);
  const std::array<Lowpass, 2> stage = modulator_and_receiver(hardware);
  const Eigen::Index samples = light.begin()->second.size(), reach = 16 * samples_per_symbol,
                     delay = std::lround(lowpass_delay_s(stage) / step_s);
  std::vector<double> since_step_s;
  for (Eigen::Index j = 0; j <= reach; ++j) since_step_s.push_back(static_cast<double>(j) * step_s);
  const std::vector<double> both = step_response(stage, since_step_s),
                            alone = step_response(std::span(stage).last(1), since_step_s);
  const Eigen::VectorXcd fields = late_samples(light, step_s).cwiseProduct(around.turn);
  Eigen::VectorXd held_a(samples), drawn_a(samples), currents = Eigen::VectorXd::Zero(samples);
  for (Eigen::Index n = 0; n < samples; ++n) {
    held_a[n] = homodyne_current_a(hardware.receiver, fields[n], receiver.phase_rad);
    drawn_a[n] = noise_a(held_a[n], fields[n], receiver, around, around.seed_noise[n], stream);
  }
  double energy = 0.0;
  for (std::size_t j = 0; j + 1 < alone.size(); ++j) energy += std::pow(alone[j + 1] - alone[j], 2);
  for (Eigen::Index n = 0; n < samples; ++n)
    for (Eigen::Index j = 0; j < reach; ++j) {
      const auto later = static_cast<std::size_t>(j) + 1;
      currents[n] += cyclic(held_a, n + delay - j) * (both[later] - both[later - 1]) +
                     cyclic(drawn_a, n + delay - j) * (alone[later] - alone[later - 1]) / std::sqrt(energy);
    }
  for (double& i : currents) i = amplified_a(around.overload_a, receiver, i);
  return currents;
}

/// Of settled words: i = 2 R sqrt(P_LO) Re(b e^(j (turn - phase))) + noise.
Eigen::VectorXd settled_currents_a(const LightParts& light, const ReferenceReceiver& receiver,
                                   const ReceiverSurroundings& around, Stream& stream) {
  const ReceiverSettings& device = around.hardware.receiver;
  const Eigen::VectorXcd fields = light.at(0.0).cwiseProduct(around.turn);
  Eigen::VectorXd currents(fields.size());
  for (Eigen::Index n = 0; n < fields.size(); ++n) {
    const double mean = homodyne_current_a(device, fields[n], receiver.phase_rad);
    currents[n] = amplified_a(around.overload_a, receiver,
                              mean + noise_a(mean, fields[n], receiver, around, around.seed_noise[n], stream));
  }
  return currents;
}

}  // namespace

Eigen::VectorXd reference_currents_a(const LightParts& light, const ReferenceReceiver& receiver,
                                     const ReceiverSurroundings& around, Stream& stream) {
  if (around.hardware.timing.sampling == Sampling::unclocked)
    return unclocked_currents_a(light, receiver, around, stream);
  if (around.channel) return clocked_currents_a(light, receiver, around, stream);
  return settled_currents_a(light, receiver, around, stream);
}

}  // namespace optinc
