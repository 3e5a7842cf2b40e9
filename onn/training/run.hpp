#pragma once

#include <cstdint>
#include <functional>

#include "onn/training/result.hpp"

namespace optinc {

struct Checkpointing;  // onn/training/checkpoint.hpp

/// How a training is carried out: what it draws from, and who is told. Same seed, same bits, whatever the
/// threads.
struct TrainingRun {
  std::uint64_t seed = 1;
  int threads = 0;                                        ///< 0: all; a batch is shared out to at most four
  std::function<void(const EpochReport&)> progress = {};  ///< called after every epoch
  const Checkpointing* checkpointing = nullptr;  ///< keeps the state of the training, and resumes from it
};

}  // namespace optinc
