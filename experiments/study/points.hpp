#pragma once

#include <functional>

#include "experiments/study/study_config.hpp"

namespace optinc {

/// Points of a study: the product of its sweeps' points, 1 without any. Throws Error above 10^6.
std::size_t point_count(const StudyConfig& config);

/// Where a point lies on every axis; the last axis runs fastest.
std::vector<std::size_t> point_index(const StudyConfig& config, std::size_t point);

/// The configuration at a point: what its sweeps assign, and what an ablation leaves switched on. It has no
/// sweeps.
StudyConfig config_at(const StudyConfig& config, std::size_t point);

/// What config_at gives at each point of a study, which must outlive it. Sweeps of many values are copied once
/// in all, not for every point.
class StudyPoints {
 public:
  /// Copies the study without its sweeps.
  explicit StudyPoints(const StudyConfig& config);
  /// Throws Error as point_count() does.
  std::size_t size() const { return point_count(config_); }
  StudyConfig operator[](std::size_t point) const;

 private:
  const StudyConfig& config_;
  StudyConfig unswept_;
};

/// The configuration at every point, each checked as validate_config does, for a sweep may leave what keys
/// allow each other. Throws Error that opens with "at POINT: "; whatever `at_each` throws, called before every
/// point.
std::vector<StudyConfig> checked_points(const StudyConfig& config, const std::function<void()>& at_each = {});

/// "sigma_eta_rad = 0.01, ablation = all but DAC": a point in words; empty without sweeps.
std::string point_label(const StudyConfig& config, std::size_t point);

/// The last word of a key: "sigma_eta_rad" of "chip.sigma_eta_rad"; "network" of "network.source".
std::string key_name(std::string_view key);

/// The field of a key with its value in force. Throws Error for an unknown one.
FieldEntry entry_of(const StudyConfig& config, std::string_view key);

/// Whether a value switches its source of error off: false, 0 or 0.0.
bool is_off(const FieldValue& value);

}  // namespace optinc
