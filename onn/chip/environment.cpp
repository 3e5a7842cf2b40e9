#include "onn/chip/environment.hpp"

#include <cmath>

#include "physics/devices/phase_shifter.hpp"
#include "physics/devices/waveguide.hpp"
#include "physics/random/stream.hpp"

namespace optinc {
namespace {

/// Phase of a path difference, rad per m of it: 730 rad/m per K, and -2 pi n_g / lambda^2 per m of wavelength.
double phase_per_m(const Environment& change, const UnitHardware& hardware) {
  Waveguide one_metre = hardware.routing;
  one_metre.length_m = 1.0;
  const double wavelength_m = hardware.laser.wavelength_m;
  return waveguide_phase_slope_rad_per_k(one_metre, wavelength_m) * change.temperature_k +
         waveguide_phase_slope_rad_per_m(one_metre, wavelength_m) * change.wavelength_m;
}

MeshImbalance draw_mesh_imbalance(const MeshTopology& mesh, double rms_m, Stream& stream) {
  const auto draw = [&](int count) {
    Vector values(count);
    stream.normals(std::span(values.data(), static_cast<std::size_t>(count)));
    return Vector(rms_m * values);
  };
  Vector theta = draw(mesh.mzi_count()), phi = draw(mesh.mzi_count());
  return {std::move(theta), std::move(phi), draw(mesh.ports)};
}

/// The errors of one mesh where the environment has changed.
void change_mesh(MeshErrors& errors, const MeshProgram& program, const MeshImbalance& imbalance,
                 const Environment& change, const SensitivitySettings& settings, const UnitHardware& hardware) {
  const double per_m = phase_per_m(change, hardware);
  // a heater makes phi = (2 pi L / lambda) (dn/dT) dT: another wavelength makes less of the same heat
  const double of_heater =
      settings.heater_per_k * change.temperature_k - change.wavelength_m / hardware.laser.wavelength_m;
  const auto shift = [&](Vector& offset, const Vector& path_m, const Vector& phase) {
    for (Eigen::Index i = 0; i < offset.size(); ++i)
      offset[i] += per_m * path_m[i] + of_heater * wrap_phase(phase[i]);
  };
  shift(errors.theta_offset, imbalance.theta_m, program.theta);
  shift(errors.phi_offset, imbalance.phi_m, program.phi);
  shift(errors.output_offset, imbalance.output_m, program.output_phase);
  const double splitter = settings.splitter_rad_per_m * change.wavelength_m;
  errors.alpha.array() += splitter;
  errors.beta.array() += splitter;
}

}  // namespace

ChipImbalance draw_imbalance(const ChipDesign& design, const SensitivitySettings& settings, std::uint64_t seed,
                             std::uint32_t chip) {
  validate_sensitivity(settings);
  ChipImbalance imbalance;
  std::uint32_t mesh = 0;
  for (const LayerDesign& layer : design.layers) {
    auto& meshes = imbalance.meshes.emplace_back();
    auto& attenuators = imbalance.attenuators.emplace_back();
    for (const BlockDesign& block : layer.blocks) {
      Stream of_mesh(seed, Purpose::path_imbalance, chip, mesh++);
      meshes.push_back(draw_mesh_imbalance(block.mesh, settings.imbalance_m, of_mesh));
      Stream of_attenuators(seed, Purpose::path_imbalance, chip, mesh++);
      attenuators.push_back(draw_mesh_imbalance(block.attenuators, settings.imbalance_m, of_attenuators));
      attenuators.back().output_m.setZero();  // there is no output screen behind them
    }
  }
  return imbalance;
}

ChipErrors errors_in(const Environment& change, const ChipErrors& at_calibration, const ChipProgram& program,
                     const ChipImbalance& imbalance, const SensitivitySettings& settings,
                     const UnitHardware& hardware) {
  ChipErrors errors = at_calibration;
  if (change == Environment{}) return errors;
  for (std::size_t l = 0; l < errors.layers.size(); ++l)
    for (std::size_t b = 0; b < errors.layers[l].size(); ++b) {
      BlockErrors& block = errors.layers[l][b];
      const BlockProgram& phases = program.layers[l][b];
      change_mesh(block.mesh, phases.mesh, imbalance.meshes[l][b], change, settings, hardware);
      change_mesh(block.attenuators, phases.attenuators, imbalance.attenuators[l][b], change, settings,
                  hardware);
    }
  return errors;
}

double phase_change_rms(const ChipErrors& a, const ChipErrors& b) {
  double sum = 0.0;
  Eigen::Index count = 0;
  for (std::size_t l = 0; l < a.layers.size(); ++l)
    for (std::size_t i = 0; i < a.layers[l].size(); ++i)
      for (const auto mesh : {&BlockErrors::mesh, &BlockErrors::attenuators})
        for (const auto phase : {&MeshErrors::theta_offset, &MeshErrors::phi_offset}) {
          const Vector& x = (a.layers[l][i].*mesh).*phase;
          sum += (x - (b.layers[l][i].*mesh).*phase).squaredNorm();
          count += x.size();
        }
  return count == 0 ? 0.0 : std::sqrt(sum / static_cast<double>(count));
}

}  // namespace optinc
