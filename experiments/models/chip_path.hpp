#pragma once

#include <cstdint>
#include <vector>

#include "experiments/models/foundry.hpp"
#include "experiments/models/learning/light_channel.hpp"
#include "experiments/study/study_config.hpp"
#include "onn/chip/chip_design.hpp"

namespace optinc {

/// What a unit of a learner's study is made of.
struct UnitDesign {
  const StudyConfig* config = nullptr;  ///< with the task of its level
  const Network* network = nullptr;
  const ChipDesign* design = nullptr;
  Foundry foundry = Foundry();
};

/// Codes through chip `number` of the study as a variant has it: in operation from the beginning, or through
/// the life that [drift] gives it, whose instants the training's steps share equally. By its map or through its
/// meshes, as learner.engine says. The designs must outlive it.
CodeAverager chip_path(const UnitDesign& unit, std::string_view variant, std::uint32_t number);

/// Codes of all servers through learner.levels levels of such units, of the networks themselves, or Q(mean), as
/// learner.aggregator says; and what learner.error_rate adds. Trial `trial` has chips of its own.
CodeAverager code_path(const StudyConfig& config, const std::vector<UnitDesign>& levels,
                       std::string_view variant, std::uint32_t trial);

}  // namespace optinc
