#pragma once

#include <filesystem>
#include <span>
#include <string_view>

#include "experiments/files/hdf5/hdf5.hpp"
#include "physics/mesh/twin/fit_twin.hpp"

namespace optinc {

/// What the phases of a measurement are set by.
enum class TwinDrive {
  phase,   ///< rad
  power,   ///< of heaters, W
  voltage  ///< of heaters, V: the phase goes with its square
};

/// As the attribute `units` of a file says it.
template <>
inline constexpr EnumNames enum_names<TwinDrive> = {"units of a drive", {"rad", "W", "V"}};

/// The settings of a measurement and what it read, as a file holds them.
struct TwinMeasurement {
  TwinData data;  ///< nominal phases
  TwinDrive drive = TwinDrive::phase;
  double drive_of_pi = 0.0;  ///< W or V for a nominal phase of pi; 0 for phases
};

/// Reads a measurement of a mesh from an HDF5 file (FORMAT.md, "Digital twins"). `drive_of_pi`: nominal power
/// or voltage for a phase of pi, for files whose settings are powers or voltages. Throws Error, naming file and
/// dataset, for what is missing, of another shape or type, not finite, or too large.
TwinMeasurement read_twin_measurement(const std::filesystem::path& path, double drive_of_pi);

/// Writes settings to be measured: `theta` and `phi` in rad, the topology, and nothing read yet.
void write_twin_settings(const std::filesystem::path& path, const MeshTopology& topology,
                         std::span<const MeshProgram> settings, std::string_view command, bool force);

/// Writes what a fit found as a measured mesh, by the extension of `path`: .csv (read_mesh_errors()), or .h5,
/// which holds ports, standard errors and a summary as well.
void write_twin(const std::filesystem::path& path, const TwinMeasurement& measured, const TwinFit& fit,
                std::string_view command, bool force);

/// Throws Error unless the extension is one that twins are written with.
void require_twin_extension(const std::filesystem::path& path);

}  // namespace optinc
