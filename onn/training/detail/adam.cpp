#include "onn/training/detail/adam.hpp"

#include <cmath>

namespace optinc::training {

void name_arrays(StateArrays& arrays, const std::string& name, Moments& moments) {
  arrays(name + "/first", moments.first);
  arrays(name + "/second", moments.second);
}

float adam_rate(double learning_rate, long step) {
  const double correction = std::sqrt(1 - std::pow(beta2, static_cast<double>(step))) /
                            (1 - std::pow(beta1, static_cast<double>(step)));
  return static_cast<float>(learning_rate * correction);
}

}  // namespace optinc::training
