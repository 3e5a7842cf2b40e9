#pragma once
// One imperfect mesh after another, each from its own stream, and the rms of what was measured on them.

#include <cmath>
#include <cstdint>
#include <functional>
#include <vector>

#include "physics/mesh/correction.hpp"
#include "physics/mesh/decomposition.hpp"
#include "physics/mesh/engine/mesh_engine.hpp"
#include "physics/random/haar.hpp"
#include "physics/variation/chip_errors.hpp"

#include "tests/support/meshes.hpp"

namespace optinc::testing {

enum class Target { unitary, orthogonal };

inline Matrix haar_target(Target target, int n, std::uint64_t seed, std::uint32_t mesh) {
  Stream s(seed, Purpose::haar, 0, mesh);
  if (target == Target::unitary) return haar_unitary(n, s);
  return haar_orthogonal(n, s).cast<Complex>();
}

/// Mean, rms and the relative standard error of the rms, estimated from the sample itself.
struct Sample {
  double mean = 0, rms = 0, rms_relative_error = 0;
};

inline Sample summarise(const std::vector<double>& values) {
  const auto r = static_cast<double>(values.size());
  double m1 = 0, m2 = 0, m4 = 0;
  for (const double x : values) {
    m1 += x / r;
    m2 += x * x / r;
    m4 += x * x * x * x / r;
  }
  return {m1, std::sqrt(m2), std::sqrt((m4 / (m2 * m2) - 1) / r) / 2};
}

/// What is measured on mesh m, for m = 0 .. meshes - 1. The order of summation does not depend on threads.
inline std::vector<double> measure(int meshes, const std::function<double(std::uint32_t)>& one_mesh) {
  std::vector<double> values(static_cast<std::size_t>(meshes));
#pragma omp parallel for schedule(dynamic)
  for (int m = 0; m < meshes; ++m)
    values[static_cast<std::size_t>(m)] = one_mesh(static_cast<std::uint32_t>(m));
  return values;
}

/// Splitter errors ~ N(0, sigma), independent, nothing else.
inline ErrorModel splitters_only(double sigma) {
  ErrorModel model;
  model.sigma_eta_rad = sigma;
  model.rho_ab = 0.0;
  return model;
}

/// Transfer matrix of a mesh programmed for `target`, corrected for its own splitters, and its clip count.
struct CorrectedMesh {
  Matrix matrix;
  int clipped = 0;
};

inline CorrectedMesh corrected_mesh(const Matrix& target, double sigma, const MeshAddress& address,
                                    Clipping clipping = Clipping::nearest) {
  const MeshTopology t = clements_topology(static_cast<int>(target.rows()));
  const MeshErrors e = draw_mesh_errors(t, splitters_only(sigma), address);
  const CorrectedProgram c = correct_splitters(t, decompose_clements(target), e.alpha, e.beta, clipping);
  return {transfer_matrix(t, c.program, e), c.clipped};
}

inline Matrix uncorrected_mesh(const Matrix& target, double sigma, const MeshAddress& address) {
  const MeshTopology t = clements_topology(static_cast<int>(target.rows()));
  return transfer_matrix(t, decompose_clements(target), draw_mesh_errors(t, splitters_only(sigma), address));
}

}  // namespace optinc::testing
