#pragma once

#include <functional>
#include <map>
#include <span>
#include <vector>

#include "experiments/models/chip_trial.hpp"
#include "experiments/models/foundry.hpp"
#include "experiments/models/operated_chip.hpp"
#include "experiments/models/trial_model.hpp"
#include "experiments/study/study_config.hpp"
#include "onn/budget/operating_power.hpp"
#include "onn/budget/unit_cost.hpp"
#include "onn/margin/rare_words.hpp"

namespace optinc {

/// How a study's words are sent where a point is looked for: clocked unless it says unclocked.
Sampling searched_sampling(const StudyConfig& config);

/// The chips of a unit, or of the units of a cascade, made once, and the words sent through them at any point.
class ChipRow {
 public:
  /// Of a study, `words` of which are sent through a chip at a time. `word_sent` is called before each time;
  /// may be empty, and may throw.
  ChipRow(const StudyConfig& config, const StudyInputs& inputs, int words, std::function<void()> word_sent);

  /// Words are sent at this symbol rate (Bd), through receivers of this bandwidth (Hz).
  void set_point(double symbol_rate_bd, double receiver_bandwidth_hz);
  /// Words are sent at this operating point.
  void set_point(const OperatingValues<double>& values);
  /// The unit's devices at the point.
  const UnitHardware& hardware() const { return config_.hardware; }
  /// Whether it is one unit, not a cascade.
  bool one_unit() const { return levels_.size() == 1; }
  /// The design of the unit that servers send to.
  const ChipDesign& design() const { return levels_.front().design; }

  /// Words wrong of one chip, or of one cascade, at the point; other words in every round.
  std::int64_t wrong(std::uint32_t chip, std::uint32_t round = 0);

  /// The share of a chip's words that are wrong, however rare; one_unit() alone.
  RareWords rare(std::uint32_t chip);

  /// The Gaussian estimate of a chip's words, as many as asked for, fewer where each takes many hops;
  /// one_unit() alone.
  Margin margin(std::uint32_t chip, int words);
  /// ln of the share of words that converters and the fibres' phases alone make wrong with these bits, by the
  /// same estimate: settled, without other noise and limits of amplifiers, in the light of these settings. No
  /// less light, drive, bandwidth or bits make it less. -infinity with meshes: what they decide is learned for
  /// one light, and more may be worse. one_unit() alone.
  double log_wrong_in_any_light(std::uint32_t chip, const OperatingValues<double>& most);
  /// The power of the unit; one_unit() alone.
  OperatingPower power() const;
  /// What the point costs.
  UnitCost cost() const;

 private:
  struct Level {
    StudyConfig study;  ///< as given, which chips are calibrated with
    Network network;
    ChipDesign design;
    int units;
  };

  CodeVector through(const Level& level, std::uint32_t chip, std::uint32_t round, const Codes& codes);
  LitUnit lit(const LitChip& chip) const;
  Codes estimated(std::uint32_t chip, int words) const;
  const LitChip& chip_of(const Level& level, std::uint32_t chip);

  StudyConfig config_;  ///< at the point
  std::vector<Level> levels_;
  Foundry foundry_;
  std::function<void()> sent_;
  std::map<std::uint32_t, LitChip> chips_;
};

}  // namespace optinc
