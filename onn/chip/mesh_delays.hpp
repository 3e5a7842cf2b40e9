#pragma once

#include <functional>

#include "onn/chip/environment.hpp"
#include "physics/mesh/group_delay.hpp"

namespace optinc {

/// Group delays of the paths of a mesh in an environment: of the waveguide between its ends
/// (UnitHardware::routing over the length of the floor plan), and of what phases and splitters make of it
/// (path_delays). `transfer`: the mesh's transfer matrix in an environment (errors_in).
PathDelays mesh_delays(const std::function<Matrix(const Environment&)>& transfer, const Environment& change,
                       const MeshTopology& topology, const UnitHardware& hardware);

}  // namespace optinc
