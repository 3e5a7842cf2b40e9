#pragma once

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
};

/// Every network as hardware.
std::vector<ChipDesign> designs_of(const Networks& networks);

/// The model whose trials are `run` on what the study's chips share.
TrialModel model_of_chips(const StudyConfig& config, const Networks& networks, const Foundry& foundry,
                          void (*run)(const ChipStudy& study, const StudyConfig& at_point, std::uint32_t trial,
                                      std::span<double> record));

}  // namespace optinc
