#include "onn/link/transmission.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include "onn/link/detail/word_block.hpp"
#include "physics/core/check.hpp"
#include "physics/core/parallel.hpp"
#include "physics/devices/adc.hpp"
#include "physics/random/stream.hpp"

namespace optinc {
namespace {

/// What a server's converter makes of a block's outputs.
void convert(const UnitHardware& hardware, double noise_scale, const TransmissionSeed& seed,
             std::uint32_t block, Eigen::MatrixXd& answer) {
  Stream converter(seed.seed, Purpose::converter_noise, seed.chip, block * streams_per_block + 1 + seed.server,
                   seed.instant);
  Eigen::MatrixXd drawn(answer.rows(), answer.cols());
  converter.normals(std::span(drawn.data(), static_cast<std::size_t>(drawn.size())));
  answer += noise_scale * adc_noise(hardware.converter) * drawn;
  quantise_digits(hardware.converter, answer);
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

/// transmit() of valid codes, computed in Real.
template <class Real>
Eigen::MatrixXd transmit_in(const LitUnit& unit, const Codes& codes, const TransmissionSeed& seed,
                            NoisyReceivers receivers) {
  const ChipDesign& design = unit.design;
  const auto first_block = static_cast<std::uint32_t>(seed.first_word / block_words);
  const Fabricated fabricated = fabricated_electronics(unit, seed);
  const std::vector<LayerPath<Real>> paths = layer_paths<Real>(unit);
  const Neighbours around = neighbours(fabricated.stage, unit.hardware, received_layers(design));
  const Eigen::Index samples = fabricated.stage.analogue ? samples_per_symbol : 1;
  const auto sent = [&](const LitUnit& lit, const Fabricated& electronics, Eigen::Index block,
                        Eigen::Index words) {
    const Codes rows = in_succession(codes, block * block_words, words, around, samples);
    const Eigen::MatrixXd all = transmit_block<Real>(
        lit, electronics, paths, rows, seed, first_block + static_cast<std::uint32_t>(block), receivers);
    return Eigen::MatrixXd(all.rightCols(all.cols() - around.earlier * samples));
  };
  std::vector<Eigen::Index> instants(static_cast<std::size_t>(design.task.output_digits()), 0);
  if (fabricated.stage.analogue && codes.rows() > 0) {
    UnitHardware slow = unit.hardware;
    slow.timing.sampling = Sampling::settled;
    const Eigen::Index words = std::min(block_words, codes.rows());
    const LitUnit quiet = {design, unit.chip, unit.hardware};
    instants = best_instants(sent(quiet, fabricated_electronics(quiet, seed), 0, words),
                             transmit({design, unit.chip, slow}, codes.topRows(words), seed));
  }
  Eigen::MatrixXd outputs(design.task.output_digits(), codes.rows());
  const Eigen::Index blocks = (codes.rows() + block_words - 1) / block_words;
  parallel_for(blocks, [&](Eigen::Index i) {
    const Eigen::Index first = i * block_words, words = std::min(block_words, codes.rows() - first);
    const Eigen::MatrixXd waveform = sent(unit, fabricated, i, words);
    Eigen::MatrixXd answer(waveform.rows(), words);
    for (Eigen::Index m = 0; m < answer.rows(); ++m)
      for (Eigen::Index w = 0; w < words; ++w)
        answer(m, w) = waveform(m, w * samples + instants[static_cast<std::size_t>(m)]);
    if (unit.noise.converter && receivers == NoisyReceivers::all)
      convert(unit.hardware, unit.noise.scale, seed, first_block + static_cast<std::uint32_t>(i), answer);
    outputs.middleCols(first, words) = answer;
  });
  return outputs;
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
  validate(seed.first_word % block_words == 0,
           "words from number {} on (a multiple of {}: each block of words has noise of its own). "
           "Send them in parts of whole blocks.",
           seed.first_word, block_words);
  constexpr std::uint64_t most_words = block_words * (std::uint64_t{1} << 32) / streams_per_block;
  validate(
      seed.first_word <= most_words && static_cast<std::uint64_t>(codes.rows()) <= most_words - seed.first_word,
      "{} words from number {} on (numbers below {}: each block of words has noise of its own). "
      "Send them at instants of their own.",
      codes.rows(), seed.first_word, most_words);
  return unit.arithmetic == Arithmetic::float32 && single_precision_follows(unit)
             ? transmit_in<float>(unit, codes, seed, receivers)
             : transmit_in<double>(unit, codes, seed, receivers);
}

}  // namespace optinc
