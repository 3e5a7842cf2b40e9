#include "onn/chip/unit_floor_plan.hpp"

#include <algorithm>

#include "physics/core/check.hpp"

namespace optinc {

std::string mesh_name(std::size_t layer, std::size_t block, std::string_view part) {
  return fmt::format("layer{}/block{}/{}", layer, block, part);
}

UnitFloorPlan unit_floor_plan(const ChipDesign& design, const FloorPlanSettings& settings, DieSettings die) {
  UnitFloorPlan plan;
  for (std::size_t l = 0; l < design.layers.size(); ++l)
    for (std::size_t b = 0; b < design.layers[l].blocks.size(); ++b) {
      const BlockDesign& block = design.layers[l].blocks[b];
      for (const auto& [part, topology] :
           {std::pair("mesh", &block.mesh), {"attenuators", &block.attenuators}}) {
        if (topology->mzi_count() == 0) continue;
        plan.names.push_back(mesh_name(l, b, part));
        plan.topologies.push_back(*topology);
        die.width_m = std::max(die.width_m, floor_plan(*topology, settings).length_m);
      }
    }
  plan.die = place_meshes(plan.topologies, settings, die);
  return plan;
}

}  // namespace optinc
