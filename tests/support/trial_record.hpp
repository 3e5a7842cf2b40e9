#pragma once

#include <string_view>
#include <vector>

#include "experiments/models/trial_model.hpp"

namespace optinc {

/// What one trial recorded, and how.
struct TrialRecord {
  TrialModel model;
  std::vector<double> record;

  /// Cells of a metric for one variant, by its number among those measured.
  std::vector<double> of(std::string_view metric, std::size_t variant) const {
    const Quantity& q = *model.find(metric);
    const std::size_t each = q.size() / q.shape[0];
    const auto from = record.begin() + static_cast<std::ptrdiff_t>(q.offset + variant * each);
    return {from, from + static_cast<std::ptrdiff_t>(each)};
  }
};

}  // namespace optinc
