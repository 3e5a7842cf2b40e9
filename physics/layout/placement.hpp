#pragma once

#include <span>
#include <string>
#include <vector>

#include "physics/core/warning.hpp"
#include "physics/layout/floor_plan.hpp"

namespace optinc {

/// The die that meshes are placed on, m. Default width: the short side of the 26 x 33 mm field of a scanner.
struct DieSettings {
  double width_m = 26e-3;  ///< along x, the direction of light in every mesh
  double gap_m = 100e-6;   ///< least distance between two meshes
};

/// Several meshes on one die, which begins at (0, 0).
struct DiePlan {
  std::vector<MeshFloorPlan> meshes;  ///< in the order of the topologies
  double length_m = 0, width_m = 0;   ///< bounding box of all meshes, along x and y

  double area_m2() const { return length_m * width_m; }  ///< of the bounding box, gaps included
  double mesh_area_m2() const;                           ///< sum of the meshes' own boxes
};

/// Places meshes, say every layer of an OptINC unit, in rows: left to right in the order given, a new row below
/// the tallest of the last one where the next mesh does not fit. Corners are rounded up to quarters of an MZI's
/// length and half port pitches, so that every device of the die lies on one lattice (what makes random fields
/// on it exact, random_field.hpp). Throws Error where a mesh is longer than the die is wide or a setting is not
/// finite and positive.
DiePlan place_meshes(std::span<const MeshTopology> topologies, const FloorPlanSettings& settings = {},
                     const DieSettings& die = {});

/// Legal but hard to build: a die beyond the 26 x 33 mm field of a scanner.
std::vector<Warning> die_plan_warnings(const DiePlan& plan);

}  // namespace optinc
