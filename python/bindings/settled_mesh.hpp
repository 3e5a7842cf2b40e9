#pragma once

#include <memory>
#include <variant>

#include "physics/mesh/engine/mesh_engine.hpp"

#include "python/bindings/arrays.hpp"

namespace optinc::bindings {

template <class Real>
using Fields = Array<const std::complex<Real>>;

/// What was given as fields (.., ports). Throws Error for another last axis, naming `name`.
template <class Real>
Fields<Real> fields_of(const MeshEngine<Real>& engine, const ArrayLike& given, const char* name);

/// Fields x (words, ports) through a mesh, to y (words, ports), on so many threads (0: as many as OpenMP is set
/// to).
template <class Real>
void send(const MeshEngine<Real>& engine, const std::complex<Real>* x, std::size_t words, int threads,
          std::complex<Real>* y);

/// The planes of fields (words, ports), and the way back.
template <class Real>
FieldBatchOf<Real> planes_of(const std::complex<Real>* from, std::size_t ports, std::size_t words);
template <class Real>
void from_planes(const FieldBatchOf<Real>& planes, std::complex<Real>* to);

/// Fields (.., ports) through a mesh, to fields of the same shape: a new array, or `out` if it is not None.
/// Throws Error for another last axis and another out.
template <class Real>
nb::object propagated(const MeshEngine<Real>& engine, const ArrayLike& x, const nb::object& out);

/// A mesh with all phases and errors set, in one precision, for many fields and for derivatives.
struct SettledMesh {
  using Engine = std::variant<MeshEngine<double>, MeshEngine<float>>;
  std::shared_ptr<const Engine> engine;
};

/// Derivatives of a loss: of the mesh's parameters, and of the fields that were sent.
struct FieldGradient {
  MeshGradient parameters;
  nb::object x;
};

}  // namespace optinc::bindings
