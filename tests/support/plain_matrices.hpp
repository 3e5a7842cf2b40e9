#pragma once

#include "physics/core/field.hpp"
#include "physics/core/units.hpp"

// Written from the textbook, apart from the code they are held against.

namespace optinc::testing {

using constants::pi;
inline const Complex i(0, 1);

inline Matrix2 matrix2(Complex a, Complex b, Complex c, Complex d) {
  Matrix2 m;
  m << a, b, c, d;
  return m;
}

}  // namespace optinc::testing
