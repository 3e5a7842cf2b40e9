#include "physics/layout/placement.hpp"

#include <algorithm>
#include <cmath>

#include "physics/core/check.hpp"

namespace optinc {
namespace {

/// The next multiple of step at or above x, a rounding error below x counted as x.
double round_up(double x, double step) { return step * std::ceil(x / step - 1e-9); }

}  // namespace

double DiePlan::mesh_area_m2() const {
  double area = 0.0;
  for (const MeshFloorPlan& mesh : meshes) area += mesh.area_m2();
  return area;
}

DiePlan place_meshes(std::span<const MeshTopology> topologies, const FloorPlanSettings& settings,
                     const DieSettings& die) {
  validate_floor_plan(settings);
  validate(std::isfinite(die.width_m) && die.width_m > 0.0,
           "die width_m = {} (a die is finite and wider than 0). Give its width in metres.", die.width_m);
  validate_field(std::isfinite(die.gap_m) && die.gap_m >= 0.0, "gap_m",
                 "{} between meshes (a distance is finite and >= 0). Give gap_m >= 0.", die.gap_m);
  const double quarter = settings.mzi_length_m / 4, half_pitch = settings.mzi_width_m / 4;
  DiePlan plan;
  double x = 0.0, row_y = 0.0, row_width = 0.0;
  for (const MeshTopology& topology : topologies) {
    const double length = topology.columns() * settings.mzi_length_m + arm_length_m(settings);
    validate(
        length <= die.width_m,
        "a mesh of {} ports in {} columns is {} m long (the die is {} m wide). Give a wider die, a shorter MZI "
        "or a smaller mesh.",
        topology.ports, topology.columns(), length, die.width_m);
    if (x + length > die.width_m) {
      x = 0.0;
      row_y = round_up(row_y + row_width + die.gap_m, half_pitch);
      row_width = 0.0;
    }
    plan.meshes.push_back(floor_plan(topology, settings, x, row_y));
    const MeshFloorPlan& mesh = plan.meshes.back();
    row_width = std::max(row_width, mesh.width_m);
    plan.length_m = std::max(plan.length_m, x + mesh.length_m);
    plan.width_m = std::max(plan.width_m, row_y + mesh.width_m);
    x = round_up(x + mesh.length_m + die.gap_m, quarter);
  }
  return plan;
}

std::vector<Warning> die_plan_warnings(const DiePlan& plan) {
  const double shorter = std::min(plan.length_m, plan.width_m), longer = std::max(plan.length_m, plan.width_m);
  if (shorter <= 26e-3 && longer <= 33e-3) return {};
  return {{"length_m",
           fmt::format("a die of {:.1f} x {:.1f} mm does not fit the 26 x 33 mm field of a scanner: it takes "
                       "stitching or several dies",
                       1e3 * plan.length_m, 1e3 * plan.width_m)}};
}

}  // namespace optinc
