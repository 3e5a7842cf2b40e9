#pragma once

#include <vector>

#include "onn/network/network.hpp"

// What every trainer reports and ends with.

namespace optinc {

/// One line of the learning curve.
struct EpochReport {
  int epoch = 0;               ///< counted from 1
  double loss = 0.0;           ///< mean over the epoch's batches
  double word_accuracy = 0.0;  ///< share of all words whose every digit rounds right, after the epoch
  double margin = 0.0;         ///< as DecodingScore::margin, of all words; > 0 when every word is right
  double learning_rate = 0.0;
  double seconds = 0.0;  ///< since the start
};

/// What a training ended with.
struct TrainingResult {
  Network network;  ///< float64, every U orthogonal to 1e-12, input shift folded into the first bias
  std::vector<EpochReport> curve;
  double seconds = 0.0;
};

}  // namespace optinc
