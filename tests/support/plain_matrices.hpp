#pragma once

#include "physics/core/field.hpp"

// Written from the textbook, apart from the code they are held against.

namespace optinc::testing {

inline constexpr double pi = 3.14159265358979323846;
inline const Complex i(0, 1);

inline Matrix2 matrix2(Complex a, Complex b, Complex c, Complex d) {
  Matrix2 m;
  m << a, b, c, d;
  return m;
}

}  // namespace optinc::testing
