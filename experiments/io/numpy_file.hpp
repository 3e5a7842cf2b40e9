#pragma once

#include <filesystem>

#include "experiments/io/named_columns.hpp"

namespace optinc {

/// The columns of a NumPy file: the arrays of an .npz (numpy.savez, savez_compressed), or the fields of a
/// structured .npy (numpy.save). Numbers are real, of 1 to 8 bytes, in little-endian order, arrays have one
/// axis. Debian 12 has no library that reads them. Throws Error, naming file and array, for others, for sizes
/// that the bytes do not bear out, for a member whose checksum is wrong, and for numbers that are not finite.
NamedColumns read_numpy(const std::filesystem::path& path);

}  // namespace optinc
