#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "onn/chip/chip_design.hpp"
#include "physics/layout/placement.hpp"

namespace optinc {

/// Name of a mesh of a chip, `part` "mesh" or "attenuators": "layer0/block0/mesh".
std::string mesh_name(std::size_t layer, std::size_t block, std::string_view part);

/// Where every mesh of a unit lies, layer by layer, a block's mesh before its attenuators; blocks without MZIs
/// are waveguides and have no place.
struct UnitFloorPlan {
  std::vector<std::string> names;        ///< mesh_name() of each
  std::vector<MeshTopology> topologies;  ///< of each
  DiePlan die;                           ///< the plans, in the same order
};

/// Places the meshes of a unit in rows on one die, which is as wide as `die` says or, where that is more, as
/// its longest mesh. Throws Error as place_meshes() does.
UnitFloorPlan unit_floor_plan(const ChipDesign& design, const FloorPlanSettings& settings = {},
                              DieSettings die = {});

}  // namespace optinc
