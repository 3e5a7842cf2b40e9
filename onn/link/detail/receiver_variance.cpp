#include "onn/link/detail/receiver_variance.hpp"

namespace optinc {

ReceiverVariance receiver_variance(const ReceiverSettings& receiver, const NoiseSwitches& noise) {
  return receiver_variance(receiver, noise, receiver.lo_power_w, receiver.front_end.bandwidth_hz);
}

}  // namespace optinc
