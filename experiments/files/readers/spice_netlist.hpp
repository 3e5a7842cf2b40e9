#pragma once

#include <filesystem>
#include <string>

#include "experiments/files/readers/document.hpp"

namespace optinc {

/// Whether a netlist is one of SPICE by its extension, .spi.
bool is_spice_netlist(const std::filesystem::path& path);

/// A netlist of SPICE, as SiEPIC-Tools exports layouts for Lumerical INTERCONNECT, as the document of a
/// netlist:
///
///     .subckt demo in out
///      Xy1 in N1 N2 ebeam_y_1550 library="Design kits/ebeam" lay_x=10E-6 lay_y=0
///      Xw1 N1 out ebeam_wg_integral_1550 wg_length=100u
///     .ends demo
///
/// Every instance has a name, its nets, its component, and parameters in SI units (100u is 1e-4) that become
/// its settings, after those that `.model COMPONENT` gives it; lay_x and lay_y are its placement; `library` and
/// sch_* are left out. Nets join two ports; pins of the subcircuit are the circuit's ports. Ports have no names
/// in such files: "#1" is the first of a component, in the order of its names. Several subcircuits are a
/// hierarchy. Outside of them stands at most a call of the last, as SiEPIC-Tools writes it; `.param` and other
/// lines with a dot are passed over, `+` continues a line, `*` begins a comment. Throws Error "file:line: .."
/// for a net with more than two ends, a pin without one, other instances outside, and lines that are none of
/// these.
Document spice_document(const std::string& text, const std::string& file);

}  // namespace optinc
