#include "onn/heater_estimate.hpp"

#include "onn/network.hpp"
#include "physics/core/units.hpp"
#include "physics/mesh/haar_phases.hpp"

namespace optinc {

double expected_heater_power_w(const Task& task, std::span<const int> hidden, double pi_power_w) {
  double turns = 0.0;  // of pi
  for (const SigmaULayer& layer : make_network(task, hidden).layers) {
    const int n = layer.block_size();
    const double theta = n >= 2 ? mean_mesh_theta_orthogonal_rad(n) : 0.0;
    turns += layer.blocks() * (n * (n - 1) / 2.0 + n) * (constants::pi + theta) / constants::pi;
  }
  return pi_power_w * turns;
}

}  // namespace optinc
