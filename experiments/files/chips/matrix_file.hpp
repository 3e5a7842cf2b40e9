#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "experiments/files/hdf5/hdf5.hpp"
#include "experiments/files/readers/matrix_table.hpp"
#include "experiments/files/readers/touchstone.hpp"
#include "physics/core/field.hpp"

namespace optinc {

/// Writes a transfer matrix (rows outputs, columns inputs; field ratios) as dataset `matrix` of a group, dims
/// output, input, complex = [re, im].
void save_matrix(const Group& group, const Matrix& matrix);

/// Dataset `matrix` of a group, bit for bit as saved, also of complex64 and complex128 as h5py stores them, of
/// other floats and of real numbers. Throws Error when missing, of another shape or type,
/// beyond 4096 x 4096, or not finite.
Matrix load_matrix(const Group& group);

/// The matrix as a CSV table of row, column, re, im, counted from 0; shortest decimals that read back to the
/// same bits.
std::string matrix_csv(const Matrix& matrix, std::string_view title, std::string_view command);

/// Writes a matrix by the extension of `path`: .h5, .csv, .va (verilog_a_module), or Touchstone .sNp of a
/// square matrix with N twice its ports. Whole or not at all. Throws Error for another extension, for a file
/// that exists unless `force`. touchstone: optical frequency and sign of phase of a Touchstone file.
void write_matrix(const std::filesystem::path& path, const Matrix& matrix, std::string_view title,
                  std::string_view command, bool force = false, const TouchstoneOptions& touchstone = {});

/// Reads a matrix by the extension of `path`, .h5, .csv, .sNp, .npy or .npz. touchstone: see read_touchstone.
Matrix read_matrix(const std::filesystem::path& path, const TouchstoneOptions& touchstone = {});

/// Throws Error unless write_matrix() knows the extension.
void require_writable_extension(const std::filesystem::path& path);

}  // namespace optinc
