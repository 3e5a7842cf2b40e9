#include "python/bindings/mesh_environment.hpp"

#include "onn/chip/calibration.hpp"
#include "onn/chip/mesh_delays.hpp"
#include "physics/core/check_values.hpp"
#include "physics/variation/chip_deviations.hpp"

namespace optinc::bindings {
namespace {

/// Where a chip is used: changes since its calibration, and how it answers to them.
struct Surroundings {
  Environment change;
  SensitivitySettings sensitivity;
  UnitHardware hardware;
};

Surroundings surroundings(double temperature_k, double wavelength_m, const SensitivitySettings& sensitivity,
                          const UnitHardware& hardware) {
  validate_finite("temperature_k", temperature_k);
  validate_finite("wavelength_m", wavelength_m);
  validate_sensitivity(sensitivity);
  validate_hardware(hardware);
  return {{temperature_k, wavelength_m}, sensitivity, hardware};
}

/// Errors of a chip by the environment, as studies have them.
class ErrorsIn {
 public:
  ErrorsIn(const MeshChip& chip, const Surroundings& in)
      : chip_(chip),
        in_(in),
        heaters_(chip.static_phases ? trimmed(chip.program, *chip.static_phases)
                                    : trimmed(chip.program, true, chip.address)),
        imbalance_(draw_mesh_imbalance(chip.wiring->topology, in.sensitivity, chip.address)) {}
  MeshErrors operator()(const Environment& change) const {
    return errors_in(change, chip_.errors, heaters_, imbalance_, in_.sensitivity, in_.hardware);
  }
  Matrix transfer(const Environment& change) const {
    return transfer_matrix(chip_.wiring->topology, chip_.program, (*this)(change));
  }

 private:
  const MeshChip& chip_;
  const Surroundings& in_;
  MeshProgram heaters_;
  MeshImbalance imbalance_;
};

}  // namespace

MeshChip mesh_in_environment(const MeshChip& chip, double temperature_k, double wavelength_m,
                             const SensitivitySettings& sensitivity, const UnitHardware& hardware) {
  const Surroundings in = surroundings(temperature_k, wavelength_m, sensitivity, hardware);
  MeshChip later = chip;
  static_cast<MeshErrors&>(later.errors) = ErrorsIn(chip, in)(in.change);
  return later;
}

Array<Complex> matrices(const MeshChip& given, const ArrayLike& wavelengths_m, double temperature_k,
                        const SensitivitySettings& sensitivity, const UnitHardware& hardware) {
  const auto at = array_of<double>(wavelengths_m, "wavelength_m", 1);
  for (std::size_t w = 0; w < at.size(); ++w) surroundings(temperature_k, at.data()[w], sensitivity, hardware);
  const Surroundings in = surroundings(temperature_k, 0.0, sensitivity, hardware);
  validate_losses(given.errors);
  const MeshChip chip = given;  // another thread may change it
  const auto ports = static_cast<std::size_t>(chip.wiring->topology.ports);
  auto array = new_array<Complex>({at.size(), ports, ports});
  const ErrorsIn errors(chip, in);
  in_parts(at.size(), 1, [&](std::size_t w, std::size_t count) {
    if (count == 0) return;
    Eigen::Map<Eigen::Matrix<Complex, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>(
        array.data() + w * ports * ports, static_cast<Eigen::Index>(ports), static_cast<Eigen::Index>(ports)) =
        errors.transfer({temperature_k, at.data()[w]});
  });
  return array;
}

Array<double> group_delay(const MeshChip& given, double temperature_k, double wavelength_m,
                          const SensitivitySettings& sensitivity, const UnitHardware& hardware) {
  const Surroundings in = surroundings(temperature_k, wavelength_m, sensitivity, hardware);
  validate_losses(given.errors);
  const MeshChip chip = given;  // another thread may change it
  const PathDelays delays = working(takes_long(chip.wiring->topology.ports), [chip, in] {
    const ErrorsIn errors(chip, in);
    return mesh_delays([&](const Environment& change) { return errors.transfer(change); }, in.change,
                       chip.wiring->topology, in.hardware);
  });
  const auto ports = static_cast<std::size_t>(chip.wiring->topology.ports);
  auto array = new_array<double>({ports, ports});
  for (std::size_t out = 0; out < ports; ++out)
    for (std::size_t from = 0; from < ports; ++from)
      array.data()[out * ports + from] =
          delays.delay_s(static_cast<Eigen::Index>(out), static_cast<Eigen::Index>(from));
  return array;
}

}  // namespace optinc::bindings
