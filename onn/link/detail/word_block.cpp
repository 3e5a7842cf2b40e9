#include "onn/link/detail/word_block.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "onn/link/detail/electronics.hpp"
#include "physics/random/stream.hpp"

namespace optinc {
namespace {

/// Random numbers of one block of words, from a stream for each source of noise.
struct BlockStreams {
  Stream locks;      ///< phases of the servers' fibres
  Stream averages;   ///< lasers and receivers of incoherent averages
  Stream linewidth;  ///< phases of light against oscillators
  Stream neurons;    ///< receivers of the chip, whose outputs all servers share
  Stream server;     ///< receivers of the one server
  Stream observer;   ///< receivers at an observer's instants
};

/// Blocks of words in succession during which locks keep their phases, link.lock_coherence_s in symbols: of a
/// block, the number by which its phases are drawn.
std::uint32_t held_locks(const UnitHardware& hardware, std::uint32_t block) {
  if (hardware.timing.sampling == Sampling::settled) return block;
  const double held = hardware.link.lock_coherence_s * hardware.timing.symbol_rate_bd / block_words;
  return held > 1 ? static_cast<std::uint32_t>(block / held) : block;
}

BlockStreams block_streams(const TransmissionSeed& seed, const UnitHardware& hardware, std::uint32_t block) {
  const auto stream = [&](Purpose purpose, std::uint32_t number) {
    return Stream(seed.seed, purpose, seed.chip, number, seed.instant);
  };
  const std::uint32_t first = block * streams_per_block;
  return {stream(Purpose::lock_error, held_locks(hardware, block)),
          stream(Purpose::average_noise, first),
          stream(Purpose::oscillator_walk, block),
          stream(Purpose::receiver_noise, first),
          stream(Purpose::receiver_noise, first + 1 + seed.server),
          stream(Purpose::receiver_noise, first + streams_per_block - 1)};
}

/// Digit lanes behind unit P: fields, or the drives of modulators where averaging is incoherent.
template <class Real>
FieldBatchOf<Real> averaged(const UnitStages<Real>& unit, const Eigen::Ref<const Codes>& codes,
                            BlockStreams& streams) {
  const auto& [design, chip, hardware, noise, arithmetic] = unit.lit;
  if (hardware.link.averaging == Averaging::incoherent)
    return FieldBatchOf<Real>(incoherent_unit_p(design.task, hardware,
                                                noise.last_only ? NoiseSwitches{} : noise, unit.combiners,
                                                codes, streams.averages));
  std::vector<double> fibre_rad(static_cast<std::size_t>(design.task.combined()), 0.0);
  if (noise.lock) {
    const double rms_rad = lock_rms_rad(hardware);
    for (double& phase : fibre_rad) phase = noise.scale * rms_rad * streams.locks.normal();
  }
  return FieldBatchOf<Real>(
      unit.late.none() ? unit_p(design.task, hardware, unit.combiners, codes, fibre_rad)
                       : late_unit_p(design.task, hardware, unit.combiners, codes, fibre_rad, unit.late));
}

/// Light behind the meshes of a stage, from unit P's lanes and what stands behind the stages before.
template <class Real>
FieldBatchOf<Real> through_meshes(const Stage<Real>& stage, const LateLight& late,
                                  const FieldBatchOf<Real>& lanes,
                                  const std::vector<FieldBatchOf<Real>>& behind) {
  const LayerPath<Real>& path = stage.path;
  if (path.inputs_unchanged && late.none()) {
    const int source = stage.layer.lanes[0].source;
    return apply_transfer(path.transfer, source < 0 ? lanes : behind[static_cast<std::size_t>(source)],
                          stage.needs_quadrature());
  }
  FieldBatchOf<Real> inputs = gathered(stage.layer, path, lanes, behind, stage.modulator);
  if (!late.none()) make_late(inputs, stage.layer, path, late);
  return apply_transfer(path.transfer, inputs, stage.needs_quadrature());
}

/// Turns light against the oscillators of its receivers: by what the chip has drifted, and by a phase that the
/// linewidth draws for every word, the same at all receivers. `parts`: planes of the same words, side by side.
template <class Real>
void turn(FieldBatchOf<Real>& light, const Stage<Real>& stage, Eigen::Index parts, Stream& linewidth) {
  using Row = Eigen::Array<Real, 1, Eigen::Dynamic>;
  const Eigen::Index samples = stage.receivers.in_time.analogue ? samples_per_symbol : 1;
  Row angle = Row::Constant(light.words() / parts, static_cast<Real>(stage.oscillator_drift_rad));
  if (stage.oscillator_linewidth_rad > 0)
    for (Eigen::Index first = 0; first < angle.size(); first += samples)
      angle.segment(first, samples) += static_cast<Real>(stage.oscillator_linewidth_rad * linewidth.normal());
  const Row cosine = angle.cos().replicate(1, parts), sine = angle.sin().replicate(1, parts);
  for (Eigen::Index p = 0; p < light.re.rows(); ++p) {
    auto re = light.re.row(p).array();
    auto im = light.im.row(p).array();
    const Row turned = cosine * re - sine * im;
    im = sine * re + cosine * im;
    re = turned;
  }
}

/// When receivers sample so many words: late light stands in planes side by side, some for every instant.
struct SamplingInstant {
  const StageInTime& in_time;
  std::size_t number;  ///< 0: their own
  Eigen::Index words;
};

/// The planes of late light that belong to an instant.
template <class Real>
FieldBatchOf<Real> planes_at(const FieldBatchOf<Real>& light, const SamplingInstant& instant) {
  const Eigen::Index columns = instant.in_time.late_parts * instant.words,
                     first = static_cast<Eigen::Index>(instant.number) * columns;
  FieldBatchOf<Real> planes;
  planes.re = light.re.middleCols(first, columns);
  if (light.im.size() > 0) planes.im = light.im.middleCols(first, columns);
  return planes;
}

/// Values (ports, words) that the receivers of a stage take of its light: gain times current, plus bias.
template <class Real>
PlaneOf<Real> received(const Stage<Real>& stage, const FieldBatchOf<Real>& light,
                       const SamplingInstant& instant, Stream& stream) {
  PlaneOf<Real> values = light.words() == instant.words
                             ? detect(light, stage.receivers, instant.in_time, stream)
                             : detect(planes_at(light, instant), stage.receivers, instant.in_time, stream);
  for (Eigen::Index p = 0; p < values.rows(); ++p)
    values.row(p) = (static_cast<Real>(stage.path.gain) * values.row(p)).array() + stage.path.bias[p];
  return values;
}

/// What a stage passes on of its receivers' values: neurons rectify and limit them, servers take them as they
/// are.
template <class Real>
PlaneOf<Real> activated(const Stage<Real>& stage, PlaneOf<Real> values) {
  if (stage.at_servers()) return values;
  if (stage.ceilings.size() == 0)
    values = values.cwiseMax(Real(0)).cwiseMin(static_cast<Real>(stage.layer.ceiling));
  else
    limit(values, VectorOf<Real>(stage.ceilings.template cast<Real>()), static_cast<Real>(stage.limiter_knee));
  return values;
}

/// Drives of the modulators behind a stage's neurons, as fields, sqrt(W), repeated for every plane of late
/// light. A drive that some lane dims is cut at full scale where it is read.
template <class Real>
PlaneOf<Real> modulator_drives(const Stage<Real>& stage, PlaneOf<Real> values, Eigen::Index parts) {
  const auto full_scale = static_cast<Real>(std::sqrt(stage.full_scale_w));
  const Real most = stage.path.undimmed ? full_scale : std::numeric_limits<Real>::infinity();
  values = (full_scale / static_cast<Real>(stage.layer.largest_output) *
            (values.array() + static_cast<Real>(stage.layer.offset)))
               .max(-most)
               .min(most);
  if (parts > 1) values = values.replicate(1, parts).eval();
  return values;
}

/// Shows an observer what a stage's receivers take: `values`, or those of its own instants.
template <class Real>
void show(const Observer<Real>& observer, std::size_t number, const Stage<Real>& stage,
          const FieldBatchOf<Real>& light, const PlaneOf<Real>& values, Stream& stream) {
  if (observer.instants.empty()) observer.observe(number, 0, values, activated<Real>(stage, values));
  for (std::size_t i = 0; !observer.instants.empty() && i < observer.instants[number].size(); ++i) {
    const PlaneOf<Real> seen =
        received(stage, light, {observer.instants[number][i], i + 1, values.cols()}, stream);
    observer.observe(number, i, seen, activated<Real>(stage, seen));
  }
}

}  // namespace

Codes in_succession(const Codes& codes, Eigen::Index first, Eigen::Index words, const Neighbours& around,
                    Eigen::Index samples) {
  Codes sent((around.earlier + words + around.later) * samples, codes.cols());
  const Eigen::Index rounds = codes.rows() > 0 ? around.earlier / codes.rows() + 1 : 0;
  for (Eigen::Index w = 0; w < sent.rows(); ++w)
    sent.row(w) = codes.row((first + w / samples - around.earlier + rounds * codes.rows()) % codes.rows());
  return sent;
}

template <class Real>
Eigen::MatrixXd transmit_block(const UnitStages<Real>& unit, const Eigen::Ref<const Codes>& codes,
                               const TransmissionSeed& seed, std::uint32_t block,
                               const Observer<Real>* observer) {
  const Eigen::Index words = codes.rows(), parts = unit.late.parts();
  BlockStreams streams = block_streams(seed, unit.lit.hardware, block);
  const FieldBatchOf<Real> lanes = averaged(unit, codes, streams);
  std::vector<FieldBatchOf<Real>> behind(unit.stages.size());  // light, or in `re` drives of modulators
  Eigen::MatrixXd answer(unit.lit.design.task.output_digits(), words);
  Eigen::Index digit = 0;
  for (std::size_t l = 0; l < unit.stages.size(); ++l) {
    const Stage<Real>& stage = unit.stages[l];
    FieldBatchOf<Real> light = through_meshes(stage, unit.late, lanes, behind);
    if (stage.oscillators_turn()) turn(light, stage, parts, streams.linewidth);
    if (!stage.layer.received()) {
      behind[l] = std::move(light);
      continue;
    }
    PlaneOf<Real> values = received(stage, light, {stage.receivers.in_time, 0, words},
                                    stage.at_servers() ? streams.server : streams.neurons);
    if (observer != nullptr) show(*observer, l, stage, light, values, streams.observer);
    if (stage.at_servers()) {
      answer.middleRows(digit, values.rows()) = values.template cast<double>();
      digit += values.rows();
    } else {
      behind[l].re = modulator_drives(stage, activated<Real>(stage, std::move(values)), parts);
    }
  }
  return answer;
}

template Eigen::MatrixXd transmit_block(const UnitStages<double>&, const Eigen::Ref<const Codes>&,
                                        const TransmissionSeed&, std::uint32_t, const Observer<double>*);
template Eigen::MatrixXd transmit_block(const UnitStages<float>&, const Eigen::Ref<const Codes>&,
                                        const TransmissionSeed&, std::uint32_t, const Observer<float>*);

}  // namespace optinc
