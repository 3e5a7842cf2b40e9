#include "onn/chip/heater_power.hpp"

#include "physics/core/units.hpp"
#include "physics/devices/phase_shifter.hpp"
#include "physics/mesh/haar_phases.hpp"

namespace optinc {
namespace {

/// In units of P_pi; `relative`: of every heater, null for 1.
double sum_of_powers(const MeshProgram& program, const MeshProgram* relative) {
  const auto sum = [relative](const Vector& phases, const Vector MeshProgram::*part) {
    double total = 0.0;
    for (Eigen::Index i = 0; i < phases.size(); ++i)
      total += wrap_phase(phases[i]) * (relative == nullptr ? 1.0 : (relative->*part)[i]);
    return total;
  };
  return (sum(program.theta, &MeshProgram::theta) + sum(program.phi, &MeshProgram::phi) +
          sum(program.output_phase, &MeshProgram::output_phase)) /
         constants::pi;
}

}  // namespace

double heater_power_w(const ChipProgram& program, double pi_power_w, const ChipProgram& relative) {
  double sum = 0.0;
  for (std::size_t l = 0; l < program.layers.size(); ++l)
    for (std::size_t b = 0; b < program.layers[l].size(); ++b) {
      const BlockProgram& block = program.layers[l][b];
      const BlockProgram* of = relative.layers.empty() ? nullptr : &relative.layers[l][b];
      sum += sum_of_powers(block.mesh, of ? &of->mesh : nullptr) +
             sum_of_powers(block.attenuators, of ? &of->attenuators : nullptr);
    }
  return pi_power_w * sum;
}

double heater_power_w(const MeshProgram& program, double pi_power_w) {
  return pi_power_w * sum_of_powers(program, nullptr);
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
