#include "experiments/designs/chip_row.hpp"

#include <algorithm>

#include "experiments/models/cascade_trial.hpp"
#include "onn/budget/budget.hpp"
#include "onn/link/average.hpp"
#include "onn/task/codes.hpp"
#include "physics/core/parallel.hpp"

namespace optinc {
namespace {

/// Words sent at once with more noise. Servers' phases are drawn once for each such part, and rare ones decide;
/// shorter parts spend more time on their equalisers than on words.
constexpr Eigen::Index most_words_a_part = 256, fewest_parts = 100;
constexpr int fewest_words = 64, fewest_hopping = 16;  // of an estimate
constexpr int lanes_at_ease = 8;                       // whose words are estimated without haste

}  // namespace

Sampling searched_sampling(const StudyConfig& config) {
  const Sampling asked = config.hardware.timing.sampling;
  return asked == Sampling::settled ? Sampling::clocked : asked;
}

ChipRow::ChipRow(const StudyConfig& config, const StudyInputs& inputs, int words,
                 std::function<void()> word_sent)
    : config_(config),
      words_a_part_(std::clamp<Eigen::Index>(words / fewest_parts, 1, most_words_a_part)),
      foundry_(inputs.chips),
      sent_(std::move(word_sent)) {
  config_.hardware.timing.sampling = searched_sampling(config);
  config_.measure.words = words;
  for (const StudyConfig& asked : network_configs(config)) {
    const Network& network = inputs.networks[network_number(inputs.networks, asked)].network;
    levels_.push_back({asked, network, design_chip(network), 1});
  }
  if (levels_.size() > 1) levels_.front().units = config.task.servers;
}

void ChipRow::set_point(double symbol_rate_bd, double receiver_bandwidth_hz) {
  config_.hardware.timing.symbol_rate_bd = symbol_rate_bd;
  config_.hardware.receiver.front_end.bandwidth_hz = receiver_bandwidth_hz;
}

void ChipRow::set_point(const OperatingValues<double>& values) {
  config_.hardware = with_values(config_.hardware, values);
}

std::int64_t ChipRow::wrong(std::uint32_t chip, std::uint32_t round, double noise_scale) {
  if (one_unit()) {
    const Codes codes = codes_of_words(config_.task, drawn_words(config_, chip, round));
    const CodeVector found = through(levels_.front(), chip, round, codes, noise_scale);
    return (found.array() != wanted(codes, round, noise_scale).array()).count();
  }
  const auto [between, found, wanted] =
      through_cascade(config_.task, cascade_codes(config_, chip, round), [&](int unit, const Codes& codes) {
        return through(unit < levels_.front().units ? levels_.front() : levels_.back(),
                       cascade_chip(config_.task, chip, unit), round, codes, noise_scale);
      });
  return (found.array() != wanted.array()).count();
}

Margin ChipRow::margin(std::uint32_t chip, int words) {
  StudyConfig drawn = config_;
  // every hop adds its levels; wide layers take as long for fewer words
  int widest = 1;
  for (const LayerDesign& layer : design().layers) widest = std::max(widest, layer.outputs);
  drawn.measure.words = std::max(fewest_words, words / std::max(1, widest / lanes_at_ease));
  drawn.measure.words = std::max(fewest_hopping, drawn.measure.words / hop_plan(config_.task).hops);
  const LitChip& lit = chip_of(levels_.front(), chip);
  return Margin({*lit.design, lit.state, config_.hardware, NoiseSwitches(config_.noise)},
                codes_of_words(config_.task, drawn_words(drawn, chip)), {config_.run.seed, chip});
}

OperatingPower ChipRow::power() const {
  return OperatingPower(design(), config_.chip, config_.hardware, config_.budget);
}

UnitCost ChipRow::cost() const {
  std::vector<std::pair<int, UnitCost>> costs;
  for (const Level& level : levels_)
    costs.emplace_back(level.units, unit_cost(level.network, budget(level.design, config_.chip,
                                                                    config_.hardware, config_.budget)));
  return in_series(costs);
}

CodeVector ChipRow::through(const Level& level, std::uint32_t chip, std::uint32_t round, const Codes& codes,
                            double noise_scale) {
  if (sent_) sent_();
  const LitChip& lit = chip_of(level, chip);
  NoiseSwitches noise(config_.noise);
  noise.scale = noise_scale;
  const LitUnit unit{*lit.design, lit.state, config_.hardware, noise, config_.measure.arithmetic};
  if (noise_scale == 1.0) return average_codes(unit, codes, {config_.run.seed, chip, 0, round});
  CodeVector found(codes.rows());
  parallel_for((codes.rows() + words_a_part_ - 1) / words_a_part_, [&](Eigen::Index part) {
    const Eigen::Index at = part * words_a_part_, words = std::min(words_a_part_, codes.rows() - at);
    found.segment(at, words) = average_codes(unit, codes.middleRows(at, words),
                                             {config_.run.seed, chip, 0, static_cast<std::uint32_t>(part)});
  });
  return found;
}

/// The exact answers to what through() sends.
CodeVector ChipRow::wanted(const Codes& codes, std::uint32_t round, double noise_scale) const {
  if (noise_scale == 1.0) return exact_answers(config_.task, codes, round);
  CodeVector exact(codes.rows());
  for (Eigen::Index at = 0; at < codes.rows(); at += words_a_part_) {
    const Eigen::Index words = std::min(words_a_part_, codes.rows() - at);
    exact.segment(at, words) = exact_answers(config_.task, codes.middleRows(at, words),
                                             static_cast<std::uint32_t>(at / words_a_part_));
  }
  return exact;
}

const LitChip& ChipRow::chip_of(const Level& level, std::uint32_t chip) {
  const auto made = chips_.find(chip);
  if (made != chips_.end()) return made->second;
  return chips_
      .emplace(chip, chip_in_operation(level.design, level.study,
                                       calibrated_chip(level.design, level.study, chip, 0, foundry_), chip,
                                       Programming::corrected))
      .first->second;
}

}  // namespace optinc
