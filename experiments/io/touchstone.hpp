#pragma once

#include <cmath>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "physics/core/field.hpp"
#include "physics/core/units.hpp"

namespace optinc {

/// Optical frequency of 1550 nm, c / 1550 nm = 193414.489 GHz.
inline constexpr double default_frequency_hz = constants::speed_of_light_m_per_s / 1550e-9;

/// Ports that the extension of a Touchstone file states: 8 for ".s8p" in any case; 0 where it is none.
int touchstone_ports(const std::filesystem::path& path);

/// A transfer matrix T (N, N) as a Touchstone 1 file of 2N ports, ports 1..N the inputs, N+1..2N the outputs:
/// S = [[0, T^T], [T, 0]] (no reflection, reciprocal), real and imaginary parts in shortest decimals that read
/// back to the same bits, `# GHz S RI R 50`, one frequency. Throws Error unless T is square and the frequency
/// positive.
std::string touchstone_text(const Matrix& transfer, double frequency_hz, std::string_view title,
                            std::string_view command);

/// T, the block of S from the first N to the last N of the 2N ports, at the frequency nearest to
/// `frequency_hz`. Reads Touchstone 1 with S parameters in RI, MA (degrees) or DB, frequencies in Hz to GHz;
/// the reference resistance is not used, 2-port noise data are passed over. Throws Error "file:line: .." for
/// another parameter or version, a number of ports that is odd or beyond 8192, values missing or too many,
/// frequencies that do not rise, or none within 1 % of `frequency_hz`.
Matrix read_touchstone(const std::filesystem::path& path, double frequency_hz = default_frequency_hz);

/// Scattering matrices over frequency, of devices with reflections.
struct ScatteringSpectrum {
  std::vector<double> frequency_hz;  ///< rising
  Matrix s;                          ///< (ports^2, frequencies), each column an S (ports, ports) by columns

  /// How many ports.
  Eigen::Index ports() const { return std::lround(std::sqrt(static_cast<double>(s.rows()))); }
};

/// All of a spectrum as a Touchstone 1 file, `remarks` in its header. Numbers as in the text of one matrix.
std::string touchstone_text(const ScatteringSpectrum& spectrum, std::string_view title,
                            std::string_view command, std::span<const std::string_view> remarks);

/// All S of a file of any number of ports. Reads what read_touchstone reads, and throws as it does.
ScatteringSpectrum read_touchstone_spectrum(const std::filesystem::path& path);

}  // namespace optinc
