#include "onn/link/schedule.hpp"

#include <algorithm>
#include <limits>

#include "physics/core/check.hpp"

namespace optinc {
namespace {

/// When the light of an input is there.
double arrival_s(const Schedule& s, const LaneDesign& lane) {
  return lane.source < 0 ? 0.0 : s.ready_s[static_cast<std::size_t>(lane.source)];
}

}  // namespace

double Schedule::waits_s(const ChipDesign& design, std::size_t layer, std::size_t input) const {
  const LaneDesign& lane = design.layers[layer].lanes[input];
  return line_s[layer][input] + (lane.source < 0 ? lane_line_s[static_cast<std::size_t>(lane.row)] : 0.0);
}

Schedule schedule(const ChipDesign& design, std::span<const double> through_s, Skew skew) {
  const std::size_t layers = design.layers.size();
  validate(through_s.size() == layers, "times through {} layers of {} (one each). Give them all.",
           through_s.size(), layers);
  Schedule s;
  const auto digits = static_cast<std::size_t>(design.task.input_digits());
  s.launch_s.assign(digits, 0.0);
  s.lane_line_s.assign(digits, std::numeric_limits<double>::infinity());
  for (std::size_t l = 0; l < layers; ++l) {
    double start = 0.0;
    for (const LaneDesign& lane : design.layers[l].lanes) start = std::max(start, arrival_s(s, lane));
    s.start_s.push_back(start);
    s.ready_s.push_back(start + through_s[l]);
    s.line_s.emplace_back();
    for (const LaneDesign& lane : design.layers[l].lanes) {
      s.line_s[l].push_back(start - arrival_s(s, lane));
      if (lane.source < 0) {
        double& together = s.lane_line_s[static_cast<std::size_t>(lane.row)];
        together = std::min(together, start);
      }
    }
  }
  for (double& together : s.lane_line_s)
    if (!std::isfinite(together)) together = 0.0;  // no one reads it
  for (std::size_t l = 0; l < layers; ++l)
    for (std::size_t i = 0; i < design.layers[l].lanes.size(); ++i)
      if (const LaneDesign& lane = design.layers[l].lanes[i]; lane.source < 0)
        s.line_s[l][i] -= s.lane_line_s[static_cast<std::size_t>(lane.row)];
  if (skew == Skew::at_servers) std::swap(s.launch_s, s.lane_line_s);
  return s;
}

CriticalPath critical_path(const ChipDesign& design, const Schedule& s, std::size_t layer) {
  CriticalPath path;
  for (std::size_t l = layer;;) {
    path.layers.insert(path.layers.begin(), l);
    const auto& lanes = design.layers[l].lanes;
    const LaneDesign& last =
        *std::max_element(lanes.begin(), lanes.end(), [&](const LaneDesign& a, const LaneDesign& b) {
          return std::pair(arrival_s(s, a), a.copies) < std::pair(arrival_s(s, b), b.copies);
        });
    if (last.source < 0) {
      path.copies = last.copies;
      return path;
    }
    l = static_cast<std::size_t>(last.source);
  }
}

}  // namespace optinc
