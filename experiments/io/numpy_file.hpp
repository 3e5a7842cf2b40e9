#pragma once

#include <filesystem>

#include "experiments/io/named_columns.hpp"

namespace optinc {

/// The columns of a NumPy file: the arrays of an .npz (numpy.savez, savez_compressed), or the fields of a
/// structured .npy (numpy.save). Numbers are real, of 1 to 8 bytes, in little-endian order, arrays have one
/// axis. Debian's libcnpy believes the sizes that a file states and knows no fields, so that it is not used.
/// Throws Error, naming file and array, for others, for sizes that the bytes do not bear out, for a member
/// whose checksum is wrong, and for numbers that are not finite.
NamedColumns read_numpy(const std::filesystem::path& path);

}  // namespace optinc
