#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace optinc {

/// The raw results of a study: one record of float64 per point and trial. What was not run is NaN.
struct Records {
  std::size_t points = 0, trials = 0, record_size = 0;
  std::vector<double> values;           ///< [point][trial][record]
  std::vector<std::uint8_t> completed;  ///< [point][trial]

  /// Room for all trials, none run.
  Records(std::size_t point_count, std::size_t trial_count, std::size_t size)
      : points(point_count),
        trials(trial_count),
        record_size(size),
        values(point_count * trial_count * size, std::numeric_limits<double>::quiet_NaN()),
        completed(point_count * trial_count, 0) {}

  /// Whether this trial was run.
  bool has(std::size_t point, std::size_t trial) const { return completed[point * trials + trial] != 0; }
  /// The record of one trial.
  std::span<double> at(std::size_t point, std::size_t trial) {
    return std::span(values).subspan((point * trials + trial) * record_size, record_size);
  }
  /// The record of one trial.
  std::span<const double> at(std::size_t point, std::size_t trial) const {
    return std::span(values).subspan((point * trials + trial) * record_size, record_size);
  }
  /// Keeps the record of a finished trial.
  void put(std::size_t point, std::size_t trial, std::span<const double> record) {
    std::copy(record.begin(), record.end(), at(point, trial).begin());
    completed[point * trials + trial] = 1;
  }

  /// Trials run, of all points or of one.
  std::size_t count() const {
    return static_cast<std::size_t>(std::count(completed.begin(), completed.end(), 1));
  }
  /// The same of one point.
  std::size_t count(std::size_t point) const {
    const auto from = completed.begin() + static_cast<std::ptrdiff_t>(point * trials);
    return static_cast<std::size_t>(std::count(from, from + static_cast<std::ptrdiff_t>(trials), 1));
  }

  /// Values of one cell of the record at a point over the trials run, in order; NaN is left out.
  std::vector<double> cell(std::size_t point, std::size_t offset) const {
    std::vector<double> found;
    for (std::size_t t = 0; t < trials; ++t) {
      const double x = values[(point * trials + t) * record_size + offset];
      if (has(point, t) && x == x) found.push_back(x);
    }
    return found;
  }
};

}  // namespace optinc
