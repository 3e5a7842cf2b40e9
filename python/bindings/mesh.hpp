#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "physics/mesh/engine/mesh_engine.hpp"
#include "physics/mesh/wiring.hpp"
#include "physics/variation/chip_errors.hpp"

#include "python/bindings/arrays.hpp"

namespace optinc::bindings {

/// A mesh's wiring and its engines, to be settled; shared by all that has it.
struct MeshWiring {
  std::string name;  ///< "clements", "reck", or written out as wiring_of() reads it
  MeshTopology topology;
  MeshEngine<double> wide;
  MeshEngine<float> narrow;

  MeshWiring(std::string_view of, int ports) : MeshWiring(wiring_of(of, ports)) {
    if (!is_written_out(of)) name = of;  // of two ports, both are the same
  }
  explicit MeshWiring(MeshTopology of)
      : name(of == clements_topology(of.ports) ? "clements"
             : of == reck_topology(of.ports)   ? "reck"
                                               : wiring_text(of)),
        topology(std::move(of)),
        wide(topology),
        narrow(topology) {}
  template <class Real>
  const MeshEngine<Real>& engine() const {
    if constexpr (std::is_same_v<Real, float>)
      return narrow;
    else
      return wide;
  }
};

/// What was set on a mesh, without errors.
struct Mesh {
  std::shared_ptr<const MeshWiring> wiring;
  MeshProgram program;
  int clipped = 0;
};

/// Errors of a fabricated mesh, and how much of its phase offsets calibration does not know: what fabrication
/// drew of them. Offsets that a user adds are measured, and known.
struct FabricatedErrors : MeshErrors {
  Vector theta_residual, phi_residual;  ///< rad (MZIs)
};

/// A fabricated mesh with what is set on it.
struct MeshChip : Mesh {
  FabricatedErrors errors;
  ErrorModel model;
  MeshAddress address = {};
  std::optional<MeshProgram> static_phases = {};  ///< of one from a wafer: what its heaters make up for
};

/// Phases or errors in the precision of an engine, not copied where they have it.
template <class Real, class Of>
decltype(auto) in_precision(const Of& of) {
  if constexpr (std::is_same_v<Real, double>)
    return (of);
  else
    return of.template cast<Real>();
}

/// Adds phases, wiring, and what sends fields and derivatives through: of a mesh with errors or without.
template <class Any>
void bind_passes(nb::class_<Any>& c);

/// Adds what sends fields through many chips.
void bind_monte_carlo(nb::module_& m, nb::class_<Mesh>& mesh);

}  // namespace optinc::bindings
