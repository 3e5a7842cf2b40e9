#include "onn/link/waveforms.hpp"

#include <cmath>

#include "onn/link/detail/word_block.hpp"
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

/// The stage of a clocked unit, sampled at each of the instants.
std::vector<StageInTime> stages_at_instants(const StageInTime& stage, const UnitHardware& hardware) {
  if (!stage.clocked) return {};
  const auto [modulator, receiver] = stage_lowpasses(hardware);
  const double rate_bd = hardware.timing.symbol_rate_bd;
  std::vector<StageInTime> stages;
  for (int i = 0; i < waveform_instants; ++i)
    stages.push_back(
        {sampled_later(*stage.clocked, modulator, receiver, rate_bd, waveform_instant(i) / rate_bd),
         std::nullopt, stage.late_parts});
  return stages;
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
  const LitUnit quiet = {design, unit.chip, unit.hardware, {}};
  std::vector<double> instants_s = {0.0};
  if (unit.hardware.timing.sampling == Sampling::clocked)
    for (int i = 0; i < waveform_instants; ++i)
      instants_s.push_back(waveform_instant(i) / unit.hardware.timing.symbol_rate_bd);
  const Fabricated in_time = fabricated_electronics(unit, seed, instants_s);
  Fabricated settled = in_time, quiet_settled = fabricated_electronics(quiet, seed);
  settled.stage = quiet_settled.stage = {};
  settled.late = quiet_settled.late = {};
  const std::vector<LayerPath<double>> paths = layer_paths<double>(unit),
                                       quiet_paths = layer_paths<double>(quiet);
  Neighbours around = neighbours(in_time.stage, unit.hardware, received_layers(design));
  around.earlier += 2, around.later += 2;  // of the instants before and after a sample
  const Eigen::Index samples = in_time.stage.analogue ? samples_per_symbol : 1;
  std::vector<Sums> sums(design.layers.size());
  for (Eigen::Index first = 0; first < codes.rows(); first += block_words) {
    const Eigen::Index words = std::min(block_words, codes.rows() - first);
    const auto block = static_cast<std::uint32_t>(first / block_words);
    const auto send = [&](const LitUnit& lit, const Fabricated& fabricated,
                          const std::vector<LayerPath<double>>& along, const Codes& sent,
                          const Onlooker<double>& onlooker) {
      transmit_block(lit, fabricated, along, sent, seed, block, NoisyReceivers::all, &onlooker);
    };
    const Codes alone = in_succession(codes, first, words, {}, 1);
    std::vector<Plane> wanted(design.layers.size());
    send(
        quiet, quiet_settled, quiet_paths, alone,
        {{}, [&](std::size_t l, std::size_t, const Plane&, const Plane& passed_on) { wanted[l] = passed_on; }});
    send(unit, settled, paths, alone,
         {{}, [&](std::size_t l, std::size_t, const Plane&, const Plane& passed_on) {
            sums[l].settled_squares += (passed_on - wanted[l]).squaredNorm();
            sums[l].samples += passed_on.size();
          }});
    const auto look = [&](std::size_t l, Eigen::Index instant, const Plane& received, const Plane& passed_on) {
      const LayerDesign& layer = design.layers[l];
      const double offset = layer.ending == LayerEnd::servers ? 0.0 : layer.offset;
      sums[l].squares[instant] += (passed_on - wanted[l]).squaredNorm();
      count((received.array() + offset) / full_scale(layer), sums[l].eye, instant);
    };
    send(unit, in_time, paths, in_succession(codes, first, words, around, samples),
         {stages_at_instants(in_time.stage, unit.hardware),
          [&](std::size_t l, std::size_t instant, const Plane& received, const Plane& passed_on) {
            if (in_time.stage.clocked)
              return look(l, static_cast<Eigen::Index>(instant), received.middleCols(around.earlier, words),
                          passed_on.middleCols(around.earlier, words));
            for (Eigen::Index i = 0; i < samples; ++i) {
              const auto every = Eigen::seqN(around.earlier * samples + i, words, samples);
              look(l, i, received(Eigen::all, every), passed_on(Eigen::all, every));
            }
          }});
  }
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
