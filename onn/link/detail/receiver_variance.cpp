#include "onn/link/detail/receiver_variance.hpp"

#include <cmath>

namespace optinc {

ReceiverVariance receiver_variance(const ReceiverSettings& receiver, const NoiseSwitches& noise) {
  const double tia = noise.tia ? input_noise_a(receiver.front_end) : 0.0;
  if (!noise.shot) return {tia * tia, 0.0};
  const double dark = std::pow(shot_noise_a(receiver, 0.0), 2);
  return {dark + tia * tia, std::pow(shot_noise_a(receiver, 1.0), 2) - dark};
}

}  // namespace optinc
