#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "physics/core/rows.hpp"

namespace optinc {

/// Values of configuration keys, "section.key" each.
using Assignments = std::vector<std::pair<std::string, FieldValue>>;

/// One key of a sweep and its value at every point.
struct SweptKey {
  std::string key;  ///< "section.key"
  std::vector<FieldValue> values;

  friend bool operator==(const SweptKey&, const SweptKey&) = default;
};

/// One axis of a study: keys that take their values together (one key, or several paired), or an ablation.
/// A study's points are the product of its axes, the last one running fastest.
struct SweepAxis {
  std::string name;                  ///< of the axis in the result file
  std::vector<SweptKey> keys;        ///< all with as many values
  std::vector<std::string> sources;  ///< of an ablation, which has no keys

  /// Whether its points switch sources of error.
  bool ablation() const { return !sources.empty(); }
  /// Points along it.
  std::size_t points() const { return ablation() ? 2 + 2 * sources.size() : keys.front().values.size(); }

  friend bool operator==(const SweepAxis&, const SweepAxis&) = default;
};

/// Labels of an ablation's points: none, only NAME.., all, all but NAME...
std::vector<std::string> ablation_labels(const SweepAxis& axis);
/// Which of the axis' sources act at a point, in its order.
std::vector<bool> ablation_active(const SweepAxis& axis, std::size_t point);

/// How the points of a sweep that is not listed are laid between two ends.
struct SweepDesign {
  std::string method = "linear";  ///< linear, log: even steps; random, sobol, latin-hypercube: fill the box
  std::int64_t points = 0;
  bool log_scale = false;  ///< of a box: even in the logarithm
};
std::span<const std::string_view> sweep_methods();

/// Coordinates in [0, 1] of every point in `dimensions` dimensions: [dimension][point]. `random` and
/// `latin-hypercube` draw from the seed; Sobol points begin with the one at 0 (Joe, Kuo 2008, through Boost).
/// Throws Error for an unknown method, fewer than 2 points of an even sweep, more than 1,000,000 points.
std::vector<std::vector<double>> unit_design(const SweepDesign& design, std::size_t dimensions,
                                             std::uint64_t seed);

/// The value at coordinate u in [0, 1] between two ends, even in the logarithm where asked; to 12 digits.
double between(double from, double to, double u, bool logarithmic);

}  // namespace optinc
