#include "physics/layout/floor_plan.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "physics/core/check.hpp"

namespace optinc {
namespace {

void set_site(Sites& sites, Eigen::Index i, double x_m, double y_m) {
  sites.x_m[i] = x_m;
  sites.y_m[i] = y_m;
}

Sites empty_sites(Eigen::Index count) { return {Vector::Zero(count), Vector::Zero(count)}; }

/// Row (0 = top) in which each port runs through column c.
std::vector<int> rows_of_ports(const MeshTopology& topology, int c) {
  std::vector<int> row(static_cast<std::size_t>(topology.ports));
  const auto pairs = topology.column(c);
  const bool neighbours =
      std::all_of(pairs.begin(), pairs.end(), [](const PortPair& p) { return p.lower == p.upper + 1; });
  int next = 0;
  std::fill(row.begin(), row.end(), -1);
  if (!neighbours)
    for (const auto& [upper, lower] : pairs) {
      row[static_cast<std::size_t>(upper)] = next++;
      row[static_cast<std::size_t>(lower)] = next++;
    }
  for (int& r : row)
    if (r < 0) r = next++;
  return row;
}

}  // namespace

double arm_length_m(const FloorPlanSettings& s) { return s.mzi_length_m / 2 - s.coupler_length_m; }

void validate_floor_plan(const FloorPlanSettings& s) {
  for (const auto& [name, value] : {std::pair{"mzi_length_m", s.mzi_length_m},
                                    {"mzi_width_m", s.mzi_width_m},
                                    {"heater_length_m", s.heater_length_m}})
    validate_field(std::isfinite(value) && value > 0.0, name,
                   "{} (a length is finite and > 0). Give {} in metres.", value, name);
  validate_field(s.coupler_length_m >= 0.0 && s.coupler_length_m < s.mzi_length_m / 2, "coupler_length_m",
                 "{} (two couplers and two arms share the {} m of an MZI). Give 0 <= coupler_length_m "
                 "< {}.",
                 s.coupler_length_m, s.mzi_length_m, s.mzi_length_m / 2);
  validate_field(s.heater_length_m <= arm_length_m(s), "heater_length_m",
                 "{} (the arm it lies on has {} m = mzi_length_m / 2 - coupler_length_m). Give a "
                 "shorter "
                 "heater or a longer MZI.",
                 s.heater_length_m, arm_length_m(s));
}

std::vector<Warning> floor_plan_warnings(const FloorPlanSettings& s) {
  std::vector<Warning> warnings;
  const auto range = [&](const char* name, double value, double low, double high) {
    if (value < low * (1 - 1e-9) || value > high * (1 + 1e-9))
      warnings.push_back(
          {name, fmt::format("{} = {} m is outside of {}..{} m, what is built", name, value, low, high)});
  };
  range("mzi_length_m", s.mzi_length_m, 100e-6, 300e-6);
  range("mzi_width_m", s.mzi_width_m, 20e-6, 60e-6);
  range("heater_length_m", s.heater_length_m, 50e-6, 400e-6);
  return warnings;
}

MeshFloorPlan floor_plan(const MeshTopology& topology, const FloorPlanSettings& s, double x_m, double y_m) {
  validate_floor_plan(s);
  validate_topology(topology);
  validate(std::isfinite(x_m) && std::isfinite(y_m),
           "corner ({}, {}) of a mesh (a position on the die is finite). Give it in metres.", x_m, y_m);
  const Eigen::Index mzis = topology.mzi_count(), ports = topology.ports, columns = topology.columns();
  const double pitch = s.mzi_width_m / 2, arm = arm_length_m(s);

  MeshFloorPlan plan;
  for (Sites* sites : {&plan.alpha, &plan.beta, &plan.theta, &plan.phi}) *sites = empty_sites(mzis);
  for (Sites* sites : {&plan.theta_arms, &plan.phi_arms}) *sites = empty_sites(columns * ports);
  plan.output = empty_sites(ports);
  plan.arm_length_m = arm;
  plan.x_m = x_m;
  plan.y_m = y_m;
  plan.length_m = static_cast<double>(columns) * s.mzi_length_m + arm;
  plan.width_m = static_cast<double>(ports) * pitch;

  const auto y_of_row = [&](double row) { return y_m + (row + 0.5) * pitch; };
  Eigen::Index k = 0;
  for (int c = 0; c < columns; ++c) {
    const double phi_x = x_m + c * s.mzi_length_m + arm / 2, quarter = s.mzi_length_m / 4;
    const std::vector<int> row = rows_of_ports(topology, c);
    for (Eigen::Index p = 0; p < ports; ++p) {
      const double y = y_of_row(row[static_cast<std::size_t>(p)]);
      set_site(plan.phi_arms, c * ports + p, phi_x, y);
      set_site(plan.theta_arms, c * ports + p, phi_x + 2 * quarter, y);
    }
    for (const auto& [upper, lower] : topology.column(c)) {
      const double upper_row = row[static_cast<std::size_t>(upper)], y = y_of_row(upper_row);
      set_site(plan.phi, k, phi_x, y);
      set_site(plan.alpha, k, phi_x + quarter, y_of_row(upper_row + 0.5));
      set_site(plan.theta, k, phi_x + 2 * quarter, y);
      set_site(plan.beta, k, phi_x + 3 * quarter, y_of_row(upper_row + 0.5));
      ++k;
    }
  }
  for (Eigen::Index p = 0; p < ports; ++p)
    set_site(plan.output, p, x_m + static_cast<double>(columns) * s.mzi_length_m + arm / 2,
             y_of_row(static_cast<double>(p)));
  return plan;
}

Sites joined(std::span<const Sites* const> parts) {
  Eigen::Index count = 0;
  for (const Sites* part : parts) count += part->count();
  Sites all = empty_sites(count);
  Eigen::Index first = 0;
  for (const Sites* part : parts) {
    all.x_m.segment(first, part->count()) = part->x_m;
    all.y_m.segment(first, part->count()) = part->y_m;
    first += part->count();
  }
  return all;
}

Sites heater_sites(const MeshFloorPlan& plan) {
  return joined(std::array{&plan.theta, &plan.phi, &plan.output});
}

}  // namespace optinc
