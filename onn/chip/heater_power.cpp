#include "onn/chip/heater_power.hpp"

#include "physics/core/units.hpp"
#include "physics/devices/phase_shifter.hpp"
#include "physics/mesh/haar_phases.hpp"

namespace optinc {
namespace {

double sum_of_powers(const MeshProgram& program) {
  const auto sum = [](const Vector& phases) {
    double total = 0.0;
    for (const double phase : phases) total += wrap_phase(phase);
    return total;
  };
  return (sum(program.theta) + sum(program.phi) + sum(program.output_phase)) / constants::pi;
}

}  // namespace

double heater_power_w(const ChipProgram& program, double pi_power_w) {
  double sum = 0.0;
  for (const auto& layer : program.layers)
    for (const BlockProgram& block : layer) sum += sum_of_powers(block.mesh) + sum_of_powers(block.attenuators);
  return pi_power_w * sum;
}

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
