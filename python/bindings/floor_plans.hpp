#pragma once

#include <string>
#include <vector>

#include "physics/layout/placement.hpp"

/// \file floor_plans.hpp Where the devices of meshes lie, as several sources of this folder know it.

namespace optinc::bindings {

/// A mesh that has its place.
struct PlacedMesh {
  std::string name;
  MeshTopology topology;
  FloorPlanSettings settings;
  MeshFloorPlan plan;
};

/// Meshes on one die.
struct PlacedUnit {
  std::vector<PlacedMesh> meshes;
  FloorPlanSettings settings;
  double length_m = 0, width_m = 0;
};

}  // namespace optinc::bindings
