#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "experiments/models/foundry.hpp"
#include "experiments/models/measured_meshes.hpp"
#include "experiments/models/mesh_targets.hpp"
#include "experiments/models/networks.hpp"
#include "experiments/study/study_config.hpp"
#include "experiments/study/study_model.hpp"

namespace optinc {

/// What a study must know before its first trial: the networks of its points; of meshes that are to have the
/// matrices of files, those; what was measured of meshes and chips.
struct StudyInputs {
  Networks networks = {};
  MeshTargets targets = {};
  MeasuredMeshes measured = {};
  MeasuredCrosstalks crosstalks = {};
  MeasuredChips chips = {};
};

/// An axis of what a trial records, besides the study's sweeps and the trials themselves.
struct ModelAxis {
  std::string name, unit, long_name;
  std::variant<std::vector<std::int64_t>, std::vector<double>, std::vector<std::string>> values;
  std::string meanings = {};  ///< of values that are names, a line each, "name: meaning"; empty: none

  /// Values along it.
  std::size_t size() const;
};

/// One metric's place in a trial's record: a row-major array over its axes.
struct Quantity {
  const Metric* metric;
  std::vector<std::size_t> shape;
  std::size_t offset = 0;

  /// Values of it in a record.
  std::size_t size() const;
};

/// One kind of trial. A trial is a pure function of the configuration at its point and of its number, whatever
/// ran before it, wherever: that is what makes a run repeatable on any number of threads, shards and ranks.
struct TrialModel {
  std::vector<ModelAxis> axes;
  std::vector<Quantity> quantities;
  std::size_t record_size = 0;
  std::string_view error_metric;  ///< whose mean square an ablation shares out

  /// Fills the record of one trial; a quantity that does not exist there stays NaN. Safe on many threads.
  std::function<void(const StudyConfig& at_point, std::uint32_t trial, std::span<double> record)> run;

  /// The axis of that name. Throws Error where there is none.
  const ModelAxis& axis(std::string_view name) const;
  /// The quantity of that name; null when the study does not measure it.
  const Quantity* find(std::string_view metric) const;
};

/// Whole chips of a network, from the study's foundry as in all of the models below: fabricate, program, send
/// words, decide (onn/chip, onn/transmission).
TrialModel chip_model(const StudyConfig& config, const Networks& networks, const Foundry& foundry = Foundry());

/// The same chips and the shape of their words in time, layer by layer (onn/link/waveforms).
TrialModel waveform_model(const StudyConfig& config, const Networks& networks,
                          const Foundry& foundry = Foundry());

/// The same chips, each at ever harsher values of tolerance.key, until a word is wrong.
TrialModel tolerance_model(const StudyConfig& config, const Networks& networks,
                           const Foundry& foundry = Foundry());

/// Five units for servers^2 servers: a first level that passes the exact sum on, a second that rounds.
TrialModel cascade_model(const StudyConfig& config, const Networks& networks,
                         const Foundry& foundry = Foundry());

/// Chips of a network over time: surroundings change, phases with them, and words are sent at every instant
/// (onn/drift).
TrialModel drift_model(const StudyConfig& config, const Networks& networks, const Foundry& foundry = Foundry());

/// Chips of a network that carry the wavelengths of a comb at once, each with words and receivers of its own.
TrialModel comb_model(const StudyConfig& config, const Networks& networks, const Foundry& foundry = Foundry());

/// A model trained by data-parallel gradient descent, whose gradients are averaged through a trial's own chip
/// (or another way); its start and the order of its examples are the trial's.
/// `keep_in`: folder where its trainings are kept while they run (TrialCheckpoint); empty: nowhere.
TrialModel learning_model(const StudyConfig& config, const Networks& networks,
                          const std::filesystem::path& keep_in = {}, const Foundry& foundry = Foundry());

/// One mesh with a Haar target of its own for every trial, or with one of `targets`.
TrialModel mesh_model(const StudyConfig& config, const StudyInputs& inputs = {});

/// The same mesh over time: surroundings change and phases with them, as those of model drift.
TrialModel mesh_drift_model(const StudyConfig& config, const StudyInputs& inputs = {});

/// Variants that the study measures, in the model's order.
std::vector<std::string> measured_variants(const StudyConfig& config);

/// The model's axes and what a record holds, without the function: what a reader of result files needs.
/// `layers`: most_layers() (model chip).
TrialModel model_layout(const StudyConfig& config, std::size_t layers);

}  // namespace optinc
