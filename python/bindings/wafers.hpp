#pragma once

#include <memory>
#include <vector>

#include <nanobind/nanobind.h>

#include "physics/layout/floor_plan.hpp"
#include "physics/variation/fabrication_settings.hpp"

/// \file wafers.hpp Wafers that meshes and units are made on, as several sources of this folder know them.

namespace optinc::bindings {

/// Wafers of one process, cut into dies. Copies share what was prepared.
struct Wafer {
  FabricationSettings made;
  FloorPlanSettings layout;
  double wavelength_m = 1550e-9;
  struct Prepared;
  std::shared_ptr<Prepared> prepared;

  /// What the devices of a chip of these meshes share, as a study has it: nothing where every spread is 0.
  /// Factorises the field once for the meshes asked for last. Throws Error where they do not fit on the die.
  SharedVariation variation(const std::vector<MeshTopology>& meshes) const;
};

/// ProcessModel and Wafer.
void bind_wafers(nanobind::module_& m);

}  // namespace optinc::bindings
