#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <vector>

#include "experiments/designs/gradient_search.hpp"
#include "experiments/models/trial_model.hpp"
#include "experiments/study/study_config.hpp"
#include "onn/budget/unit_cost.hpp"

// The point at which a unit still decodes with the highest symbol rate, the least energy or the least light,
// and what it costs just there.

namespace optinc {

/// Corrections of an estimate by what is counted, at most.
inline constexpr int most_corrections = 12;

/// What counts as decoding, and where to look for it.
struct OperatingPointSearch {
  double wrong = 1e-4;        ///< most of the words wrong on a chip that passes
  double chips_right = 0.95;  ///< share of the chips that must pass
  int chips = 100;            ///< that a point is confirmed on
  int words = 30'000;         ///< on each chip, drawn
  std::vector<double> bandwidths_hz = {8e9, 12e9, 16e9, 20e9, 24e9, 28e9, 32e9, 40e9, 50e9};  ///< of receivers
  double slowest_bd = 5e9, fastest_bd = 200e9;
  Goal goal = Goal::rate;
  std::vector<std::string> held = {};  ///< keys of settings that a goal besides the rate leaves as they are
  int estimated_words = 1024;          ///< whose Gaussian estimate such a goal follows
  bool counted = true;                 ///< whether such a point is confirmed by counting, or left estimated

  /// Whether `wrong` is less than one of `words`: rare words are then estimated (rare_words()), and `words`
  /// counted beside.
  bool estimates() const { return wrong * words < 1; }
};

/// Throws Error, naming the field, for wrong below 1e-15, shares outside 0 to 1, numbers below 1, and rates or
/// bandwidths <= 0.
void validate_search(const OperatingPointSearch& search);

/// What was found. Of a unit that decodes at no rate, all but words and wrong is 0. A cascade counts as
/// one chip.
struct OperatingPoint {
  double symbol_rate_bd = 0.0, receiver_bandwidth_hz = 0.0;
  OperatingValues<double> values;      ///< all settings at the point
  double estimated_wrong = 0.0;        ///< share of words wrong by the Gaussian estimate; 0 where none was made
  double rare_wrong = 0.0;             ///< mean over the chips where fewer than one word may be wrong; else 0
  double light_w = 0.0;                ///< of all lasers, of a search by derivatives
  int variables = 0, evaluations = 0;  ///< of a search by derivatives
  int chips = 0, chips_right = 0;      ///< confirmed on, and that passed
  std::int64_t words = 0, wrong = 0;   ///< counted on all these chips
  UnitCost cost;

  /// Whether there is one.
  bool found() const { return symbol_rate_bd > 0; }
  /// All bits of all servers' codes, bit/s.
  double bits_per_s() const;
  /// All watts over all bits, J.
  double energy_per_bit_j() const;
};

/// What is called while a search goes on; all may be empty.
struct SearchProgress {
  std::function<void()> bandwidth_done = {};                   ///< after every bandwidth
  std::function<void(double symbol_rate_bd)> confirming = {};  ///< before words are counted at a rate
  std::function<void()> chip_counted = {};                     ///< after every chip on which they are
  std::function<void()> word_sent = {};  ///< before the words of every unit; may throw to end the search
};

/// The operating point of the study's unit, or, for Goal::rate, of a cascade where its model is that, with its
/// noise and its chips, in searched_sampling(). Chips are calibrated once, with the study's own [time] and
/// [receiver].
///
/// Goal::rate: for each bandwidth, the fastest rate at which five chips, numbers search.chips on, all decode is
/// found by a scan from above and bisection to 2 %. The fastest of these is confirmed on the chips 0 to
/// search.chips - 1, with as many words each; where they do not pass, it is lowered by 5 %, and the then
/// fastest is tried. From a point that passes, 5 % faster ones are tried until one does not.
///
/// Other goals: least() over search_variables(), for the chip of these five whose estimate is worst, from the
/// study's own settings on. The share of words wrong that is asked of the estimate is first what lets chips
/// pass in chips_right of all cases, then less until about as few are counted on the five chips, and less again
/// by small steps until the chips 0 to search.chips - 1 pass. Without search.counted, the first estimated point
/// is the answer.
///
/// Throws Error as the study's trials do, and for what Margin does not follow.
OperatingPoint find_operating_point(const StudyConfig& config, const StudyInputs& inputs,
                                    const OperatingPointSearch& search, const SearchProgress& progress = {});

}  // namespace optinc
