#include "onn/chip/unit_floor_plan.hpp"

#include <fmt/format.h>

#include "onn/network/carry_chain.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/networks.hpp"
#include "tests/support/refusal.hpp"

using namespace optinc;

// Fails when a block's attenuators have the place of its mesh, or what has no MZIs gets a place.
TEST_CASE("every mesh of a unit has a name and a place of its own") {
  const ChipDesign design = design_chip(random_network({4, 4}, {16, 16}));
  const UnitFloorPlan plan = unit_floor_plan(design);
  REQUIRE(plan.names.size() == plan.die.meshes.size());
  std::size_t i = 0;
  int mzis = 0;
  for (std::size_t l = 0; l < design.layers.size(); ++l)
    for (std::size_t b = 0; b < design.layers[l].blocks.size(); ++b) {
      const BlockDesign& block = design.layers[l].blocks[b];
      for (const auto& [part, topology] :
           {std::pair("mesh", &block.mesh), {"attenuators", &block.attenuators}}) {
        if (topology->mzi_count() == 0) continue;
        REQUIRE(i < plan.names.size());
        CHECK(plan.names[i] == fmt::format("layer{}/block{}/{}", l, b, part));
        CHECK(plan.topologies[i] == *topology);
        CHECK(plan.die.meshes[i].theta.count() == topology->mzi_count());
        mzis += topology->mzi_count();
        ++i;
      }
    }
  CHECK(i == plan.names.size());
  CHECK(mzis == design.mzi_count());
}

TEST_CASE("the die of a unit is as wide as its longest mesh") {
  const ChipDesign design = design_chip(carry_chain({4, 4, Rounding::half_up}));
  double longest = 0;
  const UnitFloorPlan plan = unit_floor_plan(design, {}, {.width_m = 1e-6});
  for (const MeshFloorPlan& mesh : plan.die.meshes) longest = std::max(longest, mesh.length_m);
  CHECK(plan.die.length_m == longest);
  CHECK(unit_floor_plan(design).die.length_m > longest);
}
