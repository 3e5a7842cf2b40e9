#pragma once

#include "physics/thermal/heaters.hpp"

namespace optinc::testing {

/// columns x rows heaters on a lattice.
inline HeaterArray lattice(int columns, int rows, double pitch_x_m, double pitch_y_m) {
  Vector x(columns * rows), y(columns * rows);
  for (int i = 0; i < columns * rows; ++i) {
    x[i] = pitch_x_m * (i / rows);
    y[i] = pitch_y_m * (i % rows);
  }
  return uniform_heaters(x, y);
}

}  // namespace optinc::testing
