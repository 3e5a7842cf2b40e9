#pragma once

#include <complex>

#include <Eigen/Dense>

/// \file field.hpp Field conventions of the whole project, fixed here once
/// (tests/physics/conventions.test.cpp pins them).
///
///   field    complex envelope a in sqrt(W), power |a|^2 in W; time factor exp(-i w t), so that propagation
///            over an optical path multiplies by exp(+i phi)
///   loss     in dB, >= 0, attenuates; multiplies the field by 10^(-dB/20)
///   matrix   forward transfer b = T a, rows are outputs; backward transfer is the transpose (reciprocity)
///   coupler  DC(eta) = [[cos eta, i sin eta], [i sin eta, cos eta]], nominal eta = pi/4
///   MZI      T = DC(pi/4+beta) diag(e^{i theta}, 1) DC(pi/4+alpha) diag(e^{i phi}, 1)
///
///              upper ──[phi]──╮      ╭──[theta]──╮      ╭── upper
///                             │alpha │           │ beta │
///              lower ─────────╯      ╰───────────╯      ╰── lower
///
///            theta internal, phi external (input side); theta = 0 is the cross state, theta = pi the bar state
///   ports    numbered from 0, top to bottom; MZIs of a mesh in column order, top to bottom in a column

namespace optinc {

using Complex = std::complex<double>;  ///< a field, sqrt(W), or a factor of one
using Matrix2 = Eigen::Matrix2cd;      ///< transfer matrix of a 2x2 device
using Matrix = Eigen::MatrixXcd;       ///< transfer matrix, (outputs, inputs)
using Vector = Eigen::VectorXd;        ///< a column of reals, (n)

/// z / |z|; 1 for 0.
inline Complex unit_phase(Complex z) {
  const double magnitude = std::abs(z);
  return magnitude > 0 ? z / magnitude : Complex(1.0);
}

/// Fields of many symbol words on many ports: shape (ports, words), in sqrt(W). Real and imaginary planes are
/// kept apart and words lie next to each other in memory, so that one device acts on many words at once.
/// `Real` is double, or float where speed counts for more than the last nine digits.
template <class Real>
struct FieldBatchOf {
  using Plane = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  Plane re;
  Plane im;

  FieldBatchOf() = default;
  /// No light on any port.
  FieldBatchOf(Eigen::Index ports, Eigen::Index words)
      : re(Plane::Zero(ports, words)), im(Plane::Zero(ports, words)) {}
  /// The planes of complex fields, shape (ports, words).
  explicit FieldBatchOf(const Matrix& fields)
      : re(fields.real().template cast<Real>()), im(fields.imag().template cast<Real>()) {}
  /// Fields of another precision.
  template <class Other>
  explicit FieldBatchOf(const FieldBatchOf<Other>& fields)
      : re(fields.re.template cast<Real>()), im(fields.im.template cast<Real>()) {}

  /// Rows.
  Eigen::Index ports() const { return re.rows(); }
  /// Columns.
  Eigen::Index words() const { return re.cols(); }

  /// The same fields as one complex matrix, shape (ports, words).
  Matrix complex() const {
    Matrix fields(ports(), words());
    fields.real() = re.template cast<double>();
    fields.imag() = im.template cast<double>();
    return fields;
  }
  /// Total power of each word over all ports, W; shape (words).
  auto power_w() const {
    return (re.array().square().colwise().sum() + im.array().square().colwise().sum()).matrix().eval();
  }
};
using FieldBatch = FieldBatchOf<double>;  ///< fields in double precision

/// A column of reals, (n).
template <class Real>
using VectorOf = Eigen::Matrix<Real, Eigen::Dynamic, 1>;

/// The same numbers, rounded once to another precision: Eigen's cast<Other>() in registers, which Eigen 3.4
/// does number by number.
template <class Other, class Real>
VectorOf<Other> rounded_to(const VectorOf<Real>& from) {
  VectorOf<Other> to(from.size());
  const Real* const x = from.data();
  Other* const y = to.data();
#pragma omp simd
  for (Eigen::Index i = 0; i < from.size(); ++i) y[i] = static_cast<Other>(x[i]);
  return to;
}

}  // namespace optinc
