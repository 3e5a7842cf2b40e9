#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "experiments/files/hdf5/hdf5.hpp"
#include "experiments/models/trial_model.hpp"
#include "experiments/run/training_checkpoint.hpp"
#include "experiments/study/study_warning.hpp"

namespace optinc {

/// Where a training is kept while it runs, and how it came to be. Nowhere: it is not kept.
struct KeepTraining {
  std::filesystem::path path = {};
  TrainingOrigin origin = {};
};

/// Trains, builds or reads every network and matrix that a point asks for. The training of a study's only
/// network is kept and goes on from what it finds (TrainingKeeper); of several none is. Throws Error for one of
/// another task, and where a file of a name cannot be read; Interrupted.
StudyInputs make_study_inputs(const StudyConfig& config, bool quiet, const KeepTraining& keep = {});

/// What the files that the points name hold, without networks.
StudyInputs read_files(const std::vector<StudyConfig>& points);

/// The network of a configuration without sweeps (of a cascade, its first level's).
PreparedNetwork make_network_of(const StudyConfig& config, bool quiet, const KeepTraining& keep = {});

/// What is unlike anything built, or meant, of what a study's files hold. Networks that were trained for noise
/// on another link than chips meet at points that ask for them: one warning a network, with the keys of the
/// first such point. Measured meshes with losses in the arms with heaters alone.
std::vector<StudyWarning> input_warnings(const StudyConfig& config, const StudyInputs& inputs);

/// The groups `network` and `training` of a file, or `networks` where there are several, `mesh_targets`,
/// `measured_meshes`, `measured_crosstalk` and `measured_chips`: written, and read again to the same bits.
void write_study_inputs(const Group& root, const StudyInputs& inputs);
StudyInputs read_study_inputs(const Group& root);

/// Where a file of several networks holds number `number`.
std::string network_group(std::size_t number);

/// The groups of write_study_inputs() as the bytes of a small HDF5 file, for journals and messages.
std::vector<std::byte> study_inputs_bytes(const StudyInputs& inputs);
StudyInputs study_inputs_of_bytes(std::span<const std::byte> bytes);

/// The study's model, ready to run trials. `keep_in`: folder for what long trials keep of themselves while they
/// run; empty: they keep nothing.
TrialModel make_model(const StudyConfig& config, const StudyInputs& inputs,
                      const std::filesystem::path& keep_in = {});

}  // namespace optinc
