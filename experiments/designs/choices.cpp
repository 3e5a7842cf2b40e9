#include "experiments/designs/choices.hpp"

#include <algorithm>

#include <boost/algorithm/string.hpp>

#include "physics/core/check.hpp"

namespace optinc {
namespace {

/// What a goal keeps small.
double cost_for(Goal goal, const OperatingPoint& point) {
  switch (goal) {
    case Goal::rate:
      return -point.symbol_rate_bd;
    case Goal::energy:
      return point.energy_per_bit_j();
    case Goal::light:
      return point.light_w;
  }
  return 0.0;
}

}  // namespace

std::vector<std::vector<std::string>> combinations(const std::vector<std::string>& keys) {
  std::vector<std::vector<std::string>> all(1);
  for (const std::string& asked : keys) {
    const auto equals = asked.find('=');
    validate(equals != std::string::npos && equals > 0 && equals + 1 < asked.size(),
             "\"{}\" to choose from (a key and its values). Write section.key=VALUE,VALUE.", asked);
    std::vector<std::string> values;
    boost::split(values, asked.substr(equals + 1), boost::is_any_of(","));
    std::vector<std::vector<std::string>> longer;
    for (const auto& settings : all)
      for (const std::string& value : values) {
        longer.push_back(settings);
        longer.back().push_back(asked.substr(0, equals + 1) + value);
      }
    all = std::move(longer);
  }
  return all;
}

ChosenPoint best_point(const std::vector<StudyConfig>& studies, const StudyInputs& inputs,
                       const OperatingPointSearch& search, const SearchProgress& progress) {
  OperatingPointSearch first = search;
  first.counted = search.goal == Goal::rate || studies.size() == 1;
  std::vector<ChosenPoint> points;
  for (std::size_t i = 0; i < studies.size(); ++i)
    points.push_back({i, find_operating_point(studies[i], inputs, first, progress)});
  const ChosenPoint none = points.front();
  std::erase_if(points, [](const ChosenPoint& p) { return !p.point.found(); });
  std::ranges::stable_sort(points, {}, [&](const ChosenPoint& p) { return cost_for(search.goal, p.point); });
  if (first.counted || !search.counted) return points.empty() ? none : points.front();
  for (ChosenPoint& p : points) {
    p.point = find_operating_point(studies[p.study], inputs, search, progress);
    if (p.point.found()) return p;
  }
  return points.empty() ? none : points.front();
}

}  // namespace optinc
