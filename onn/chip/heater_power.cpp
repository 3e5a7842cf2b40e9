#include "onn/chip/heater_power.hpp"

#include "onn/network/network.hpp"
#include "physics/core/units.hpp"
#include "physics/mesh/haar_phases.hpp"

namespace optinc {

double expected_theta_rad(Wiring wiring, int ports) {
  if (ports < 2) return 0.0;
  return wiring == Wiring::sum ? constants::pi / 2 : mean_mesh_theta_orthogonal_rad(ports);
}

double expected_heater_power_w(const Network& network, double pi_power_w) {
  double turns = 0.0;  // of pi
  for (const SigmaULayer& layer : network.layers) {
    const int n = layer.block_size();
    const bool sum = layer.wiring == Wiring::sum;
    const double theta = expected_theta_rad(layer.wiring, n);
    const double attenuators = layer.attenuated ? (sum ? 1 : n) : 0;
    turns += layer.blocks() * ((sum ? n - 1 : n * (n - 1) / 2.0) + attenuators) * (constants::pi + theta) /
             constants::pi;
  }
  return pi_power_w * turns;
}

}  // namespace optinc
