#pragma once

#include <future>
#include <span>
#include <string>
#include <vector>

#include "experiments/models/foundry.hpp"
#include "experiments/models/networks.hpp"
#include "experiments/models/trial_model.hpp"
#include "onn/chip/chip_design.hpp"
#include "onn/task/codes.hpp"

namespace optinc {

/// What all trials of a model of chips share: chip, waveform, drift.
struct ChipStudy {
  Networks networks;
  std::vector<ChipDesign> designs;    ///< of the networks
  std::vector<std::string> variants;  ///< that are measured
  TrialModel layout;                  ///< without its function
  Foundry foundry = Foundry();        ///< of all its chips
  /// Of every network without errors, the outputs (M, words) for all words of its task: computed at the first
  /// get(). See error_free_outputs().
  std::vector<std::shared_future<Eigen::MatrixXd>> error_free = {};
};

/// Outputs (M, words) of a study's network `number` without errors, in float64, for these words: where no more
/// than most_design_words exist, from outputs that are computed once for all trials.
Eigen::MatrixXd error_free_outputs(const ChipStudy& study, std::size_t number,
                                   const std::vector<std::uint64_t>& words);

/// Every network as hardware.
std::vector<ChipDesign> designs_of(const Networks& networks);

/// The model whose trials are `run` on what the study's chips share.
TrialModel model_of_chips(const StudyConfig& config, const Networks& networks, const Foundry& foundry,
                          void (*run)(const ChipStudy& study, const StudyConfig& at_point, std::uint32_t trial,
                                      std::span<double> record));

}  // namespace optinc
