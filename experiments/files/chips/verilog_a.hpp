#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "experiments/files/readers/touchstone.hpp"
#include "physics/core/field.hpp"

namespace optinc {

/// Whether a file is Verilog-A by its extension, .va.
bool is_verilog_a(const std::filesystem::path& path);

/// A compact Verilog-A module of a matrix at one wavelength: out = matrix in. A field is a pair of voltages,
/// NAME_re and NAME_im [sqrt(W) as V], that an ideal source drives; inputs draw no current. Passive where the
/// matrix is: shortest decimals that read back to the same bits. The module is called as the file without its
/// extension, other characters than letters, digits and _ replaced by _; so are the names of `inputs` (columns)
/// and `outputs` (rows). The header states the sign of phase, rf (conjugated) unless it is given. Throws Error
/// for names that become equal.
std::string verilog_a_module(const Matrix& matrix, std::span<const std::string> inputs,
                             std::span<const std::string> outputs, std::string_view name,
                             PhaseConvention convention, std::string_view title, std::string_view command);

}  // namespace optinc
