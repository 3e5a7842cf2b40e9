#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/files/readers/circuit_component.hpp"
#include "experiments/files/readers/touchstone.hpp"
#include "physics/circuit/detection.hpp"

namespace optinc {

/// Scattering matrices of a circuit over wavelength.
struct CircuitScattering {
  std::vector<std::string> ports;
  std::vector<double> wavelengths_m;  ///< rising
  Matrix s;                           ///< (ports^2, wavelengths), each column an S (ports, ports) by columns
  Eigen::MatrixXd emitted_w_per_hz = {};  ///< power it sends out of each port, (ports, wavelengths); or empty
  PortReadings readings = {};             ///< of receivers at its ports; or empty
  std::string light_port = {};            ///< that light enters for these
  double light_power_w = 0.0;             ///< of that light
  std::map<std::string, double> receiver = {};  ///< settings of each receiver: direct_receiver_settings()
  /// Settings that differ from draw to draw, by their path; then `s` holds the wavelengths of all draws, one
  /// draw after the other, and the file is .h5.
  CircuitSweep drawn = {};
};

/// Throws Error unless a circuit of so many ports can be written under that name: .h5, or Touchstone's .sNp
/// with N the ports.
void require_scattering_extension(const std::filesystem::path& path, std::size_t ports);

/// Writes by the extension of `path`: .h5 (group `circuit`, of draws `circuit_draws`, FORMAT.md) or Touchstone.
/// Whole or not at all. `convention` is that of a Touchstone file. Throws Error as require_scattering_extension
/// does, and for a file that exists unless `force`.
void write_scattering(const std::filesystem::path& path, const CircuitScattering& circuit,
                      std::string_view title, std::string_view command, bool force,
                      PhaseConvention convention = PhaseConvention::rf);

}  // namespace optinc
