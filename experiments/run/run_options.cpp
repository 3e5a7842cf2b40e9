#include "experiments/run/run_options.hpp"

#include <cstdio>

#include <fmt/format.h>
#include <omp.h>

#include "physics/core/printable.hpp"

namespace optinc {

void use_threads(const StudyConfig& config) {
  if (config.run.threads > 0) omp_set_num_threads(config.run.threads);
}

void say(bool quiet, const std::string& text) {
  if (!quiet) std::fputs((printable_lines(text) + "\n").c_str(), stderr);
}

std::string joined_commands(const std::string& before, std::string_view command) {
  if (before.empty()) return std::string(command);
  return before.ends_with(command) ? before : fmt::format("{}; {}", before, command);
}

}  // namespace optinc
