#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <vector>

#include "experiments/models/trial_model.hpp"
#include "experiments/study/study_config.hpp"
#include "onn/budget/unit_cost.hpp"

// The fastest symbol rate at which a unit still decodes, and what it costs at just that rate.

namespace optinc {

/// What counts as decoding, and where to look for it.
struct OperatingPointSearch {
  double wrong = 1e-4;        ///< most of the words wrong on a chip that passes
  double chips_right = 0.95;  ///< share of the chips that must pass
  int chips = 100;            ///< that a point is confirmed on
  int words = 30'000;         ///< on each chip, drawn
  std::vector<double> bandwidths_hz = {8e9, 12e9, 16e9, 20e9, 24e9, 28e9, 32e9, 40e9, 50e9};  ///< of receivers
  double slowest_bd = 5e9, fastest_bd = 200e9;

  /// Whether `wrong` is less than one of `words`. The search then extrapolates from words with more noise
  /// (extrapolated_share()), which may be off by a factor of ten and more; the point is confirmed by counting.
  bool extrapolates() const { return wrong * words < 1; }
  /// Words counted on each chip that a point is confirmed on: `words`, or the multiple of it of which three may
  /// be wrong (of 3 / wrong words without an error, 95 % confidence that at most `wrong` of all are).
  std::int64_t counted_words() const {
    return extrapolates() ? words * static_cast<std::int64_t>(std::ceil(3 / (wrong * words) - 1e-9)) : words;
  }
};

/// Throws Error, naming the field, for wrong below 1e-8, shares outside 0 to 1, numbers below 1, and rates or
/// bandwidths <= 0.
void validate_search(const OperatingPointSearch& search);

/// What else averages, built from the same modulators, receivers, converters and light as the ends of the
/// unit's own lanes (E: watts of the servers' modulators and receivers over all bits), J a bit. Serialisers,
/// clock recovery, buffers and protocols are counted in the electrical switch alone.
struct Opponents {
  double ring_j = 0.0;  ///< ring all-reduce: every bit crosses 2 (N - 1)/N ends, 2 (N - 1)/N E
  double adding_switch_j =
      0.0;  ///< electrical switch that adds: 2 E and a packet switch, electrical_switch_j_per_bit
  double electronics_j = 0.0;  ///< unit P, M receivers, an adder and M modulators lit for N servers in place of
                               ///< the meshes: (1 + 1/N) E, the servers' light once more, and N additions of
                               ///< 8 bits a word, 0.03 pJ each (M. Horowitz 2014, ISSCC, p. 10)
};

/// What was found. Of a unit that decodes at no rate, all but words and wrong is 0. A cascade counts as
/// one chip.
struct OperatingPoint {
  double symbol_rate_bd = 0.0, receiver_bandwidth_hz = 0.0;
  int chips = 0, chips_right = 0;     ///< confirmed on, and that passed
  std::int64_t words = 0, wrong = 0;  ///< counted on all these chips
  UnitCost cost;
  Opponents opponents;

  /// Whether there is one.
  bool found() const { return symbol_rate_bd > 0; }
  /// All bits of all servers' codes, bit/s.
  double bits_per_s() const;
  /// All watts over all bits, J.
  double energy_per_bit_j() const;
};

/// What is called while a search goes on; all may be empty.
struct SearchProgress {
  std::function<void()> bandwidth_done;                   ///< after every bandwidth
  std::function<void(double symbol_rate_bd)> confirming;  ///< before words are counted at a rate
  std::function<void()> chip_counted;                     ///< after every chip on which they are
  std::function<void()> word_sent;  ///< before the words of every unit; may throw to end the search
};

/// How a study's words are sent where a rate is looked for: clocked unless it says unclocked.
Sampling searched_sampling(const StudyConfig& config);

/// The operating point of the study's unit, or of a cascade where its model is that, with its noise and its
/// chips, in searched_sampling(). For each bandwidth, the fastest rate at which five chips, numbers
/// search.chips on, all decode is found by a scan from above and bisection to 2 %. The fastest of these is
/// confirmed on the chips 0 to search.chips - 1, with counted_words() each; where they do not pass, it is
/// lowered by 5 %, and the then fastest is tried. From a point that passes, 5 % faster ones are tried until one
/// does not. Chips are calibrated once, with the study's own [time] and [receiver]. Throws Error as the study's
/// trials do.
OperatingPoint find_operating_point(const StudyConfig& config, const StudyInputs& inputs,
                                    const OperatingPointSearch& search, const SearchProgress& progress = {});

}  // namespace optinc
