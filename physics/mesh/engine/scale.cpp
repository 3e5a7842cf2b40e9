#include "physics/mesh/engine/scale.hpp"

#include <algorithm>
#include <cmath>

#include "physics/core/check.hpp"

namespace optinc {
namespace {

constexpr int columns_per_rescale = 32;

/// Whether column c holds every pair (first, first+1), (first+2, first+3), .. and nothing else.
bool dense_from(const MeshTopology& t, int c, int first) {
  const auto column = t.column(c);
  if (static_cast<int>(column.size()) != (t.ports - first) / 2) return false;
  for (std::size_t i = 0; i < column.size(); ++i)
    if (column[i].upper != first + 2 * static_cast<int>(i) || column[i].lower != column[i].upper + 1)
      return false;
  return true;
}

}  // namespace

template <class Real>
ScaledMesh<Real> scale_mesh(const MeshTopology& topology, const MeshState& state) {
  ScaledMesh<Real> mesh;
  mesh.ports = topology.ports;
  mesh.mzis.resize(topology.mzis.size());
  std::vector<Complex> scale(static_cast<std::size_t>(topology.ports), Complex(1.0));
  std::vector<bool> used(scale.size());

  const auto add_column = [&](int c) {
    std::fill(used.begin(), used.end(), false);
    auto k = static_cast<std::size_t>(topology.column_begin[static_cast<std::size_t>(c)]);
    for (const auto& [upper, lower] : topology.column(c)) {
      const Matrix2& t = state.mzis[k];
      Complex& d1 = scale[static_cast<std::size_t>(upper)];
      Complex& d2 = scale[static_cast<std::size_t>(lower)];
      const Complex a = t(0, 0) * d1, b = t(0, 1) * d2, cc = t(1, 0) * d1, d = t(1, 1) * d2;
      const bool cross = std::abs(t(0, 0)) * std::abs(t(1, 1)) < std::abs(t(0, 1)) * std::abs(t(1, 0));
      const Complex f = cross ? a / b : b / a, g = cross ? d / cc : cc / d;
      validate(std::isfinite(std::abs(f)) && std::isfinite(std::abs(g)),
               "MZI {} (ports {} and {}) has a matrix with NaN, infinity or no way through (nothing passes). "
               "Check its phases and losses.",
               k, upper, lower);
      mesh.mzis[k] = {static_cast<Real>(f.real()),
                      static_cast<Real>(f.imag()),
                      static_cast<Real>(g.real()),
                      static_cast<Real>(g.imag()),
                      upper,
                      lower,
                      cross ? 1 : 0};
      // a cross pivot computes y1 from x2's side: first = x2 + (a'/b') x1
      d1 = cross ? b : a;
      d2 = cross ? cc : d;
      used[static_cast<std::size_t>(upper)] = used[static_cast<std::size_t>(lower)] = true;
      ++k;
    }
    for (std::size_t p = 0; p < scale.size(); ++p)
      if (!used[p]) scale[p] *= state.idle_factor;
  };
  const auto store_scale = [&] {
    for (Complex& d : scale) {
      mesh.scale_re.push_back(static_cast<Real>(d.real()));
      mesh.scale_im.push_back(static_cast<Real>(d.imag()));
      d = 1.0;
    }
  };
  const auto begin_of = [&](int c) {
    return static_cast<std::size_t>(topology.column_begin[static_cast<std::size_t>(c)]);
  };

  int since_rescale = 0;
  for (int c = 0; c < topology.columns();) {
    const bool fused =
        c + 1 < topology.columns() && dense_from(topology, c, 0) && dense_from(topology, c + 1, 1);
    ScaledColumns columns{begin_of(c), begin_of(c + 1) - begin_of(c), 0, 0, fused, false};
    add_column(c);
    if (fused) {
      columns.second_first = begin_of(c + 1);
      columns.second_count = begin_of(c + 2) - begin_of(c + 1);
      add_column(c + 1);
    }
    c += fused ? 2 : 1;
    since_rescale += fused ? 2 : 1;
    if (since_rescale >= columns_per_rescale && c < topology.columns()) {
      columns.rescale_after = true;
      store_scale();
      since_rescale = 0;
    }
    mesh.columns.push_back(columns);
  }
  for (std::size_t p = 0; p < scale.size(); ++p) scale[p] *= state.output[static_cast<Eigen::Index>(p)];
  store_scale();
  return mesh;
}

template ScaledMesh<float> scale_mesh<float>(const MeshTopology&, const MeshState&);
template ScaledMesh<double> scale_mesh<double>(const MeshTopology&, const MeshState&);

}  // namespace optinc
