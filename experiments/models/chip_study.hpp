#pragma once

#include <memory>
#include <string>
#include <vector>

#include "experiments/models/networks.hpp"
#include "experiments/models/trial_model.hpp"
#include "onn/chip/chip_design.hpp"
#include "onn/task/codes.hpp"

namespace optinc {

/// What all trials of models "chip" and "drift" share.
struct ChipStudy {
  Networks networks;
  std::vector<ChipDesign> designs;    ///< of the networks
  std::vector<std::string> variants;  ///< that are measured
  TrialModel layout;                  ///< without its function
};

/// The networks as hardware and the records of their trials.
std::shared_ptr<const ChipStudy> chip_study(const StudyConfig& config, const Networks& networks);

/// Every network as hardware.
std::vector<ChipDesign> designs_of(const Networks& networks);

}  // namespace optinc
