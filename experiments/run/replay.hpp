#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "experiments/run/run_options.hpp"

namespace optinc {

/// What a replayed trial gave, next to what the study recorded.
struct ReplayReport {
  std::string point;          ///< label of the point, "" without sweeps
  bool recorded = false;      ///< whether the study ran this trial
  std::size_t differing = 0;  ///< cells of the record that differ by a bit
  std::size_t cells = 0;      ///< of the record
};

/// Runs one trial of a result file again, alone, and writes all there is to know of it to options.output: its
/// record and, for a chip, what fabrication drew, each layer's transfer matrix in each variant, every word sent
/// and what was received. Layout: FORMAT.md, "Replayed trial". Throws Error for a point or trial that the study
/// does not have.
ReplayReport replay_trial(const std::filesystem::path& results, std::size_t point, std::size_t trial,
                          const RunOptions& options);

}  // namespace optinc
