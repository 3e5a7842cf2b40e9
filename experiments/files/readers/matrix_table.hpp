#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

#include "physics/core/field.hpp"

namespace optinc {

/// Largest matrix that a file may hold, rows or columns.
inline constexpr std::int64_t largest_matrix = 4096;

/// Columns of a matrix as a table.
inline constexpr std::string_view matrix_columns = "row,column,re,im";

/// The matrix of a table of row, column, re, im, counted from 0, or of a plain grid, one line a row, of complex
/// numbers as numpy.savetxt (1.0+2.0j), MATLAB's writematrix (1+2i), pandas or a spreadsheet with decimal
/// commas writes it (TableCells); a first line without numbers names the columns. Throws Error "file:line: .."
/// for a bad number, a hole, a repeated element, rows of unequal length.
Matrix read_matrix_csv(const std::filesystem::path& path);

}  // namespace optinc
