#pragma once

#include <filesystem>
#include <optional>

#include "experiments/files/readers/circuit_component.hpp"
#include "experiments/files/readers/touchstone.hpp"

namespace optinc {

/// How a measured block is read.
struct BlockOptions {
  std::optional<PhaseConvention> convention = {};  ///< its sign of phase; left out: the file's
  bool passive = false;                            ///< replaced by the nearest passive S at every frequency
};

/// The device that a Touchstone file describes, with ports port1.., or a file of Lumerical, with those of
/// read_lumerical(): no settings, no emission, a warning where it is not passive, and one with the error where
/// its rows lie so far apart that a field between them may be off by 0.01. Between its frequencies, magnitude
/// and phase are linear; elements that pass zero follow the chord. Throws Error as the readers do; its
/// scattering() throws outside the file's frequencies, and where a phase turns by more than pi/2 between two
/// rows, so that they do not tell which way.
CircuitComponent measured_block_component(const std::filesystem::path& path, const BlockOptions& options = {});

}  // namespace optinc
