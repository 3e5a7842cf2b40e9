#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "experiments/models/trial_model.hpp"
#include "experiments/store/hdf5.hpp"
#include "onn/training.hpp"

namespace optinc {

/// What a study must know before its first trial: nothing for model mesh; for model chip the network, and how
/// it was trained (no curve for a network from a file).
struct Prelude {
  std::optional<Network> network;
  std::vector<EpochReport> curve;
};

/// Where a training is kept while it runs, and the command to name as its beginning. Nowhere: it is not kept.
struct KeepTraining {
  std::filesystem::path path = {};
  std::string_view command = {};
};

/// Trains the network, or reads it from network.source. A training that is kept goes on from what it finds
/// (TrainingKeeper). Throws Error for one of another task; Interrupted.
Prelude make_prelude(const StudyConfig& config, bool quiet, const KeepTraining& keep = {});

/// The groups `network` and `training` of a file: written, and read again to the same bits.
void write_prelude(const Group& root, const Prelude& prelude);
Prelude read_prelude(const Group& root);

/// The same as the bytes of a small HDF5 file, for journals and messages.
std::vector<std::byte> prelude_bytes(const Prelude& prelude);
Prelude prelude_of_bytes(std::span<const std::byte> bytes);

/// The study's model, ready to run trials.
TrialModel make_model(const StudyConfig& config, const Prelude& prelude);

}  // namespace optinc
