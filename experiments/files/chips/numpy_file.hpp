#pragma once

#include <cstddef>
#include <filesystem>
#include <string_view>

#include "experiments/files/readers/named_columns.hpp"
#include "physics/core/field.hpp"

namespace optinc {

/// The columns of a NumPy file: the arrays of an .npz (numpy.savez, savez_compressed), or the fields of a
/// structured .npy (numpy.save). Numbers are real, of 1 to 8 bytes, in little-endian order, arrays have one
/// axis. Debian 12 has no library that reads them. Throws Error, naming file and array, for others, for sizes
/// that the bytes do not bear out, for a member whose checksum is wrong, and for numbers that are not finite.
NamedColumns read_numpy(const std::filesystem::path& path);

/// The matrix of a NumPy file: the array of an .npy, or the one called `name` of an .npz, of real numbers with
/// two axes of at most `largest`, by rows or by columns. Throws Error as read_numpy() does, and where the name
/// is missing.
Eigen::MatrixXd read_numpy_matrix(const std::filesystem::path& path, std::string_view name,
                                  std::size_t largest);

/// The matrix of an .npy, or of the only array of an .npz, complex numbers of 8 or 16 bytes or real ones.
/// Otherwise as read_numpy_matrix().
Matrix read_numpy_complex_matrix(const std::filesystem::path& path, std::size_t largest);

/// By the extension of `path`: .csv, or .npy and .npz. Throws Error for another one.
NamedColumns read_columns(const std::filesystem::path& path);

}  // namespace optinc
