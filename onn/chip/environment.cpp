#include "onn/chip/environment.hpp"

#include <cmath>
#include <utility>

#include "physics/devices/coupler.hpp"
#include "physics/devices/phase_shifter.hpp"
#include "physics/devices/waveguide.hpp"
#include "physics/random/stream.hpp"

namespace optinc {
namespace {

/// Errors of splitters of angle pi/4 + error at another wavelength, in place.
void detune(Vector& error_rad, const Environment& change, const SensitivitySettings& settings) {
  constexpr double even = constants::pi / 4;
  for (double& error : error_rad)
    error +=
        detuned_eta_rad(even + error, settings.splitter_rad_per_m / even, change.wavelength_m) - (even + error);
}

}  // namespace

double path_phase_rad_per_m(const Environment& change, const UnitHardware& hardware) {
  Waveguide one_metre = hardware.routing;
  one_metre.length_m = 1.0;
  const double wavelength_m = hardware.laser.wavelength_m;
  return waveguide_phase_slope_rad_per_k(one_metre, wavelength_m) * change.temperature_k +
         waveguide_phase_slope_rad_per_m(one_metre, wavelength_m) * change.wavelength_m;
}

MeshImbalance draw_mesh_imbalance(const MeshTopology& mesh, const SensitivitySettings& settings,
                                  const MeshAddress& address) {
  validate_sensitivity(settings);
  Stream stream(address.seed, Purpose::path_imbalance, address.chip, address.mesh);
  const auto draw = [&](int count) {
    Vector values(count);
    stream.normals(std::span(values.data(), static_cast<std::size_t>(count)));
    return Vector(settings.imbalance_m * values);
  };
  Vector theta = draw(mesh.mzi_count()), phi = draw(mesh.mzi_count());
  return {std::move(theta), std::move(phi), draw(mesh.ports)};
}

ChipImbalance draw_imbalance(const ChipDesign& design, const SensitivitySettings& settings, std::uint64_t seed,
                             std::uint32_t chip) {
  ChipImbalance imbalance;
  std::uint32_t mesh = 0;
  for (const LayerDesign& layer : design.layers) {
    auto& meshes = imbalance.meshes.emplace_back();
    auto& attenuators = imbalance.attenuators.emplace_back();
    for (const BlockDesign& block : layer.blocks) {
      meshes.push_back(draw_mesh_imbalance(block.mesh, settings, {seed, chip, mesh++}));
      attenuators.push_back(draw_mesh_imbalance(block.attenuators, settings, {seed, chip, mesh++}));
      attenuators.back().output_m.setZero();  // there is no output screen behind them
    }
  }
  return imbalance;
}

MeshErrors errors_in(const Environment& change, MeshErrors errors, const MeshProgram& heaters,
                     const MeshImbalance& imbalance, const SensitivitySettings& settings,
                     const UnitHardware& hardware) {
  if (change == Environment{}) return errors;
  const double per_m = path_phase_rad_per_m(change, hardware);
  // a heater makes phi = (2 pi L / lambda) (dn/dT) dT: another wavelength makes less of the same heat
  const double of_heater =
      settings.heater_per_k * change.temperature_k - change.wavelength_m / hardware.laser.wavelength_m;
  const auto shift = [&](Vector& offset, const Vector& path_m, const Vector& phase) {
    for (Eigen::Index i = 0; i < offset.size(); ++i)
      offset[i] += per_m * path_m[i] + of_heater * wrap_phase(phase[i]);
  };
  shift(errors.theta_offset, imbalance.theta_m, heaters.theta);
  shift(errors.phi_offset, imbalance.phi_m, heaters.phi);
  shift(errors.output_offset, imbalance.output_m, heaters.output_phase);
  detune(errors.alpha, change, settings);
  detune(errors.beta, change, settings);
  return errors;
}

MeshVariantErrors errors_in(const Environment& change, MeshVariantErrors errors, MziKind kind,
                            const MeshProgram& heaters, const MeshImbalance& imbalance,
                            const SensitivitySettings& settings, const UnitHardware& hardware) {
  errors.mzis = errors_in(change, std::move(errors.mzis), heaters, imbalance, settings, hardware);
  if (has_third_splitter(kind)) detune(errors.gamma, change, settings);
  return errors;
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
      block.mesh =
          errors_in(change, std::move(block.mesh), phases.mesh, imbalance.meshes[l][b], settings, hardware);
      block.attenuators = errors_in(change, std::move(block.attenuators), phases.attenuators,
                                    imbalance.attenuators[l][b], settings, hardware);
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
