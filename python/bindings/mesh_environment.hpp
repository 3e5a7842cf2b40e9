#pragma once

#include "onn/chip/drift_settings.hpp"
#include "onn/hardware/unit_hardware.hpp"

#include "python/bindings/arrays.hpp"
#include "python/bindings/mesh.hpp"

// A fabricated mesh away from the temperature and wavelength it was calibrated at. All throw Error for what is
// not finite, and for settings that are refused.

namespace optinc::bindings {

/// The mesh with the errors that it has there.
MeshChip mesh_in_environment(const MeshChip& chip, double temperature_k, double wavelength_m,
                             const SensitivitySettings& sensitivity, const UnitHardware& hardware);

/// Transfer matrices, (wavelengths, ports, ports), at changes of wavelength in metres.
Array<Complex> matrices(const MeshChip& given, const ArrayLike& wavelengths_m, double temperature_k,
                        const SensitivitySettings& sensitivity, const UnitHardware& hardware);

/// Group delays in seconds from each port (columns) to each port (rows).
Array<double> group_delay(const MeshChip& given, double temperature_k, double wavelength_m,
                          const SensitivitySettings& sensitivity, const UnitHardware& hardware);

}  // namespace optinc::bindings
