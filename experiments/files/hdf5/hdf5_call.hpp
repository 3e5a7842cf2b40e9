#pragma once

#include <string>
#include <string_view>
#include <type_traits>

#include <hdf5.h>

#include "experiments/files/hdf5/hdf5.hpp"
#include "physics/core/check.hpp"

// Shared by the sources of this folder, which are the only ones that see the C API.

namespace optinc {

static_assert(std::is_same_v<hid_t, std::int64_t>, "HDF5 1.10 or newer");

/// HDF5's innermost reason for its last failure, in one line; "no reason given" without one.
std::string hdf5_reason();

/// Stops HDF5 from printing its errors itself: they come as Error. A setting of the calling thread.
void silence_hdf5();

/// Throws Error "where: cannot VERB (reason). Check disk and file." for a negative result; else the result.
template <class Result>
Result succeed(Result result, std::string_view where, std::string_view verb) {
  if (result < 0)
    throw Error(fmt::format("{}: cannot {} ({}). Check the file, its rights and the space left on its disk.",
                            where, verb, hdf5_reason()));
  return result;
}

/// Variable-length UTF-8, the one string type that every reader takes for text.
Handle string_type();

}  // namespace optinc
