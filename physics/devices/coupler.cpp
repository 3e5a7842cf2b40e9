#include "physics/devices/coupler.hpp"

namespace optinc {

Matrix2 coupler(double eta_rad) {
  const double bar = std::cos(eta_rad), cross = std::sin(eta_rad);
  Matrix2 t;
  t << bar, Complex(0, cross), Complex(0, cross), bar;
  return t;
}

}  // namespace optinc
