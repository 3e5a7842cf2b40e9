#include "experiments/designs/chip_row.hpp"

#include <algorithm>
#include <limits>

#include "experiments/models/cascade_trial.hpp"
#include "onn/budget/budget.hpp"
#include "onn/link/average.hpp"
#include "onn/task/codes.hpp"
#include "physics/core/parallel.hpp"

namespace optinc {
namespace {

constexpr int fewest_words = 64, fewest_hopping = 16;   // of an estimate
constexpr int lanes_at_ease = 8;                        // whose words are estimated without haste
constexpr int rare_words_sent = 128, rare_draws = 200;  // of every rare share

}  // namespace

Sampling searched_sampling(const StudyConfig& config) {
  const Sampling asked = config.hardware.timing.sampling;
  return asked == Sampling::settled ? Sampling::clocked : asked;
}

ChipRow::ChipRow(const StudyConfig& config, const StudyInputs& inputs, int words,
                 std::function<void()> word_sent)
    : config_(config), foundry_(inputs.chips), sent_(std::move(word_sent)) {
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

std::int64_t ChipRow::wrong(std::uint32_t chip, std::uint32_t round) {
  if (one_unit()) {
    const Codes codes = codes_of_words(config_.task, drawn_words(config_, chip, round));
    const CodeVector found = through(levels_.front(), chip, round, codes);
    return (found.array() != exact_answers(config_.task, codes, round).array()).count();
  }
  const auto [between, found, wanted] =
      through_cascade(config_.task, cascade_codes(config_, chip, round), [&](int unit, const Codes& codes) {
        return through(unit < levels_.front().units ? levels_.front() : levels_.back(),
                       cascade_chip(config_.task, chip, unit), round, codes);
      });
  return (found.array() != wanted.array()).count();
}

/// Words of an estimate, about so many: every hop adds its levels, and wide layers take as long for fewer.
Codes ChipRow::estimated(std::uint32_t chip, int words) const {
  StudyConfig drawn = config_;
  int widest = 1;
  for (const LayerDesign& layer : design().layers) widest = std::max(widest, layer.outputs);
  drawn.measure.words = std::max(fewest_words, words / std::max(1, widest / lanes_at_ease));
  drawn.measure.words = std::max(fewest_hopping, drawn.measure.words / hop_plan(config_.task).hops);
  return codes_of_words(config_.task, drawn_words(drawn, chip));
}

LitUnit ChipRow::lit(const LitChip& chip) const {
  return {*chip.design, chip.state, config_.hardware, NoiseSwitches(config_.noise), config_.measure.arithmetic};
}

Margin ChipRow::margin(std::uint32_t chip, int words) {
  return Margin(lit(chip_of(levels_.front(), chip)), estimated(chip, words), {config_.run.seed, chip});
}

double ChipRow::log_wrong_in_any_light(std::uint32_t chip, const OperatingValues<double>& most) {
  if (design().mzi_count() > 0) return -std::numeric_limits<double>::infinity();
  const LitUnit unit = lit(chip_of(levels_.front(), chip));
  UnitHardware settled = config_.hardware;
  settled.timing.sampling = Sampling::settled;
  settled.receiver.overload_a = 0.0;
  NoiseSwitches noise;
  noise.converter = unit.noise.converter, noise.lock = unit.noise.lock;
  const LitUnit alone = {unit.design, unit.chip, settled, noise, unit.arithmetic};
  return Margin(alone, estimated(chip, fewest_words), {config_.run.seed, chip}).log_wrong(most);
}

RareWords ChipRow::rare(std::uint32_t chip) {
  if (sent_) sent_();
  return rare_words(lit(chip_of(levels_.front(), chip)), estimated(chip, rare_words_sent),
                    {config_.run.seed, chip}, rare_draws);
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

CodeVector ChipRow::through(const Level& level, std::uint32_t chip, std::uint32_t round, const Codes& codes) {
  if (sent_) sent_();
  return average_codes(lit(chip_of(level, chip)), codes, {config_.run.seed, chip, 0, round});
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
