#pragma once

#include <span>
#include <string_view>

#include "experiments/models/trial_model.hpp"

namespace optinc {

/// The record of one trial, by metric and variant.
class Recorder {
 public:
  /// Both must outlive it.
  Recorder(const TrialModel& layout, std::span<double> record) : layout_(layout), record_(record) {}

  /// The cells of a metric for one variant; empty when the study does not measure it.
  std::span<double> cells(std::string_view metric, std::size_t variant) const {
    const Quantity* q = layout_.find(metric);
    if (q == nullptr) return {};
    const std::size_t each = q->size() / q->shape.front();
    return record_.subspan(q->offset + variant * each, each);
  }
  /// Keeps one value, where the study measures it.
  void put(std::string_view metric, std::size_t variant, double value) const {
    const auto where = cells(metric, variant);
    if (!where.empty()) where[0] = value;
  }

 private:
  const TrialModel& layout_;
  std::span<double> record_;
};

}  // namespace optinc
