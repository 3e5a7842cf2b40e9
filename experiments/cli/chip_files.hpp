#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "experiments/files/readers/touchstone.hpp"
#include "physics/variation/error_model.hpp"
#include "physics/variation/fabrication_settings.hpp"

// What the command line does with the laboratory's files. Each refuses, before any work, an output that exists
// (unless `force`), cannot be written, or has an extension it does not know, and writes it whole or not at all.

namespace optinc {

/// How optinc program finds phases.
struct ProgramOptions {
  std::optional<std::filesystem::path> chip =
      {};            ///< whose known errors are corrected for: a chip file; of a matrix, a measured mesh
  int dac_bits = 0;  ///< phases on a grid of 2 pi / 2^bits; 0: as computed
  TouchstoneOptions touchstone = {};  ///< of a matrix that is read
  bool nearest_unitary = false;       ///< in place of a matrix that is not unitary
  /// Of a real matrix on a measured mesh: phases are fitted to its losses too, for receivers whose oscillators
  /// are off by so much, rms (fit_real_program()).
  std::optional<double> oscillator_rad = {};
  std::string topology = "clements";  ///< of the mesh of a matrix (wiring_of())
  bool force = false;
  std::string command = {};  ///< the command line, for the file
};

/// What was programmed.
struct ProgramSummary {
  std::size_t meshes = 0;
  std::int64_t mzis = 0;
  int clipped = 0;  ///< MZIs whose splitters cannot reach the bar power asked of them (with a chip)
  /// Largest element of what was given less the nearest unitary matrix, where that was programmed.
  std::optional<double> nearest_distance = {};
  std::optional<double> wiring_error = {};  ///< E of phases that were fitted to a wiring (program_of_wiring())
  /// Of a fit: what receivers see wrong of the matrix, rms, and its headroom, dB.
  std::optional<double> fit_error = {}, headroom_db = {};
};

/// Phases of every mesh that realises `input`: a network file (HDF5 with group `network`), whose meshes are
/// layerL/blockB/mesh and layerL/blockB/attenuators, or a unitary matrix (.h5 with dataset `matrix`, .csv,
/// .sNp), whose one mesh is `mesh`. Output .h5 or .csv. Throws Error unless a matrix is square and unitary to
/// 1e-6 (or its nearest unitary one is asked for), and for a chip that does not fit.
ProgramSummary program_to_file(const std::filesystem::path& input, const std::filesystem::path& output,
                               const ProgramOptions& options);

/// Which chip optinc fabricate draws.
struct FabricateOptions {
  std::uint64_t seed = 1;  ///< of every random stream, up to 2^53
  std::uint32_t chip = 0;  ///< number of the chip; the same pair, the same chip, as in studies
  /// What the devices of a chip of these meshes share (Foundry::variation); empty: nothing.
  std::function<SharedVariation(const std::vector<MeshTopology>&)> variation = {};
  bool force = false;
  std::string command = {};
};

/// Fabricates one chip for the network of an HDF5 file and writes it (group `chip`) to `output`, .h5.
void fabricate_to_file(const std::filesystem::path& network, const std::filesystem::path& output,
                       const ErrorModel& model, const FabricateOptions& options);

/// Which mesh optinc transfer sends light through, and on which chip.
struct TransferOptions {
  std::string mesh = {};  ///< which mesh of the file; empty: the only one
  std::optional<std::filesystem::path> chip =
      {};  ///< chip file with the errors of layerL/blockB/.., or measured mesh; none: perfect
  TouchstoneOptions touchstone = {};  ///< of a matrix that is written
  bool force = false;
  std::string command = {};
};

/// Transfer matrix (field ratios; outputs, inputs) of one mesh of a phases file (.h5, .csv), perfect or with
/// the errors of a chip; output .h5, .csv or .sNp. Throws Error for a mesh that is not there, or that the chip
/// does not have.
void transfer_to_file(const std::filesystem::path& phases, const std::filesystem::path& output,
                      const TransferOptions& options);

}  // namespace optinc
