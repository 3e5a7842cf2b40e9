#pragma once

#include <filesystem>
#include <optional>

#include "experiments/files/readers/circuit_component.hpp"
#include "experiments/files/readers/touchstone.hpp"

namespace optinc {

/// The device that a Touchstone file describes: ports port1.., no settings, no emission, a warning where it
/// is not passive. Between its
/// frequencies, magnitude and phase are linear; elements that pass zero follow the chord. `convention` as
/// read_touchstone_spectrum takes it. Throws Error as that does; its scattering() throws outside the file's
/// frequencies, and where a phase turns too far between two rows to be known.
CircuitComponent measured_block_component(const std::filesystem::path& path,
                                          std::optional<PhaseConvention> convention);

}  // namespace optinc
