#pragma once

#include <cstdint>
#include <functional>

#include "experiments/study/study_config.hpp"
#include "onn/task/codes.hpp"

namespace optinc {

/// Codes of all servers^2 servers of a cascade, measure.words of them, uniform and independent,
/// (words, servers^2); others at every instant.
Codes cascade_codes(const StudyConfig& config, std::uint32_t trial, std::uint32_t instant = 0);

/// Answers of the words of a cascade, and what its first level sends on, (words, servers).
struct CascadeAnswers {
  Codes between;
  Eigen::Matrix<std::uint32_t, Eigen::Dynamic, 1> found, wanted;  ///< wanted: exact average of all servers
};

/// Sends codes, (words, servers^2), through both levels. `send`: what a unit makes of its servers' codes; units
/// 0 to servers - 1 are the first level, the last one the second.
CascadeAnswers through_cascade(
    const Task& task, const Codes& codes,
    const std::function<Eigen::Matrix<std::uint32_t, Eigen::Dynamic, 1>(int unit, const Codes&)>& send);

/// Number of a unit's chip, of its own for every unit of every trial.
std::uint32_t cascade_chip(const Task& task, std::uint32_t trial, int unit);

}  // namespace optinc
