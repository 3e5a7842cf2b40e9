#include "onn/link/waveforms.hpp"

#include <cmath>

#include "onn/link/detail/word_block.hpp"
#include "onn/link/power_path.hpp"
#include "physics/core/check.hpp"

namespace optinc {
namespace {

using Plane = FieldBatch::Plane;

/// Sums over the receivers and words of one layer.
struct Sums {
  Eigen::VectorXd squares = Eigen::VectorXd::Zero(waveform_instants);
  Eigen::MatrixXd eye = Eigen::MatrixXd::Zero(waveform_instants, EyeLevels::count);
  double settled_squares = 0.0;
  Eigen::Index samples = 0;  ///< of every instant
};

/// A layer's unit of level.
double full_scale(const LayerDesign& layer) {
  return layer.ending == LayerEnd::servers ? pam4_full_scale_digit : layer.largest_output;
}

void count(const Plane& levels, Eigen::MatrixXd& eye, Eigen::Index instant) {
  for (const double level : levels.reshaped()) {
    const double bin = std::floor((level - EyeLevels::least) / EyeLevels::width);
    if (bin >= 0 && bin < EyeLevels::count) eye(instant, static_cast<Eigen::Index>(bin)) += 1;
  }
}

/// The stages of a clocked unit, each sampled at every instant; none of another.
std::vector<std::vector<StageInTime>> stages_at_instants(const UnitStages<double>& unit) {
  std::vector<std::vector<StageInTime>> stages;
  const UnitHardware& hardware = unit.lit.hardware;
  if (hardware.timing.sampling != Sampling::clocked) return stages;
  const double rate_bd = hardware.timing.symbol_rate_bd;
  for (const Stage<double>& stage : unit.stages) {
    const StageInTime& own = stage.receivers.in_time;
    const auto [modulator, receiver] = stage_lowpasses(layer_hardware(stage.layer, hardware));
    auto& sampled = stages.emplace_back();
    for (int i = 0; i < waveform_instants; ++i)
      sampled.push_back(
          {sampled_later(*own.clocked, modulator, receiver, rate_bd, waveform_instant(i) / rate_bd),
           std::nullopt, own.late_parts});
  }
  return stages;
}

/// Instants at which a waveform is sampled, s after the receivers' own, which comes first.
std::vector<double> sampled_instants_s(const TimingSettings& timing) {
  std::vector<double> instants_s = {0.0};
  if (timing.sampling == Sampling::clocked)
    for (int i = 0; i < waveform_instants; ++i)
      instants_s.push_back(waveform_instant(i) / timing.symbol_rate_bd);
  return instants_s;
}

/// A unit in time, and settled, with its noise and without.
struct Compared {
  UnitStages<double> in_time, slow, quiet;
  std::vector<std::vector<StageInTime>> instants;  ///< [stage] of clocked receivers
  Neighbours around;
  Eigen::Index samples;  ///< of a word
};

Compared compared(const LitUnit& unit, const TransmissionSeed& seed) {
  const LitUnit quiet = {unit.design, unit.chip, unit.hardware, {}};
  const UnitStages<double> in_time = unit_stages(unit, layer_paths<double>(unit), seed, NoisyReceivers::all,
                                                 sampled_instants_s(unit.hardware.timing));
  Neighbours around = neighbours(in_time);
  around.earlier += 2, around.later += 2;  // of the instants before and after a sample
  return {in_time,
          settled(in_time),
          settled(unit_stages(quiet, layer_paths<double>(quiet), seed, NoisyReceivers::all)),
          stages_at_instants(in_time),
          around,
          in_time.analogue() ? samples_per_symbol : 1};
}

/// Adds a block of words to the sums of every layer: how far they are from settled words without noise.
void add_block(const Compared& units, const Codes& codes, Eigen::Index first, const TransmissionSeed& seed,
               std::vector<Sums>& sums) {
  const Eigen::Index words = std::min(block_words, codes.rows() - first);
  const auto block = static_cast<std::uint32_t>(first / block_words);
  const auto send = [&](const UnitStages<double>& unit, const Codes& sent, const Observer<double>& observer) {
    transmit_block(unit, sent, seed, block, &observer);
  };
  const Codes alone = in_succession(codes, first, words, {}, 1);
  std::vector<Plane> wanted(sums.size());
  send(units.quiet, alone,
       {{}, [&](std::size_t l, std::size_t, const Plane&, const Plane& passed_on) { wanted[l] = passed_on; }});
  send(units.slow, alone, {{}, [&](std::size_t l, std::size_t, const Plane&, const Plane& passed_on) {
                             sums[l].settled_squares += (passed_on - wanted[l]).squaredNorm();
                             sums[l].samples += passed_on.size();
                           }});
  const auto add = [&](std::size_t l, Eigen::Index instant, const Plane& received, const Plane& passed_on) {
    const LayerDesign& layer = units.in_time.stages[l].layer;
    const double offset = layer.ending == LayerEnd::servers ? 0.0 : layer.offset;
    sums[l].squares[instant] += (passed_on - wanted[l]).squaredNorm();
    count((received.array() + offset) / full_scale(layer), sums[l].eye, instant);
  };
  const Eigen::Index before = units.around.earlier;
  send(units.in_time, in_succession(codes, first, words, units.around, units.samples),
       {units.instants, [&](std::size_t l, std::size_t instant, const Plane& received, const Plane& passed_on) {
          if (!units.instants.empty())
            return add(l, static_cast<Eigen::Index>(instant), received.middleCols(before, words),
                       passed_on.middleCols(before, words));
          for (Eigen::Index i = 0; i < units.samples; ++i) {
            const auto every = Eigen::seqN(before * units.samples + i, words, units.samples);
            add(l, i, received(Eigen::all, every), passed_on(Eigen::all, every));
          }
        }});
}

}  // namespace

std::vector<LayerWaveform> layer_waveforms(const LitUnit& unit, const Codes& codes,
                                           const TransmissionSeed& seed) {
  const ChipDesign& design = unit.design;
  validate_hardware(unit.hardware);
  validate(unit.hardware.timing.sampling != Sampling::settled,
           "time.sampling = settled (settled words have no waveform). Set it to clocked or unclocked.");
  validate(
      codes.cols() == design.task.servers && codes.rows() > 0,
      "codes ({}, {}) meet a unit for {} servers (a word or more, one column per server). Send (words, {}).",
      codes.rows(), codes.cols(), design.task.servers, design.task.servers);
  const Compared units = compared(unit, seed);
  std::vector<Sums> sums(design.layers.size());
  for (Eigen::Index first = 0; first < codes.rows(); first += block_words)
    add_block(units, codes, first, seed, sums);
  std::vector<LayerWaveform> layers(design.layers.size());
  for (std::size_t l = 0; l < layers.size(); ++l) {
    if (sums[l].samples == 0) continue;
    const double n = static_cast<double>(sums[l].samples), scale = full_scale(design.layers[l]);
    layers[l] = {(sums[l].squares / n).cwiseSqrt() / scale, sums[l].eye,
                 std::sqrt(sums[l].settled_squares / n) / scale};
  }
  return layers;
}

}  // namespace optinc
