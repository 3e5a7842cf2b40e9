#pragma once

#include <span>
#include <string>
#include <string_view>

#include "experiments/files/readers/touchstone.hpp"
#include "physics/core/field.hpp"

namespace optinc {

/// A transfer matrix T (N, N) as a Touchstone 1 file of 2N ports, ports 1..N the inputs, N+1..2N the outputs:
/// S = [[0, T^T], [T, 0]] (no reflection, reciprocal), real and imaginary parts in shortest decimals that read
/// back to the same bits (but for the sign of a zero), `# GHz S RI R 50`, one frequency. The header states the
/// sign of phase, rf unless the options have another. Throws Error unless T is square and the frequency
/// positive.
std::string touchstone_text(const Matrix& transfer, const TouchstoneOptions& options, std::string_view title,
                            std::string_view command);

/// All of a spectrum as a Touchstone file of version 1 (.sNp) or 2 (.ts; two-port elements in rows), `remarks`
/// in its header. Numbers as in the text of one matrix.
std::string touchstone_text(const ScatteringSpectrum& spectrum, PhaseConvention convention,
                            std::string_view title, std::string_view command,
                            std::span<const std::string_view> remarks, int version = 1);

}  // namespace optinc
