#pragma once

#include <filesystem>

#include "experiments/run/run_options.hpp"

namespace optinc {

/// Options of a run in a test: results go to `output`, in silence, by a command line of one length.
inline RunOptions to(const std::filesystem::path& output) {
  RunOptions options;
  options.output = output;
  options.quiet = true;
  options.command = "the command line";
  return options;
}

}  // namespace optinc
