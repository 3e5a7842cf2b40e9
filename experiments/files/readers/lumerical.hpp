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
///     ["port 1","LEFT"]                                         names of ports, in order; left out: by number
///     ("port 2","TE",1,"port 1",1,"transmission")               to a port and mode, from a port and mode
///     (3,3)                                                     frequencies, columns
///     1.930e14 0.9 1.2                                          Hz, |S|, phase [rad], which rises with
///     frequency
///
/// Tables of its element "Optical S-Parameter", of two ports, are read too: rows of frequency, then magnitude
/// and phase of S11, S21, S12, S22, or of S11 and S21 alone, which are those of S22 and S12; a first line (N,9)
/// may be left out.
///
/// Quotes are single ones in the files of SiEPIC's kit, or missing around a mode; its types are also Through,
/// CrossBack and the like, which say nothing that the ports do not ("modulation" is refused); rows are in any
/// order.

namespace optinc {

/// A block of Lumerical's, in our sign of phase.
struct LumericalBlock {
  std::vector<std::string>
      ports;  ///< port1, port2, ..; with more than one mode, port1@1, port1@2, .. by number of mode
  ScatteringSpectrum spectrum;  ///< in this order; elements that the file does not have are 0
};

/// Whether a file begins as one of these does.
bool has_lumerical_header(const std::filesystem::path& path);

/// Whether a block is one of these: by its extension, or, where that is Touchstone's, by how it begins.
bool is_lumerical(const std::filesystem::path& path);

/// Reads one. A seventh entry of a header is a group delay t [s] that was taken out of the phase, 2 pi t (f -
/// f_c), f_c the middle frequency; it is put back. convention: rf, where the phases were turned; left out:
/// optics. Throws Error "file:line: .." for elements that are there twice or whose frequencies differ, and
/// whatever is no such table.
LumericalBlock read_lumerical(const std::filesystem::path& path,
                              std::optional<PhaseConvention> convention = {});

}  // namespace optinc
