#include "experiments/models/chip_path.hpp"

#include <memory>
#include <optional>

#include "experiments/models/chip_trial.hpp"
#include "experiments/models/drifting_chip.hpp"
#include "onn/link/average.hpp"
#include "onn/link/oscillators.hpp"
#include "onn/task/codes.hpp"

namespace optinc {
namespace {

/// A chip that words may be sent through, in one state.
struct Station {
  std::optional<ResponseTable> map;  ///< engine "map"
  LitChip lit;                       ///< engine "light"
};

Station station(const StudyConfig& config, LitChip lit, const NoiseSwitches& noise, std::uint32_t number) {
  Station made;
  if (config.learner.engine == "map")
    made.map = tabulate_chip({*lit.design, lit.state, config.hardware, noise}, {config.run.seed, number, 0});
  else
    made.lit = std::move(lit);
  return made;
}

CodeVector sent(const Station& by, const StudyConfig& config, const NoiseSwitches& noise, std::uint32_t number,
                const Codes& codes, const StepContext& step) {
  if (by.map) return send_by_table(*by.map, codes, {step.seed, number + (step.server << 24), step.step});
  return average_codes({*by.lit.design, by.lit.state, config.hardware, noise, config.measure.arithmetic}, codes,
                       {step.seed, number, step.server, step.step});
}

/// A chip whose surroundings change while the model trains.
struct Life {
  DriftingChip chip;
  std::vector<std::size_t> calibrated, number;
  std::vector<double> oscillator_lag;  ///< rad per m of mismatch
  std::size_t instant = 0;             ///< of `now`
  std::size_t calibration = 0;
  OperatedChip operated;
  Station now;
};

}  // namespace

CodeAverager chip_path(const UnitDesign& unit, std::string_view variant, std::uint32_t number) {
  const StudyConfig& config = *unit.config;
  const ChipDesign& design = *unit.design;
  const bool lives = variant == "drifting" || variant == "recalibrated";
  const ChipVariant as = chip_variant(variant);
  const NoiseSwitches noise = lives ? NoiseSwitches(config.noise) : noise_in(as, config);
  if (!lives) {
    auto at = std::make_shared<Station>(
        station(config,
                chip_in_operation(design, config, calibrated_chip(design, config, number, 0, unit.foundry),
                                  number, as.programming),
                noise, number));
    return [config, noise, number, at = std::shared_ptr<const Station>(at)](const Codes& codes,
                                                                            const StepContext& step) {
      return sent(*at, config, noise, number, codes, step);
    };
  }
  auto life = std::make_shared<Life>();
  life->chip = drifting_chip(design, config, number, unit.foundry);
  life->calibrated = calibrated_at(config, variant == "recalibrated");
  life->number = calibration_numbers(life->calibrated);
  life->oscillator_lag = oscillator_lag_rad_per_m(life->chip.history, life->calibrated, config.hardware);
  life->operated = life->chip.first;
  const auto arrive = [&design, config, noise, number, life, foundry = unit.foundry](std::size_t k) {
    if (life->calibration != life->number[k]) {
      life->calibration = life->number[k];
      life->operated = life->calibration == 0
                           ? life->chip.first
                           : calibrated_again(design, config, number,
                                              static_cast<std::uint32_t>(life->calibration), foundry);
    }
    const ChipErrors now = errors_at(config, life->chip, life->operated, life->calibrated[k], k);
    LitChip lit{{std::shared_ptr<const ChipDesign>(), &design},
                settled_at(design, config, life->operated, now,
                           {life->oscillator_lag[k], life->chip.history.brighter_db(life->calibrated[k], k)},
                           number, k)};
    life->now = station(config, std::move(lit), noise, number);
    life->instant = k;
  };
  arrive(0);
  return [config, noise, number, life, arrive](const Codes& codes, const StepContext& step) {
    const auto instants = static_cast<std::size_t>(config.drift.instants);
    const std::size_t k = step.step * instants / static_cast<std::size_t>(config.learner.steps);
    if (k != life->instant) arrive(k);
    return sent(life->now, config, noise, number, codes, step);
  };
}

CodeAverager code_path(const StudyConfig& config, const std::vector<UnitDesign>& levels,
                       std::string_view variant, std::uint32_t trial) {
  const std::string& aggregator = config.learner.aggregator;
  const auto unit = [&](const UnitDesign& of, std::uint32_t number) {
    return aggregator == "chip" ? chip_path(of, variant, number)
                                : map_average(tabulate_network(*of.network), number);
  };
  CodeAverager path;
  if (aggregator == "quantised")
    path = ideal_average(config.task);
  else if (config.learner.levels == 1)
    path = unit(levels.front(), trial);
  else {
    const auto units = static_cast<std::uint32_t>(config.task.servers);
    std::vector<CodeAverager> below;
    for (std::uint32_t u = 0; u < units; ++u) below.push_back(unit(levels.front(), trial * (units + 1) + u));
    // What a moved std::function owns is lost to the analyser.
    // NOLINTNEXTLINE(clang-analyzer-cplusplus.NewDeleteLeaks)
    path = cascade_average(std::move(below), unit(levels.back(), trial * (units + 1) + units));
  }
  if (config.learner.error_rate > 0)
    path = with_injected_errors(std::move(path), config.learner.error_rate, config.task.digits);
  return path;
}

}  // namespace optinc
