#pragma once

#include <variant>

#include "physics/mesh/engine/mesh_engine.hpp"

#include "python/bindings/arrays.hpp"

namespace optinc::bindings {

/// Fields (.., ports) through a mesh, to fields of the same shape. Throws Error for another last axis.
template <class Real>
nb::object propagated(const MeshEngine<Real>& engine, const ArrayLike& x);

/// A mesh with all phases and errors set, in one precision, for many fields and for derivatives.
struct SettledMesh {
  std::variant<MeshEngine<double>, MeshEngine<float>> engine;
};

/// Derivatives of a loss: of the mesh's parameters, and of the fields that were sent.
struct FieldGradient {
  MeshGradient parameters;
  nb::object x;
};

}  // namespace optinc::bindings
