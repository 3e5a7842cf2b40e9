#include <exception>
#include <optional>

#include <malloc.h>

#include "experiments/base/terminal.hpp"
#include "experiments/cli/command_line.hpp"
#include "experiments/run/run_study.hpp"

int main(int argc, char** argv) {
  using namespace optinc;
  // every trial frees the matrices that the next one asks for: glibc keeps them
  mallopt(M_MMAP_THRESHOLD, 32 << 20);
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
  std::optional<Ranks> ranks;
  try {
    ranks.emplace(as_typed(argc, argv));
    if (ranks->rank() > 0) {
      work_for_ranks(*ranks);
      return 0;
    }
  } catch (const std::exception& error) {
    complain(error.what());
    if (ranks) Ranks::abort();
    return 1;
  }
  return run_command_line(argc, argv, *ranks);
}
