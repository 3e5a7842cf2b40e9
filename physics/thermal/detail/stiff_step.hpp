#pragma once
// Plain C++17: this header is read by the one source that Boost's ublas keeps at that standard.

#include <cstddef>

namespace optinc {

/// Carries y' = A y + b + c t from t = 0 over `duration_s` by Boost.Odeint's controlled rosenbrock4, tolerance
/// relative and absolute; A row-major (states, states), b, c and y (states).
void rosenbrock4_linear(std::size_t states, const double* a_per_s, const double* b_per_s,
                        const double* c_per_s2, double duration_s, double tolerance, double* y);

}  // namespace optinc
