#pragma once
// Random programs, random errors and error norms that several mesh tests share.

#include <cmath>
#include <cstdint>
#include <limits>

#include "physics/core/field.hpp"
#include "physics/core/units.hpp"
#include "physics/mesh/engine/mesh_engine.hpp"
#include "physics/random/stream.hpp"

namespace optinc::testing {

inline constexpr double eps = std::numeric_limits<double>::epsilon();

inline Stream test_stream(std::uint64_t seed, std::uint32_t trial = 0) {
  return {seed, Purpose::test, 0, trial};
}

inline Vector uniform_phases(Eigen::Index count, Stream& s) {
  return Vector::NullaryExpr(count, [&] { return 2 * constants::pi * s.uniform(); });
}

inline Vector normal_vector(Eigen::Index count, double sigma, Stream& s) {
  return Vector::NullaryExpr(count, [&] { return sigma * s.normal(); });
}

inline MeshProgram random_program(const MeshTopology& t, Stream& s) {
  return {uniform_phases(t.mzi_count(), s), uniform_phases(t.mzi_count(), s), uniform_phases(t.ports, s)};
}

/// Lossless errors: splitters and all phase offsets ~ N(0, sigma).
inline MeshErrors random_errors(const MeshTopology& t, double sigma, Stream& s) {
  MeshErrors e = no_errors(t);
  for (Vector* v : {&e.alpha, &e.beta, &e.theta_offset, &e.phi_offset, &e.output_offset})
    *v = normal_vector(v->size(), sigma, s);
  return e;
}

/// The same with every arm lossy: 0..1 dB on those of MZIs, 0.15 dB on dummies.
inline MeshErrors random_lossy_errors(const MeshTopology& t, double sigma, Stream& s) {
  MeshErrors e = random_errors(t, sigma, s);
  for (Vector* v : {&e.theta_arm_loss_db, &e.phi_arm_loss_db, &e.theta_other_loss_db, &e.phi_other_loss_db})
    *v = Vector::NullaryExpr(v->size(), [&] { return s.uniform(); });
  e.idle_arm_loss_db = 0.15;
  return e;
}

inline MeshEngine<double> settled(const MeshTopology& t, const MeshProgram& p, const MeshErrors& e) {
  MeshEngine<double> engine(t);
  engine.settle(p, e);
  return engine;
}

inline Matrix random_fields(Eigen::Index ports, Eigen::Index words, Stream& s) {
  return Matrix::NullaryExpr(ports, words, [&] {
    const double re = s.normal();
    return Complex(re, s.normal());
  });
}

/// NaN where one is NaN: maxCoeff() alone would leave it out.
template <class Derived>
double max_abs(const Eigen::MatrixBase<Derived>& m) {
  return m.size() == 0 ? 0.0 : m.cwiseAbs().template maxCoeff<Eigen::PropagateNaN>();
}

/// The project's error metric E = ||a - b||_F / sqrt(N).
inline double frobenius_error(const Matrix& a, const Matrix& b) {
  return (a - b).norm() / std::sqrt(static_cast<double>(a.rows()));
}

/// Deviation from a unitary matrix, max |U^H U - 1|.
inline double unitarity_defect(const Matrix& u) {
  return max_abs(u.adjoint() * u - Matrix::Identity(u.cols(), u.cols()));
}

}  // namespace optinc::testing
