#pragma once

#include <array>
#include <cmath>
#include <complex>
#include <numbers>
#include <type_traits>

// Forward differentiation of formulas that are templates over their numbers. Not Eigen's AutoDiffScalar: it has
// no complex values, which the poles of filters need, and leaves the values of new numbers undefined.

namespace optinc {

/// A number and its derivatives in K variables, d(value)/d(variable). Arithmetic and the functions below carry
/// both (the chain rule, exact to rounding). Comparisons look at values alone.
template <class Number, int K>
struct Tangent {
  Number value{};
  std::array<Number, static_cast<std::size_t>(K)> slope{};

  Tangent() = default;
  /// A constant.
  template <class Other>
  requires std::is_convertible_v<Other, Number> Tangent(const Other& constant)
      : value(constant) {}  // NOLINT: formulas mix both
  /// The variable number `k`, at this value.
  static Tangent variable(const Number& at, int k) {
    Tangent x(at);
    x.slope[static_cast<std::size_t>(k)] = Number(1);
    return x;
  }

  Tangent& operator+=(const Tangent& b) {
    value += b.value;
    for (std::size_t k = 0; k < slope.size(); ++k) slope[k] += b.slope[k];
    return *this;
  }
  Tangent& operator-=(const Tangent& b) {
    value -= b.value;
    for (std::size_t k = 0; k < slope.size(); ++k) slope[k] -= b.slope[k];
    return *this;
  }
  Tangent& operator*=(const Tangent& b) {
    for (std::size_t k = 0; k < slope.size(); ++k) slope[k] = slope[k] * b.value + value * b.slope[k];
    value *= b.value;
    return *this;
  }
  Tangent& operator/=(const Tangent& b) {
    value /= b.value;
    for (std::size_t k = 0; k < slope.size(); ++k) slope[k] = (slope[k] - value * b.slope[k]) / b.value;
    return *this;
  }
  Tangent& operator*=(const Number& b) {
    value *= b;
    for (Number& s : slope) s *= b;
    return *this;
  }
  friend Tangent operator+(Tangent a, const Tangent& b) { return a += b; }
  friend Tangent operator-(Tangent a, const Tangent& b) { return a -= b; }
  friend Tangent operator*(Tangent a, const Tangent& b) { return a *= b; }
  friend Tangent operator/(Tangent a, const Tangent& b) { return a /= b; }
  friend Tangent operator*(Tangent a, const Number& b) { return a *= b; }
  friend Tangent operator*(const Number& a, Tangent b) { return b *= a; }
  friend Tangent operator-(Tangent a) { return a *= Number(-1); }
  friend bool operator<(const Tangent& a, const Tangent& b) { return a.value < b.value; }
  friend bool operator>(const Tangent& a, const Tangent& b) { return a.value > b.value; }
};

/// The value of a number, with derivatives or without.
inline double value_of(double x) { return x; }
template <int K>
double value_of(const Tangent<double, K>& x) {
  return x.value;
}

/// f(x) from its value and derivative at x.
template <class Number, int K>
Tangent<Number, K> chained(const Tangent<Number, K>& x, const Number& f, const Number& df) {
  Tangent<Number, K> y(x);
  y *= df;
  y.value = f;
  return y;
}

template <class Number, int K>
Tangent<Number, K> exp(const Tangent<Number, K>& x) {
  const Number f = std::exp(x.value);
  return chained(x, f, f);
}
template <int K>
Tangent<double, K> log(const Tangent<double, K>& x) {
  return chained(x, std::log(x.value), 1 / x.value);
}
/// Without derivatives at 0, where it has none.
template <int K>
Tangent<double, K> sqrt(const Tangent<double, K>& x) {
  const double f = std::sqrt(x.value);
  return chained(x, f, f > 0 ? 0.5 / f : 0.0);
}
template <int K>
Tangent<double, K> asin(const Tangent<double, K>& x) {
  return chained(x, std::asin(x.value), 1 / std::sqrt(1 - x.value * x.value));
}
template <int K>
Tangent<double, K> sin(const Tangent<double, K>& x) {
  return chained(x, std::sin(x.value), std::cos(x.value));
}
template <int K>
Tangent<double, K> cos(const Tangent<double, K>& x) {
  return chained(x, std::cos(x.value), -std::sin(x.value));
}
template <int K>
Tangent<double, K> abs(const Tangent<double, K>& x) {
  return x.value < 0 ? -x : x;
}
template <int K>
Tangent<double, K> erfc(const Tangent<double, K>& x) {
  return chained(x, std::erfc(x.value), -2 * std::numbers::inv_sqrtpi * std::exp(-x.value * x.value));
}

/// Complex number of the same kind: with derivatives where Real has them.
template <class Real>
struct ComplexLike {
  using Type = std::complex<Real>;
};
/// With derivatives.
template <int K>
struct ComplexLike<Tangent<double, K>> {
  using Type = Tangent<std::complex<double>, K>;
};
template <class Real>
using ComplexOf = typename ComplexLike<Real>::Type;

inline double real_part(const std::complex<double>& z) { return z.real(); }
template <int K>
Tangent<double, K> real_part(const Tangent<std::complex<double>, K>& z) {
  Tangent<double, K> x(z.value.real());
  for (std::size_t k = 0; k < x.slope.size(); ++k) x.slope[k] = z.slope[k].real();
  return x;
}

inline std::complex<double> as_complex(double x) { return x; }
template <int K>
Tangent<std::complex<double>, K> as_complex(const Tangent<double, K>& x) {
  Tangent<std::complex<double>, K> z(x.value);
  for (std::size_t k = 0; k < z.slope.size(); ++k) z.slope[k] = x.slope[k];
  return z;
}

}  // namespace optinc
