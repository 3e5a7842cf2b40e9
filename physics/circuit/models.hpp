#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "physics/core/field.hpp"
#include "physics/core/warning.hpp"

namespace optinc {

/// A setting of a model.
struct ModelSetting {
  std::string name;
  double usual = 0.0;   ///< where a netlist says nothing
  std::string meaning;  ///< with its unit
};

/// A device as an element of circuits: its ports, its settings and its scattering matrix. Devices reflect
/// nothing unless their description says so: S = [[0, T^t], [T, 0]] of a transfer matrix T from the ports in..
/// to the ports out.., the same from either side (Lorentz reciprocity).
struct CircuitModel {
  std::string name, text;
  std::vector<std::string> ports;
  std::vector<ModelSetting> settings;
  /// S (ports, ports) for all settings, in that order, at a wavelength. Throws Error as the device does.
  std::function<Matrix(std::span<const double> values, double wavelength_m)> scattering;
  /// Spontaneous emission out of every port, W/Hz, one polarisation, the ports independent of each other.
  /// Without one the device emits nothing.
  std::function<double(std::span<const double> values, double wavelength_m)> emission_w_per_hz = {};
  /// What is legal but unlike anything built in these settings; of most devices nothing is known.
  std::function<std::vector<Warning>(std::span<const double> values)> warnings = {};
};

/// All models: waveguide, phase_shifter, heater, carrier_shifter, fibre_coupler, coupler, mmi_2x2, mmi_1x2,
/// mzi, crossing, ring, add_drop_ring, interface, amplifier.
std::span<const CircuitModel> circuit_models();

/// The model of that name. Throws Error, naming the nearest, for another name.
const CircuitModel& circuit_model(const std::string& name);

/// Throws Error unless a device may be asked at this wavelength, 2e-7..2e-5 m.
void validate_wavelength(double wavelength_m);

/// Its S at some wavelengths, (ports^2, wavelengths), each column in column order, with these settings and
/// default values for the others. Throws Error for a setting it does not have, naming those it has, and for
/// impossible values.
Matrix model_scattering(const CircuitModel& model, const std::map<std::string, double>& settings,
                        std::span<const double> wavelengths_m);

/// Correlations of what it emits at some wavelengths, (ports^2, wavelengths) W/Hz, as Circuit::emission takes
/// them; without elements for a model that emits nothing. Throws as model_scattering does.
Matrix model_emission(const CircuitModel& model, const std::map<std::string, double>& settings,
                      std::span<const double> wavelengths_m);

/// What is unlike anything built of it with these settings. Throws as model_scattering does for settings.
std::vector<Warning> model_warnings(const CircuitModel& model, const std::map<std::string, double>& settings);

}  // namespace optinc
