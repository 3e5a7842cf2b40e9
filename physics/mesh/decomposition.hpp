#pragma once

#include "physics/devices/dac.hpp"
#include "physics/mesh/program.hpp"

namespace optinc {

/// Phases with which a perfect Clements mesh (clements_topology(N)) has the transfer matrix `unitary` (N, N).
/// Nulls elements from the two sides in turn (Clements et al. 2016) and carries the diagonal that is left to
/// the output screen; theta in [0, pi]. O(N^3). Throws Error unless the matrix is square, finite and unitary to
/// 1e-6.
MeshProgram decompose_clements(const Matrix& unitary);

/// The same for a triangular mesh (reck_topology(N)): nulls row after row from the right (Reck et al. 1994).
MeshProgram decompose_reck(const Matrix& unitary);

/// The program as a DAC of `bits` bits renders it: every phase on its grid of 2 pi / 2^bits (quantise_phase),
/// or on that of a DAC of heater voltages (quantise_voltage). 0 bits: none is rounded. All are wrapped to
/// [0, 2 pi). Throws Error where a phase is not finite, naming its MZI or port.
MeshProgram quantise(const MeshProgram& program, int bits, DacMode mode = DacMode::phase);

}  // namespace optinc
