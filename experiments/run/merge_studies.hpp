#pragma once

#include <filesystem>
#include <vector>

#include "experiments/run/run_options.hpp"

namespace optinc {

/// Puts the shards of one study together in options.output; what is then still missing, resume runs. Throws
/// Error for files of different studies or networks, naming what differs.
void merge_studies(const std::vector<std::filesystem::path>& shards, const RunOptions& options);

}  // namespace optinc
