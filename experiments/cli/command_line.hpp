#pragma once

#include <string>

#include "experiments/run/trials/mpi.hpp"

namespace optinc {

/// The command line as a shell takes it.
std::string as_typed(int argc, char** argv);

/// The tool: parses the command line, does what it says and returns the exit status (0 done, 1 refused or
/// failed, 2 unusable command line, 130 or 143 interrupted by SIGINT or SIGTERM with what was finished stored).
/// Complaints are one line each on standard error. Throws nothing.
int run_command_line(int argc, char** argv, Ranks& ranks);

}  // namespace optinc
