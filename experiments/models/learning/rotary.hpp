#pragma once

#include <cmath>

#include "experiments/models/learning/matrix.hpp"

namespace optinc {

/// Cosine and sine of the angles p 10000^(-2 i / width) that rotary positions p turn pair i of a head by, both
/// of shape (head width / 2, length) (Su et al. 2021).
template <class Real>
struct RotaryAngles {
  MatrixOf<Real> cosine;
  MatrixOf<Real> sine;
};

/// The angles of places 0 .. length - 1 in heads of this even width.
template <class Real>
RotaryAngles<Real> rotary_angles(int head_width, Eigen::Index length) {
  const int half = head_width / 2;
  RotaryAngles<Real> angles{MatrixOf<Real>(half, length), MatrixOf<Real>(half, length)};
  for (Eigen::Index p = 0; p < length; ++p) {
    for (int i = 0; i < half; ++i) {
      const double angle = static_cast<double>(p) * std::pow(10000.0, -static_cast<double>(i) / half);
      angles.cosine(i, p) = static_cast<Real>(std::cos(angle));
      angles.sine(i, p) = static_cast<Real>(std::sin(angle));
    }
  }
  return angles;
}

/// Turns x, shape (heads head width, tokens), in place: the pairs (i, i + head width / 2) of every head by the
/// angle of the token's place in its sequence; direction 1, or -1 to turn back. The product of a turned query
/// with a turned key then depends on the difference of their places alone.
template <class Real>
void rotary_turn(const RotaryAngles<Real>& angles, int heads, Real direction, MatrixOf<Real>& x) {
  const Eigen::Index half = angles.cosine.rows(), length = angles.cosine.cols();
  for (Eigen::Index t = 0; t < x.cols(); ++t) {
    const Real* const cosine = angles.cosine.col(t % length).data();
    const Real* const sine = angles.sine.col(t % length).data();
    for (Eigen::Index h = 0; h < heads; ++h) {
      Real* const first = x.col(t).data() + 2 * h * half;
      Real* const second = first + half;
      for (Eigen::Index i = 0; i < half; ++i) {
        const Real u = first[i], v = second[i], turned = direction * sine[i];
        first[i] = cosine[i] * u - turned * v;
        second[i] = turned * u + cosine[i] * v;
      }
    }
  }
}

}  // namespace optinc
