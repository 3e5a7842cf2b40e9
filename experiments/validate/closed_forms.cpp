#include "experiments/validate/closed_forms.hpp"

#include <cmath>
#include <numbers>

namespace optinc {

double corrected_orthogonal_error(double n, double sigma) {
  constexpr double pi = std::numbers::pi;
  // density of theta at the cross state of rank k, P_k(0) = Gamma((k+1)/2) / (sqrt(pi) Gamma(k/2))
  double density = (n - 1) / pi;
  for (int k = 1; k < n; ++k)
    density += (n - k) * std::exp(std::lgamma((k + 1) / 2.0) - std::lgamma(k / 2.0)) / std::sqrt(pi);
  return std::sqrt(64 * sigma * sigma * sigma / (6 * std::sqrt(pi)) * density / n);
}

}  // namespace optinc
