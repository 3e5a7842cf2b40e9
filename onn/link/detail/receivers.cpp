#include "onn/link/detail/receivers.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include "onn/link/detail/receiver_variance.hpp"
#include "physics/core/transpose.hpp"

namespace optinc {
namespace {

constexpr Eigen::Index words_at_once =
    64;  // whole registers; noise of 100 ports stays in the second-level cache
constexpr std::size_t most_stage_samples = 64 * samples_per_symbol;  // in which a receiver settles

/// Adds the noise that is switched on to the currents (ports, words), A, of receivers of these fields.
template <class Real>
void add_noise(const FieldBatchOf<Real>& fields, const StageReceivers& receivers, Stream& stream,
               PlaneOf<Real>& current) {
  const ReceiverSettings& receiver = receivers.device;
  const LaserSettings& laser = receivers.laser;
  const NoiseSwitches& noise = receivers.noise;
  if (!noise.any_receiver_noise()) return;
  const double intensity = noise.rin ? relative_intensity_noise(receiver, laser) : 0.0;
  const auto rin = static_cast<Real>(intensity);
  const auto lo_leak = static_cast<Real>(noise.rin ? lo_intensity_noise_a(receiver, laser) / intensity : 0.0);
  const ReceiverVariance variance = receiver_variance(receiver, noise);
  const auto dark_a2 = static_cast<Real>(variance.dark_a2),
             per_watt_a2 = static_cast<Real>(variance.per_watt_a2);
  // Signal and local oscillator stem from one seed, whose intensity noise is the same on all ports of a symbol.
  // It scales every signal, and what a pair does not reject of the oscillator adds to it; which diode of a pair
  // is the stronger differs from pair to pair.
  const Eigen::Index ports = current.rows(), common = rin > 0 ? 1 : 0;
  // a word's stand together: the seed's, then the ports'
  Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic> drawn(ports + common, words_at_once);
  PlaneOf<Real> rows(ports + common, words_at_once);  // the same, a port's together
  for (Eigen::Index first = 0; first < current.cols(); first += words_at_once) {
    const Eigen::Index words = std::min(words_at_once, current.cols() - first);
    stream.normals(std::span(drawn.data(), static_cast<std::size_t>(drawn.rows() * words)));
    assign_by_rows<Real>(static_cast<Real>(noise.scale), drawn.leftCols(words), rows.leftCols(words));
    const auto seed_noise = rin * rows.row(0).head(words).array();
    for (Eigen::Index p = 0; p < ports; ++p) {
      auto own = rows.row(common + p).head(words).array();
      if (per_watt_a2 > 0) {
        const auto times_rms = [&](const auto& power_w) { own *= (dark_a2 + per_watt_a2 * power_w).sqrt(); };
        const auto re = fields.re.row(p).segment(first, words).array();
        if (fields.im.size() == 0)
          times_rms(re.square());
        else
          times_rms(re.square() + fields.im.row(p).segment(first, words).array().square());
      } else {
        own *= std::sqrt(dark_a2);
      }
      auto i = current.row(p).segment(first, words).array();
      if (rin > 0)
        i += seed_noise * (i + (p % 2 == 0 ? lo_leak : -lo_leak)) + own;
      else
        i += own;
    }
  }
}

/// Currents (ports, words), A, as clocked receivers sample them.
template <class Plane>
Plane sampled(const Plane& current, const StageInTime& stage, double jitter_s, Stream& stream) {
  const ClockedChannel& channel = *stage.clocked;
  const Eigen::Index words = current.cols() / std::max(stage.late_parts, 1);
  const auto part = [&](int p, const std::vector<double>& taps) -> Plane {
    if (stage.late_parts == 0) return along_words(current, taps, channel.response_before);
    return current.middleCols(p * words, words);
  };
  Plane samples = part(0, channel.response);
  if (jitter_s == 0.0) return samples;
  Plane late_s(current.rows(), words);
  stream.normals(std::span(late_s.data(), static_cast<std::size_t>(late_s.size())));
  late_s *= static_cast<typename Plane::Scalar>(jitter_s);
  return samples +
         late_s.cwiseProduct(part(1, channel.slope) + late_s.cwiseProduct(part(2, channel.curvature)) / 2);
}

/// Homodyne currents without noise, A: the part of the light in phase with each receiver's oscillator.
template <class Real>
PlaneOf<Real> homodyne_currents(const FieldBatchOf<Real>& fields, const StageReceivers& receivers) {
  const auto per_field = static_cast<Real>(homodyne_current_per_field(receivers.device));
  PlaneOf<Real> current = per_field * fields.re;
  if (receivers.oscillator_rad.size() > 0) {
    const VectorOf<Real> cosine = receivers.oscillator_rad.array().cos().template cast<Real>(),
                         sine = receivers.oscillator_rad.array().sin().template cast<Real>();
    current = cosine.asDiagonal() * current + per_field * (sine.asDiagonal() * fields.im).eval();
  }
  return current;
}

/// What front ends pass on: currents with their offsets, up to their overload.
template <class Real>
void amplify(const StageReceivers& receivers, PlaneOf<Real>& current) {
  if (receivers.offset_a.size() > 0) current.colwise() += receivers.offset_a.template cast<Real>();
  const auto most_a = static_cast<Real>(receivers.device.overload_a);
  if (most_a > 0) current = current.cwiseMax(-most_a).cwiseMin(most_a);
}

}  // namespace

std::optional<AnalogueStage> analogue_stage(const UnitHardware& u) {
  if (u.timing.sampling != Sampling::unclocked) return std::nullopt;
  AnalogueStage made = {stage_lowpasses(u), 1 / (samples_per_symbol * u.timing.symbol_rate_bd)};
  made.delay = std::lround(lowpass_delay_s(made.stage) / made.step_s);
  std::vector<double> pulse(most_stage_samples, 0.0);
  pulse[0] = 1.0;
  double energy = 0.0;
  for (const double g : filter_held(std::span(made.stage).last(1), made.step_s, pulse)) energy += g * g;
  made.noise_gain = std::sqrt(energy);
  return made;
}

Neighbours neighbours(const StageInTime& stage, const UnitHardware& hardware) {
  if (stage.clocked) {
    // late light is shifted twice, by a symbol each time at most
    const Eigen::Index late = stage.late_parts > 0 ? 2 : 0;
    const auto length = static_cast<Eigen::Index>(stage.clocked->equalised().size()) + 2 * late;
    const Eigen::Index later = stage.clocked->own() + late;
    return {length - 1 - later, later};
  }
  if (!stage.analogue) return {};
  const auto& [modulator, receiver] = stage.analogue->stage;
  const ClockedChannel once = clocked_channel(modulator, receiver, hardware.timing.symbol_rate_bd);
  const Eigen::Index reach = static_cast<Eigen::Index>(once.response.size()), late = stage.late_parts;
  return {reach + late, 2 + late};
}

template <class Real>
PlaneOf<Real> detect(const FieldBatchOf<Real>& fields, const StageReceivers& receivers,
                     const StageInTime& in_time, Stream& stream) {
  const NoiseSwitches& noise = receivers.noise;
  PlaneOf<Real> current = homodyne_currents(fields, receivers);
  if (const auto& channel = in_time.clocked) {
    const PlaneOf<Real> samples =
        sampled(current, in_time, noise.jitter ? noise.scale * receivers.jitter_s : 0.0, stream);
    current = samples;  // noise of late light is that of its samples
    add_noise(fields, receivers, stream, current);
    if (noise.any_receiver_noise())
      current = samples + along_words<PlaneOf<Real>>(current - samples, channel->colour, 0);
    amplify<Real>(receivers, current);
    return along_words(current, channel->equaliser, channel->equaliser_before);
  }
  if (const auto& analogue = in_time.analogue) {
    PlaneOf<Real> drawn;
    if (noise.any_receiver_noise()) {
      drawn = current;
      add_noise(fields, receivers, stream, drawn);
      drawn = (drawn - current) / static_cast<Real>(analogue->noise_gain);
    }
    current = filter_held<Real>(analogue->stage, analogue->step_s, current, drawn, analogue->delay);
  } else {
    add_noise(fields, receivers, stream, current);
  }
  amplify<Real>(receivers, current);
  return current;
}

template PlaneOf<double> detect(const FieldBatch&, const StageReceivers&, const StageInTime&, Stream&);
template PlaneOf<float> detect(const FieldBatchOf<float>&, const StageReceivers&, const StageInTime&, Stream&);

}  // namespace optinc
