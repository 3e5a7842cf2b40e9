#include "experiments/study/sweep_shapes.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "onn/chip/heater_power.hpp"
#include "onn/network/full_svd.hpp"
#include "physics/core/check.hpp"

namespace optinc {
namespace {

/// Hidden widths of `depth` layers that begin with `width`, doubled towards the middle in a pyramid. Throws
/// Error for one wider than network.hidden may be.
std::vector<int> hidden_of(std::int64_t width, std::int64_t depth, bool pyramid) {
  constexpr std::int64_t widest = 4096;
  std::vector<int> hidden;
  for (std::int64_t l = 0; l < depth; ++l) {
    const std::int64_t doublings = pyramid ? std::min(l, depth - 1 - l) : 0;
    validate(doublings < 12 && width << doublings <= widest,
             "a pyramid of {} layers of {} (wider than {}). Leave it out.", depth, width, widest);
    hidden.push_back(static_cast<int>(width << doublings));
  }
  return hidden;
}

/// Throws Error where a search would take minutes to enumerate.
void require_small(const ShapeSearch& search, const std::string& where) {
  constexpr double most_neurons = 1e8;
  const auto sum = [](const std::vector<std::int64_t>& v) { return std::accumulate(v.begin(), v.end(), 0.0); };
  const double neurons = sum(search.widths) * sum(search.depths);
  validate(neurons <= most_neurons,
           "{}sweep.shapes has {:.3g} neurons in all its shapes (at most {:.0g}). Search fewer.", where,
           neurons, most_neurons);
}

bool within(const StudyConfig& config, const ShapeSearch& s, const std::vector<int>& hidden) {
  const Network shape = with_full_svd(network_outline(config.task, hidden), config.training.full_svd_layers);
  return static_cast<double>(mzi_count(shape)) <= s.most_mzis && mzi_depth(shape) <= s.most_columns &&
         shape_loss_db(shape, config.chip) <= s.most_loss_db &&
         expected_heater_power_w(shape, config.hardware.heater.p_pi_w) <= s.most_heater_w;
}

}  // namespace

double shape_loss_db(const Network& shape, const ErrorModel& chip) {
  double db = mzi_depth(shape) * 2 * mean_arm_loss_db(chip);
  for (const SigmaULayer& layer : shape.layers) db += 10 * std::log10(layer.blocks());
  return db;
}

std::vector<FieldValue> shapes_within(const StudyConfig& config, const ShapeSearch& search,
                                      const std::string& where) {
  require_small(search, where);
  std::vector<FieldValue> found;
  std::size_t looked_at = 0;
  for (const std::int64_t width : search.widths)
    for (const std::int64_t depth : search.depths)
      for (const bool pyramid : {false, true}) {
        if (pyramid && (!search.pyramids || depth < 3)) continue;
        ++looked_at;
        try {
          const std::vector<int> hidden = hidden_of(width, depth, pyramid);
          if (within(config, search, hidden)) found.push_back(to_field_value(hidden));
        } catch (const Error&) {
          continue;  // widths that do not divide one another, or too wide
        }
      }
  validate(
      !found.empty(),
      "{}none of {} shapes can be built within the budgets (task of {} digits). Allow more, or other widths.",
      where, looked_at, config.task.digits);
  return found;
}

}  // namespace optinc
