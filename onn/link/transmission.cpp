#include "onn/link/transmission.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include "onn/link/detail/word_block.hpp"
#include "onn/link/power_path.hpp"
#include "onn/link/word_hops.hpp"
#include "physics/core/check.hpp"
#include "physics/core/parallel.hpp"
#include "physics/devices/adc.hpp"
#include "physics/random/stream.hpp"

namespace optinc {
namespace {

/// What the converters of a server make of a block's outputs.
template <class Real>
void convert(const UnitStages<Real>& unit, const TransmissionSeed& seed, std::uint32_t block,
             Eigen::MatrixXd& answer) {
  Stream noise(seed.seed, Purpose::converter_noise, seed.chip, block * streams_per_block + 1 + seed.server,
               seed.instant);
  Eigen::MatrixXd drawn(answer.rows(), answer.cols());
  noise.normals(std::span(drawn.data(), static_cast<std::size_t>(drawn.size())));
  Eigen::Index digit = 0;
  for (const Stage<Real>& stage : unit.stages) {
    if (!stage.at_servers()) continue;
    auto digits = answer.middleRows(digit, stage.layer.outputs);
    digits += unit.lit.noise.scale * adc_noise(stage.converter) * drawn.middleRows(digit, stage.layer.outputs);
    quantise_digits(stage.converter, digits);
    digit += stage.layer.outputs;
  }
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

/// The words of one call, sent through a unit block by block.
struct SentWords {
  const Codes& codes;
  const TransmissionSeed& seed;
  Neighbours around;     ///< words that reach another by interference
  Eigen::Index samples;  ///< of a word

  Eigen::Index blocks() const { return (codes.rows() + block_words - 1) / block_words; }
  Eigen::Index words(Eigen::Index block) const {
    return std::min(block_words, codes.rows() - block * block_words);
  }
  /// Number of a block among those of all calls.
  std::uint32_t number(Eigen::Index block) const {
    return static_cast<std::uint32_t>(seed.first_word / block_words) + static_cast<std::uint32_t>(block);
  }
};

/// Outputs of a block before the converters, (output digits, samples of its words and of those after them).
template <class Real>
Eigen::MatrixXd block_outputs(const UnitStages<Real>& unit, const SentWords& sent, Eigen::Index block) {
  const Codes rows =
      in_succession(sent.codes, block * block_words, sent.words(block), sent.around, sent.samples);
  const Eigen::MatrixXd all = transmit_block<Real>(unit, rows, sent.seed, sent.number(block));
  return all.rightCols(all.cols() - sent.around.earlier * sent.samples);
}

/// Sample of a word at which servers read each digit: unclocked, the best of the first block without noise;
/// otherwise a word has one.
template <class Real>
std::vector<Eigen::Index> read_instants(const UnitStages<Real>& unit, const std::vector<LayerPath<Real>>& paths,
                                        const SentWords& sent) {
  const auto& [design, chip, hardware, noise, arithmetic] = unit.lit;
  if (!unit.analogue() || sent.codes.rows() == 0)
    return std::vector<Eigen::Index>(static_cast<std::size_t>(design.task.output_digits()), 0);
  UnitHardware slow = hardware;
  slow.timing.sampling = Sampling::settled;
  const UnitStages<Real> quiet = unit_stages({design, chip, hardware}, paths, sent.seed, NoisyReceivers::all);
  return best_instants(block_outputs(quiet, sent, 0),
                       transmit({design, chip, slow}, sent.codes.topRows(sent.words(0)), sent.seed));
}

/// transmit() of valid codes, computed in Real.
template <class Real>
Eigen::MatrixXd transmit_in(const LitUnit& lit, const Codes& codes, const TransmissionSeed& seed,
                            NoisyReceivers receivers) {
  const std::vector<LayerPath<Real>> paths = layer_paths<Real>(lit);
  const UnitStages<Real> unit = unit_stages(lit, paths, seed, receivers);
  const SentWords sent = {codes, seed, neighbours(unit), unit.analogue() ? samples_per_symbol : 1};
  const std::vector<Eigen::Index> instants = read_instants(unit, paths, sent);
  Eigen::MatrixXd outputs(lit.design.task.output_digits(), codes.rows());
  parallel_for(sent.blocks(), [&](Eigen::Index block) {
    const Eigen::MatrixXd waveform = block_outputs(unit, sent, block);
    Eigen::MatrixXd answer(waveform.rows(), sent.words(block));
    for (Eigen::Index m = 0; m < answer.rows(); ++m)
      for (Eigen::Index w = 0; w < answer.cols(); ++w)
        answer(m, w) = waveform(m, w * sent.samples + instants[static_cast<std::size_t>(m)]);
    if (lit.noise.converter && receivers == NoisyReceivers::all)
      convert(unit, seed, sent.number(block), answer);
    outputs.middleCols(block * block_words, answer.cols()) = answer;
  });
  return outputs;
}

/// Codes as they meet: behind the servers that are cut, link.late_servers whose words come link.late_words
/// later than the others', the first of them after the last.
Codes with_late_servers(const LinkSettings& link, Codes codes) {
  const Eigen::Index words = codes.rows(), late = words > 0 ? link.late_words % words : 0;
  for (int n = link.cut_servers; n < link.cut_servers + link.late_servers; ++n)
    std::rotate(codes.col(n).begin(), codes.col(n).end() - late, codes.col(n).end());
  return codes;
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
  if (design.task.adder != Adder::light) {
    validate(
        receivers == NoisyReceivers::all,
        "silent last receivers where electronics add (\"{}\": the same receivers end every hop). Let all be "
        "noisy.",
        name_of(design.task.adder));
    return transmit_by_hops(unit, codes, seed,
                            [](const LitUnit& link, const Codes& sent, const TransmissionSeed& at) {
                              return transmit(link, sent, at);
                            });
  }
  const LinkSettings& link = unit.hardware.link;
  validate(link.cut_servers + link.late_servers <= design.task.servers,
           "link.cut_servers = {} and link.late_servers = {} of {} servers (no server is both). Choose fewer.",
           link.cut_servers, link.late_servers, design.task.servers);
  const int ends = answer_ends(design.task, unit.hardware);
  validate(seed.server < static_cast<std::uint32_t>(ends),
           "received at server {} of {} (0..{}). "
           "Choose one of them.",
           seed.server, ends, ends - 1);
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
  const auto sent = [&](const Codes& arriving) {
    return unit.arithmetic == Arithmetic::float32 && single_precision_follows(unit)
               ? transmit_in<float>(unit, arriving, seed, receivers)
               : transmit_in<double>(unit, arriving, seed, receivers);
  };
  return link.late_servers > 0 ? sent(with_late_servers(link, codes)) : sent(codes);
}

}  // namespace optinc
