#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "onn/transmission.hpp"

namespace optinc {

/// How a chip is programmed and what acts on the light: the three cases every study compares.
struct Variant {
  std::string_view name;
  Programming programming;
  bool noisy = false;  ///< the study's noise switches act; otherwise the light is noiseless
};
inline constexpr std::array<Variant, 3> variants = {{
    {"uncorrected", Programming::uncorrected},
    {"corrected", Programming::corrected},
    {"noisy", Programming::corrected, true},
}};

/// What to fabricate and send.
struct ChipLevelPlan {
  ErrorModel model;  ///< the preset whose sigma_eta_rad the levels replace
  LinkSettings link;
  NoiseSwitches noise;                ///< of the variant "noisy"
  std::vector<double> sigma_eta_rad;  ///< levels
  int chips = 30;    ///< per level; levels are paired: the same draws of errors, scaled, and of noise
  int words = 4096;  ///< drawn per chip
  std::uint64_t seed = 1;
};

/// Word accuracy of many chips, all arrays row-major over [level][variant][chip] and what follows.
struct ChipLevels {
  int layers = 0;
  int error_bins = 0;                                       ///< code errors -(4^M - 1) .. 4^M - 1
  std::vector<double> word_accuracy, margin;                ///< [level][variant][chip]
  std::vector<double> matrix_error, matrix_error_in_phase;  ///< [level][variant][chip][layer]
  std::vector<std::int32_t> clipped;                        ///< [level][variant][chip]
  std::vector<std::int64_t> code_error_count;   ///< [level][variant][error bin], over all chips' words
  std::vector<double> word_accuracy_all_words;  ///< [level][variant]: chip 0 on every word of the task
};

/// Fabricates, programs and tests chips, in parallel over chips; the result does not depend on the threads.
/// `progress` is called after every chip, from any thread.
ChipLevels run_chip_levels(const ChipDesign& design, const ChipLevelPlan& plan,
                           const std::function<void()>& progress = {});

/// Outputs y (M, words) of chip 0 for every word of the task, in the order of the enumeration.
Eigen::MatrixXd all_word_outputs(const ChipDesign& design, const ErrorModel& model, const LinkSettings& link,
                                 Programming programming, const NoiseSwitches& noise, std::uint64_t seed);

}  // namespace optinc
