#pragma once

#include <cmath>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "physics/core/field.hpp"
#include "physics/core/units.hpp"

/// \file touchstone.hpp Touchstone files. Those of network analysers and circuit simulators describe fields
/// that go as exp(+j w t): light that travels L gains the phase exp(-j beta L), and its group delay is
/// -d phase/d w. Our fields go as exp(-i w t), so that they gain exp(+i beta L) (physics/core/field.hpp).
/// Matrices are conjugated on their way in and out, unless the file has the convention `optics`.

namespace optinc {

/// Optical frequency of 1550 nm, c / 1550 nm = 193414.489 GHz.
inline constexpr double default_frequency_hz = constants::speed_of_light_m_per_s / 1550e-9;

/// The sign of phase in a Touchstone file: light that travels L gains exp(-j beta L) in `rf`, exp(+j beta L) in
/// `optics`.
enum class PhaseConvention { rf, optics };

/// Their names.
std::span<const std::string_view> phase_convention_names();

/// The convention of that name. Throws Error, naming the nearest, for another name.
PhaseConvention phase_convention(std::string_view name);

/// The entry of a Touchstone file's header that states its sign of phase.
inline constexpr std::string_view phase_convention_entry = "phase convention";

/// What it says.
std::string_view phase_convention_text(PhaseConvention convention);

/// What is not in a Touchstone file's name.
struct TouchstoneOptions {
  double frequency_hz = default_frequency_hz;  ///< which matrix is wanted; of a file that is written, its own
  /// Its sign of phase. Left out: what the header of a file of OptINC says (`optics`, where an earlier version
  /// wrote it, whose header says nothing); otherwise rf.
  std::optional<PhaseConvention> convention = {};
};

/// Ports that the extension of a Touchstone file states: 8 for ".s8p" in any case; 0 where it is none.
int touchstone_ports(const std::filesystem::path& path);

/// Whether the extension is that of version 2, .ts, which states its ports inside.
bool is_touchstone_2(const std::filesystem::path& path);

/// T, the block of S from the first N to the last N of the 2N ports, at the frequency nearest to
/// `frequency_hz`, in our sign of phase. Reads Touchstone 1 and 2 with S parameters in RI, MA (degrees) or DB,
/// frequencies in Hz to THz; reference resistances are not used, noise data are passed over. Throws
/// Error "file:line: .." for another parameter, mixed modes, a number of ports that is odd or beyond 8192,
/// values missing or too many, frequencies that do not rise, or none within 1 % of `frequency_hz`; and for a
/// convention other than the file's header has.
Matrix read_touchstone(const std::filesystem::path& path, const TouchstoneOptions& options = {});

/// Scattering matrices over frequency, of devices with reflections, in our sign of phase.
struct ScatteringSpectrum {
  std::vector<double> frequency_hz;  ///< rising
  Matrix s;                          ///< (ports^2, frequencies), each column an S (ports, ports) by columns
  double digit_hz = 0.0;             ///< one unit of the last digit of a file's frequencies

  /// How many ports.
  Eigen::Index ports() const { return std::lround(std::sqrt(static_cast<double>(s.rows()))); }
};

/// All S of a file of any number of ports, .sNp or .ts. Reads what read_touchstone reads, and throws as it
/// does.
ScatteringSpectrum read_touchstone_spectrum(const std::filesystem::path& path,
                                            std::optional<PhaseConvention> convention = {});

/// All of a spectrum as a Touchstone file of version 1 (.sNp) or 2 (.ts; two-port elements in rows) has it,
/// without the header and the last line of OptINC's files: the comment that states the sign of phase, `# GHz S
/// RI R 50`, and rows in shortest decimals that read back to the same bits (but for the sign of a zero).
std::string touchstone_rows(const ScatteringSpectrum& spectrum, PhaseConvention convention, int version);

/// S in the other sign of phase. A zero stays positive.
inline Complex conjugated(Complex value) { return {value.real(), 0.0 - value.imag()}; }

}  // namespace optinc
