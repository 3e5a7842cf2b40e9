#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "experiments/files/readers/touchstone.hpp"

/// \file lumerical.hpp S parameters of Lumerical INTERCONNECT, .dat and .sparam (SiEPIC), as its manual
/// describes the element "Optical N Port S-Parameter" (optics.ansys.com, S-parameter file formats, options 1 to
/// 3):
///
///     ["port 1","LEFT"]                                         names of ports, in order; may be left out
///     ("port 2","TE",1,"port 1",1,"transmission")               to a port and mode, from a port and mode
///     (3,3)                                                     frequencies, columns
///     1.930e14 0.9 1.2                                          Hz, |S|, phase [rad], which rises with
///     frequency

namespace optinc {

/// A block of Lumerical's, in our sign of phase.
struct LumericalBlock {
  std::vector<std::string>
      ports;  ///< port1, port2, ..; with more than one mode, port1@1, port1@2, .. by number of mode
  ScatteringSpectrum spectrum;  ///< in this order; elements that the file does not have are 0
};

/// Whether a file is one of these: by its extension, or by its first character, whatever its name.
bool is_lumerical(const std::filesystem::path& path);

/// Reads one. A seventh entry of a header is a group delay t [s] that was taken out of the phase, 2 pi t (f -
/// f_c), f_c the middle frequency; it is put back. convention: rf, where the phases were turned; left out:
/// optics. Throws Error "file:line: .." for other types than transmission, elements that are there twice or
/// whose frequencies differ, and whatever is no such table.
LumericalBlock read_lumerical(const std::filesystem::path& path,
                              std::optional<PhaseConvention> convention = {});

}  // namespace optinc
