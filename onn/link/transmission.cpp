#include "onn/link/transmission.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <span>

#include "onn/link/detail/electronics.hpp"
#include "onn/link/detail/light_path.hpp"
#include "onn/link/detail/receiver_variance.hpp"
#include "onn/link/unit_p.hpp"
#include "physics/core/check.hpp"
#include "physics/core/parallel.hpp"
#include "physics/devices/adc.hpp"
#include "physics/devices/power_divider.hpp"
#include "physics/random/stream.hpp"

namespace optinc {
namespace {

constexpr Eigen::Index block_words = 512;
// of one block of words: the neurons' and, one each, the servers'
constexpr std::uint32_t streams_per_block = 128;
constexpr std::size_t most_stage_samples = 64 * samples_per_symbol;  // in which a receiver settles
constexpr Eigen::Index normals_at_once = 2048;  // 16 kB: they are used from the first-level cache

/// Adds the noise that is switched on to the currents (ports, words), A, of receivers of these fields.
void add_noise(const FieldBatch& fields, const UnitHardware& hardware, const NoiseSwitches& noise,
               Stream& stream, FieldBatch::Plane& current) {
  if (!noise.any_receiver_noise()) return;
  const ReceiverSettings& receiver = hardware.receiver;
  const double rin = noise.rin ? relative_intensity_noise(receiver, hardware.laser) : 0.0;
  const double lo_leak = noise.rin ? lo_intensity_noise_a(receiver, hardware.laser) / rin : 0.0;
  const ReceiverVariance variance = receiver_variance(receiver, noise);
  // Signal and local oscillator stem from one seed, whose intensity noise is the same on all ports of a symbol.
  // It scales every signal, and what a pair does not reject of the oscillator adds to it; which diode of a pair
  // is the stronger differs from pair to pair.
  const Eigen::Index ports = current.rows(), common = rin > 0 ? 1 : 0;
  const Eigen::Index words_at_once = std::max<Eigen::Index>(1, normals_at_once / (ports + common));
  Eigen::MatrixXd drawn(ports + common, words_at_once);  // a word's stand together: the seed's, then the ports'
  for (Eigen::Index first = 0; first < current.cols(); first += words_at_once) {
    const Eigen::Index words = std::min(words_at_once, current.cols() - first);
    stream.normals(std::span(drawn.data(), static_cast<std::size_t>(drawn.rows() * words)));
    for (Eigen::Index p = 0; p < ports; ++p) {
      const double leak = p % 2 == 0 ? lo_leak : -lo_leak;
      for (Eigen::Index w = 0; w < words; ++w) {
        double& i = current(p, first + w);
        double squared_a2 = variance.dark_a2;
        if (variance.per_watt_a2 > 0) {
          const double re = fields.re(p, first + w), im = fields.im(p, first + w);
          squared_a2 += variance.per_watt_a2 * (re * re + im * im);
        }
        const double seed_noise = rin > 0 ? rin * drawn(0, w) : 0.0;
        i += seed_noise * (i + leak) + std::sqrt(squared_a2) * drawn(common + p, w);
      }
    }
  }
}

/// out[p, n] = sum_k taps_k in[p, n - k], k from -before on; words beyond the first and last count as 0.
FieldBatch::Plane along_words(const FieldBatch::Plane& in, const std::vector<double>& taps, int before) {
  FieldBatch::Plane out = FieldBatch::Plane::Zero(in.rows(), in.cols());
  for (std::size_t at = 0; at < taps.size(); ++at) {
    const Eigen::Index k = static_cast<Eigen::Index>(at) - before, words = in.cols() - std::abs(k);
    if (words <= 0) continue;
    out.middleCols(std::max<Eigen::Index>(k, 0), words) +=
        taps[at] * in.middleCols(std::max<Eigen::Index>(-k, 0), words);
  }
  return out;
}

/// Currents (ports, words), A, as clocked receivers sample them.
FieldBatch::Plane sampled(const FieldBatch::Plane& current, const ClockedChannel& channel, double jitter_s,
                          Stream& stream) {
  FieldBatch::Plane samples = along_words(current, channel.response, channel.response_before);
  if (jitter_s == 0.0) return samples;
  FieldBatch::Plane late_s(current.rows(), current.cols());
  stream.normals(std::span(late_s.data(), static_cast<std::size_t>(late_s.size())));
  late_s *= jitter_s;
  const auto changing = [&](const std::vector<double>& taps) {
    return along_words(current, taps, channel.response_before);
  };
  return samples +
         late_s.cwiseProduct(changing(channel.slope) + late_s.cwiseProduct(changing(channel.curvature)) / 2);
}

/// From the modulators of one layer to the rectifiers of the next, without a clock.
struct AnalogueStage {
  std::array<Lowpass, 2> stage;  ///< modulator, receiver
  double step_s = 0.0;           ///< from sample to sample
  Eigen::Index delay = 0;        ///< samples that a level comes later, which all lanes wait for
  double noise_gain = 1.0;       ///< rms that the receiver makes of white samples of rms 1
};

std::optional<AnalogueStage> analogue_stage(const UnitHardware& u) {
  if (u.timing.sampling != Sampling::unclocked) return std::nullopt;
  AnalogueStage made = {{Lowpass{LowpassShape::one_pole, u.modulator.bandwidth_hz},
                         Lowpass{LowpassShape::bessel_thomson_4, u.receiver.front_end.bandwidth_hz}},
                        1 / (samples_per_symbol * u.timing.symbol_rate_bd)};
  made.delay = std::lround(lowpass_delay_s(made.stage) / made.step_s);
  std::vector<double> pulse(most_stage_samples, 0.0);
  pulse[0] = 1.0;
  double energy = 0.0;
  for (const double g : filter_held(std::span(made.stage).last(1), made.step_s, pulse)) energy += g * g;
  made.noise_gain = std::sqrt(energy);
  return made;
}

/// Samples (ports, time) behind a filter, each lane from rest, less the stage's delay.
FieldBatch::Plane smoothed(const FieldBatch::Plane& in, std::span<const Lowpass> filter,
                           const AnalogueStage& stage) {
  FieldBatch::Plane out = FieldBatch::Plane::Zero(in.rows(), in.cols());
  const Eigen::Index kept = in.cols() - stage.delay;
  for (Eigen::Index p = 0; p < in.rows(); ++p) {
    const auto all =
        filter_held(filter, stage.step_s, std::span(in.row(p).data(), static_cast<std::size_t>(in.cols())));
    for (Eigen::Index n = 0; n < kept; ++n) out(p, n) = all[static_cast<std::size_t>(n + stage.delay)];
  }
  return out;
}

/// Homodyne currents (ports, words), A, of fields against local oscillators of these phases (none: in phase),
/// with the noise that is switched on; of words in succession where `channel` is given, otherwise settled.
FieldBatch::Plane detect(const FieldBatch& fields, const UnitHardware& hardware,
                         const Eigen::VectorXd* phase_rad, const ClockedChannel* channel,
                         const AnalogueStage* analogue, const NoiseSwitches& noise, Stream& stream) {
  const ReceiverSettings& receiver = hardware.receiver;
  FieldBatch::Plane current = homodyne_current_per_field(receiver) * fields.re;
  if (phase_rad != nullptr)
    current = phase_rad->array().cos().matrix().asDiagonal() * current +
              homodyne_current_per_field(receiver) *
                  (phase_rad->array().sin().matrix().asDiagonal() * fields.im).eval();
  if (channel != nullptr) {
    const FieldBatch::Plane samples =
        sampled(current, *channel, noise.jitter ? hardware.timing.jitter_s : 0.0, stream);
    current = samples;
    add_noise(fields, hardware, noise, stream, current);
    if (noise.any_receiver_noise()) current = samples + along_words(current - samples, channel->colour, 0);
    return along_words(current, channel->equaliser, channel->equaliser_before);
  }
  if (analogue != nullptr) {
    FieldBatch::Plane noisy = current;
    add_noise(fields, hardware, noise, stream, noisy);
    const FieldBatch::Plane drawn = (noisy - current) / analogue->noise_gain;
    current = smoothed(current, analogue->stage, *analogue);
    if (noise.any_receiver_noise()) current += smoothed(drawn, std::span(analogue->stage).last(1), *analogue);
    return current;
  }
  add_noise(fields, hardware, noise, stream, current);
  return current;
}

/// What fabrication left of a chip's electronics.
struct Fabricated {
  CombinerWeights combiners;
  std::vector<Eigen::VectorXd> ceilings;        ///< of neurons; empty where they are hard and the network's own
  std::vector<Eigen::VectorXd> oscillator_rad;  ///< of receivers; empty where all are in phase
  std::optional<ClockedChannel> channel;        ///< of every stage with a clock
  std::optional<AnalogueStage> analogue;        ///< of every stage without; neither: settled
};

Eigen::MatrixXd transmit_block(const LitUnit& unit, const Fabricated& fabricated,
                               const std::vector<LayerPath>& paths, const Eigen::Ref<const Codes>& codes,
                               const TransmissionSeed& seed, std::uint32_t block, NoisyReceivers receivers) {
  const auto& [design, chip, hardware, noise] = unit;
  std::vector<double> lock_phase(static_cast<std::size_t>(design.task.servers), 0.0);
  const bool coherent = hardware.link.averaging == Averaging::coherent;
  if (coherent && noise.lock) {
    const double lock_rms = lock_rms_rad(hardware);
    Stream stream(seed.seed, Purpose::lock_error, seed.chip, block, seed.instant);
    for (double& phase : lock_phase) phase = lock_rms * stream.normal();
  }
  // one stream for the chip's neurons, which all servers share, and one for each server's own receiver
  const std::uint32_t first = block * streams_per_block;
  Stream neurons(seed.seed, Purpose::receiver_noise, seed.chip, first, seed.instant);
  Stream server(seed.seed, Purpose::receiver_noise, seed.chip, first + 1 + seed.server, seed.instant);

  Stream averages(seed.seed, Purpose::average_noise, seed.chip, first, seed.instant);
  const FieldBatch lanes =
      coherent ? unit_p(design.task, hardware, fabricated.combiners, codes, lock_phase)
               : incoherent_unit_p(design.task, hardware, noise.last_only ? NoiseSwitches{} : noise,
                                   fabricated.combiners, codes, averages);
  std::vector<FieldBatch> behind(design.layers.size());
  Eigen::MatrixXd answer(design.task.output_digits(), codes.rows());
  Eigen::Index digit = 0;
  for (std::size_t l = 0; l < design.layers.size(); ++l) {
    const LayerDesign& layer = design.layers[l];
    const int source = layer.lanes[0].source;
    const FieldBatch& whole = source < 0 ? lanes : behind[static_cast<std::size_t>(source)];
    const bool last = layer.ending == LayerEnd::servers;
    const bool noisy = last ? receivers == NoisyReceivers::all : !noise.last_only;
    const NoiseSwitches acting = noisy ? noise : NoiseSwitches{};
    const FieldBatch made =
        paths[l].inputs_unchanged ? FieldBatch() : gathered(layer, paths[l], lanes, behind, hardware);
    FieldBatch out = apply_transfer(paths[l].transfer, paths[l].inputs_unchanged ? whole : made,
                                    !layer.received() || acting.shot || !fabricated.oscillator_rad.empty());
    if (!layer.received()) {
      behind[l] = std::move(out);
      continue;
    }
    const ClockedChannel* channel = fabricated.channel ? &*fabricated.channel : nullptr;
    const AnalogueStage* analogue = fabricated.analogue ? &*fabricated.analogue : nullptr;
    const Eigen::VectorXd* phase = fabricated.oscillator_rad.empty() ? nullptr : &fabricated.oscillator_rad[l];
    FieldBatch::Plane values =
        (paths[l].gain * detect(out, hardware, phase, channel, analogue, acting, last ? server : neurons))
            .colwise() +
        paths[l].bias;
    if (!last) {
      behind[l] = FieldBatch(values.rows(), values.cols());
      FieldBatch::Plane& drives = behind[l].re;
      const double full_scale = std::sqrt(hardware.link.signal_full_scale_w);
      if (fabricated.ceilings.empty())
        values = values.cwiseMax(0.0).cwiseMin(layer.ceiling);
      else
        limit(values, fabricated.ceilings[l], hardware.link.limiter_knee);
      drives = full_scale / layer.largest_output * (values.array() + layer.offset);
      if (paths[l].undimmed) drives = drives.cwiseMax(-full_scale).cwiseMin(full_scale);
      continue;
    }
    answer.middleRows(digit, values.rows()) = values;
    digit += values.rows();
  }
  return answer;
}

/// What a server's converter makes of a block's outputs.
void convert(const UnitHardware& hardware, const TransmissionSeed& seed, std::uint32_t block,
             Eigen::MatrixXd& answer) {
  Stream converter(seed.seed, Purpose::converter_noise, seed.chip, block * streams_per_block + 1 + seed.server,
                   seed.instant);
  Eigen::MatrixXd drawn(answer.rows(), answer.cols());
  converter.normals(std::span(drawn.data(), static_cast<std::size_t>(drawn.size())));
  answer += adc_noise(hardware.converter) * drawn;
  quantise_digits(hardware.converter, answer);
}

/// Words around a block whose interference reaches it.
struct Neighbours {
  Eigen::Index earlier = 0, later = 0;
};

Neighbours neighbours(const ChipDesign& design, const UnitHardware& hardware, const Fabricated& fabricated) {
  const auto stages = std::ranges::count_if(design.layers, [](const LayerDesign& l) { return l.received(); });
  if (fabricated.channel) {
    const auto length = static_cast<Eigen::Index>(fabricated.channel->equalised().size());
    const Eigen::Index later = stages * fabricated.channel->own();
    return {stages * (length - 1) - later, later};
  }
  if (!fabricated.analogue) return {};
  const auto& [modulator, receiver] = fabricated.analogue->stage;
  const ClockedChannel once = clocked_channel(modulator, receiver, hardware.timing.symbol_rate_bd);
  return {stages * static_cast<Eigen::Index>(once.response.size()), 2 * stages + 2};
}

/// Words of a block with their neighbours, the last word before the first; a row for every sample.
Codes in_succession(const Codes& codes, Eigen::Index first, Eigen::Index words, const Neighbours& around,
                    Eigen::Index samples) {
  Codes sent((around.earlier + words + around.later) * samples, codes.cols());
  const Eigen::Index rounds = codes.rows() > 0 ? around.earlier / codes.rows() + 1 : 0;
  for (Eigen::Index w = 0; w < sent.rows(); ++w)
    sent.row(w) = codes.row((first + w / samples - around.earlier + rounds * codes.rows()) % codes.rows());
  return sent;
}

/// For every digit the sample after the start of a word that is nearest to the settled output, over these
/// words, without noise.
std::vector<Eigen::Index> best_instants(const Eigen::MatrixXd& waveform, const Eigen::MatrixXd& settled) {
  std::vector<Eigen::Index> best;
  for (Eigen::Index m = 0; m < settled.rows(); ++m) {
    Eigen::VectorXd off(2 * samples_per_symbol);
    for (Eigen::Index k = 0; k < off.size(); ++k) {
      off[k] = 0.0;
      for (Eigen::Index w = 0; w < settled.cols(); ++w)
        off[k] += std::pow(waveform(m, w * samples_per_symbol + k) - settled(m, w), 2);
    }
    Eigen::Index at = 0;
    off.minCoeff(&at);
    best.push_back(at);
  }
  return best;
}

}  // namespace

void quantise_digits(const AdcSettings& converter, Eigen::Ref<Eigen::MatrixXd> digits) {
  for (double& y : digits.reshaped()) y = 1.5 + adc_quantise(converter, y - 1.5);
}

Eigen::MatrixXd transmit(const LitUnit& unit, const Codes& codes, const TransmissionSeed& seed,
                         NoisyReceivers receivers) {
  const ChipDesign& design = unit.design;
  validate_hardware(unit.hardware);
  validate(codes.cols() == design.task.servers,
           "codes of {} servers meet a unit for {} (one column per server). "
           "Send (words, {}).",
           codes.cols(), design.task.servers, design.task.servers);
  validate(seed.server < static_cast<std::uint32_t>(design.task.servers),
           "received at server {} of {} (0..{}). "
           "Choose one of them.",
           seed.server, design.task.servers, design.task.servers - 1);
  constexpr Eigen::Index most_words = block_words * (Eigen::Index{1} << 32) / streams_per_block;
  validate(codes.rows() <= most_words,
           "{} words at once (at most {}: each block of words has noise of its own). "
           "Send them in parts, at instants of their own.",
           codes.rows(), most_words);
  const LinkSettings& link = unit.hardware.link;
  const Fabricated fabricated = {draw_combiners(design.task, unit.hardware, seed.seed, seed.chip),
                                 fabricated_ceilings(design, link, seed.seed, seed.chip),
                                 oscillator_phases(design, link, seed.seed, seed.chip, seed.server),
                                 stage_channel(unit.hardware), analogue_stage(unit.hardware)};
  const std::vector<LayerPath> paths = layer_paths(unit);
  const Neighbours around = neighbours(design, unit.hardware, fabricated);
  const Eigen::Index samples = fabricated.analogue ? samples_per_symbol : 1;
  const auto sent = [&](const LitUnit& lit, Eigen::Index block, Eigen::Index words) {
    const Codes rows = in_succession(codes, block * block_words, words, around, samples);
    const Eigen::MatrixXd all =
        transmit_block(lit, fabricated, paths, rows, seed, static_cast<std::uint32_t>(block), receivers);
    return Eigen::MatrixXd(all.rightCols(all.cols() - around.earlier * samples));
  };
  std::vector<Eigen::Index> instants(static_cast<std::size_t>(design.task.output_digits()), 0);
  if (fabricated.analogue && codes.rows() > 0) {
    UnitHardware slow = unit.hardware;
    slow.timing.sampling = Sampling::settled;
    const Eigen::Index words = std::min(block_words, codes.rows());
    instants = best_instants(sent({design, unit.chip, unit.hardware}, 0, words),
                             transmit({design, unit.chip, slow}, codes.topRows(words), seed));
  }
  Eigen::MatrixXd outputs(design.task.output_digits(), codes.rows());
  const Eigen::Index blocks = (codes.rows() + block_words - 1) / block_words;
  parallel_for(blocks, [&](Eigen::Index i) {
    const Eigen::Index first = i * block_words, words = std::min(block_words, codes.rows() - first);
    const Eigen::MatrixXd waveform = sent(unit, i, words);
    Eigen::MatrixXd answer(waveform.rows(), words);
    for (Eigen::Index m = 0; m < answer.rows(); ++m)
      for (Eigen::Index w = 0; w < words; ++w)
        answer(m, w) = waveform(m, w * samples + instants[static_cast<std::size_t>(m)]);
    if (unit.noise.converter && receivers == NoisyReceivers::all)
      convert(unit.hardware, seed, static_cast<std::uint32_t>(i), answer);
    outputs.middleCols(first, words) = answer;
  });
  return outputs;
}

}  // namespace optinc
