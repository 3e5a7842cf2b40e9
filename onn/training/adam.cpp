#include "onn/training/adam.hpp"

#include <cmath>

#include "physics/core/units.hpp"

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

double cosine_schedule(const TrainingSettings& s, double epoch) {
  if (epoch < s.warmup_epochs) return s.learning_rate * epoch / s.warmup_epochs;
  const double progress = (epoch - s.warmup_epochs) / (s.epochs - s.warmup_epochs);
  return 0.5 * s.learning_rate * (1 + std::cos(constants::pi * progress));
}

}  // namespace optinc::training
