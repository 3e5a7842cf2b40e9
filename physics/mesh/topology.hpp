#pragma once

#include <span>
#include <vector>

namespace optinc {

/// The two ports an MZI joins; upper < lower.
struct PortPair {
  int upper = 0;
  int lower = 0;
  bool operator==(const PortPair&) const = default;
};

/// Wiring of a mesh without any number in it: columns of MZIs on disjoint port pairs. MZI k is counted in
/// column order, top to bottom. Column c holds MZIs column_begin[c] .. column_begin[c+1] - 1.
struct MeshTopology {
  int ports = 0;
  std::vector<PortPair> mzis;
  std::vector<int> column_begin = {0};

  /// MZIs of all columns.
  int mzi_count() const { return static_cast<int>(mzis.size()); }
  /// Columns.
  int columns() const { return static_cast<int>(column_begin.size()) - 1; }
  /// The pairs of ports that meet in column c.
  std::span<const PortPair> column(int c) const;
  bool operator==(const MeshTopology&) const = default;
};

/// Rectangular mesh of Clements et al., Optica 3, 1460 (2016): N(N-1)/2 MZIs on neighbouring ports in N columns
/// (one column for N = 2), even columns from port 0, odd ones from port 1. ports = 1 is a bare
/// waveguide. Throws Error outside 1..65536 ports.
///
///     0 ──╭──╮─────╭──╮─────      column 0: (0,1) (2,3)
///     1 ──╰──╯╭──╮─╰──╯╭──╮─      column 1: (1,2)
///     2 ──╭──╮╰──╯─╭──╮╰──╯─      ...
///     3 ──╰──╯─────╰──╯─────
MeshTopology clements_topology(int ports);

/// Triangular mesh of Reck et al., Phys. Rev. Lett. 73, 58 (1994): the same N(N-1)/2 MZIs on neighbouring
/// ports, in 2N - 3 columns; column c holds ports (u, u+1) for u = c, c - 2, .. >= 0 that the triangle reaches,
/// c + u <= 2N - 4. Throws Error outside 1..65536 ports.
///
///     0 ──╭──╮─────╭──╮─────╭──╮──      columns 0, 2, 4: (0,1)
///     1 ──╰──╯╭──╮─╰──╯╭──╮─╰──╯──      columns 1, 3: (1,2)
///     2 ──────╰──╯─╭──╮╰──╯───────      column 2: (2,3)
///     3 ───────────╰──╯───────────
MeshTopology reck_topology(int ports);

/// Butterfly of the fast Fourier transform: (N/2) log2 N MZIs in log2 N columns; column c joins all ports p and
/// p + 2^c with bit c of p zero. Every input reaches every output once, so that it is no universal mesh: its
/// phases are fitted (fit.hpp). Throws Error unless ports is a power of two, 1..65536.
///
///     0 ──╭──╮─╭──────╮──      column 0: (0,1) (2,3)
///     1 ──╰──╯─│╭────╮│──      column 1: (0,2) (1,3)
///     2 ──╭──╮─╰│────│╯──
///     3 ──╰──╯──╰────╯───
MeshTopology butterfly_topology(int ports);

/// Throws Error unless every pair is inside the ports, ordered, and disjoint from the others of its column.
void validate_topology(const MeshTopology& topology);

}  // namespace optinc
