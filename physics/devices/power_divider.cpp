#include "physics/devices/power_divider.hpp"

#include <numeric>

namespace optinc {

double split_field_factor(int arms) { return 1.0 / std::sqrt(static_cast<double>(arms)); }

Complex combine(std::span<const Complex> fields) {
  return split_field_factor(static_cast<int>(fields.size())) *
         std::accumulate(fields.begin(), fields.end(), Complex(0));
}

double rejected_power_w(std::span<const Complex> fields) {
  double sent = 0.0;
  for (const Complex& e : fields) sent += std::norm(e);
  return sent - std::norm(combine(fields));
}

}  // namespace optinc
