#include "physics/variation/wafer_map.hpp"

#include <cmath>
#include <utility>

#include "physics/core/check.hpp"

namespace optinc {

void validate_wafer_map(const WaferMap& m) {
  for (const auto& [name, value] :
       {std::pair{"radius_m", m.radius_m}, {"die_length_m", m.die_length_m}, {"die_width_m", m.die_width_m}})
    validate_field(std::isfinite(value) && value > 0.0, name,
                   "{} (a length is finite and > 0). Give {} in metres.", value, name);
  validate_field(m.edge_exclusion_m >= 0.0 && m.edge_exclusion_m < m.radius_m, "edge_exclusion_m",
                 "{} (0 or more, and less than the wafer's radius {}). Give a smaller one.", m.edge_exclusion_m,
                 m.radius_m);
}

std::vector<DiePosition> dies_on_wafer(const WaferMap& m) {
  validate_wafer_map(m);
  const double usable = m.radius_m - m.edge_exclusion_m;
  const int rows = static_cast<int>(usable / m.die_width_m) + 1;
  const int columns = static_cast<int>(usable / m.die_length_m) + 1;
  std::vector<DiePosition> dies;
  for (int r = -rows; r <= rows; ++r)
    for (int c = -columns; c <= columns; ++c) {
      const double x = c * m.die_length_m, y = r * m.die_width_m;  // centre
      if (std::hypot(std::abs(x) + m.die_length_m / 2, std::abs(y) + m.die_width_m / 2) <= usable)
        dies.push_back({x - m.die_length_m / 2, y - m.die_width_m / 2});
    }
  validate_field(
      !dies.empty(), "die_length_m",
      "{0} (no die of {0} x {1} m fits a usable radius of {2} m). Give smaller dies or a larger wafer.",
      m.die_length_m, m.die_width_m, usable);
  return dies;
}

ChipOrigin chip_origin(const std::vector<DiePosition>& dies, std::uint32_t chip) {
  const auto count = static_cast<std::uint32_t>(dies.size());
  return {chip / count, chip % count, dies[chip % count]};
}

}  // namespace optinc
