#pragma once

#include <cstdint>

#include "experiments/engine/config/study_config.hpp"
#include "onn/task/codes.hpp"

namespace optinc {

/// Codes of all servers^2 servers of a cascade, measure.words of them, uniform and independent,
/// (words, servers^2).
Codes cascade_codes(const StudyConfig& config, std::uint32_t trial);

}  // namespace optinc
