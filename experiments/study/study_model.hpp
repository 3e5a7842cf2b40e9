#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "experiments/study/study_warning.hpp"

namespace optinc {

class Group;
struct ModelAxis;
struct StudyInputs;
struct StudyConfig;
struct TrialModel;

/// Which values of a metric one wants.
enum class Better { neither, higher, lower };

/// What a metric counts, which says how its mean over trials is told.
enum class MetricKind {
  number,  ///< any number
  share,   ///< in [0, 1], and so is its mean
  event,   ///< 0 or 1 in every trial: its mean has an exact interval
  counts   ///< summed over trials, not averaged
};

/// One quantity a trial can record. FORMAT.md lists them; the models fill them in.
struct Metric {
  std::string_view name, unit, long_name;
  std::string_view label;  ///< short enough for the axis of a figure
  Better better = Better::neither;
  MetricKind kind = MetricKind::number;
  std::string_view complement = {};                    ///< of a share: what 1 minus it is a share of
  std::vector<std::string_view> axes = {{"variant"}};  ///< of the model, behind the trial
  bool trial_0_only = false;                           ///< of other trials it is NaN

  /// Whether it is summed over trials.
  bool counts() const { return kind == MetricKind::counts; }
};

/// One way in which a model programs and lights its device.
struct VariantName {
  std::string_view name;
  bool if_named = false;  ///< measured only by a study that names it
};

/// Everything that is known of one model of a trial. The engine and the command line ask for it here and know
/// no model by its name; a model is one file that fills this in. Functions that are null have nothing to say.
struct StudyModel {
  std::string_view name;
  std::string_view simulates;         ///< in a trial: "one mesh"
  std::string_view trial = "trial";   ///< what a trial is called: "chip"
  std::string_view list = "trials";   ///< of the points and variants in `inspect --json`
  std::vector<Metric> metrics;        ///< in the order of a record; names are nobody else's
  std::vector<VariantName> variants;  ///< in the order of a record
  std::string_view error_metric;      ///< whose mean square an ablation shares out

  /// Keys that a trial looks at: "section" or "section.key", or "!section.key" for one that it ignores; the
  /// last that fits a key decides. What the engine itself reads ([run], [runner], ..) need not be named.
  std::vector<std::string_view> reads;
  /// Throws Error where a study cannot be; `validated` is the section whose keys its messages name.
  void (*validate)(const StudyConfig& config) = nullptr;
  std::string_view validated = {};
  /// Throws Error where a trial would record more than there is room for.
  void (*require_records)(const StudyConfig& config) = nullptr;
  /// What is legal at a point but unlike anything built, or without effect.
  std::vector<StudyWarning> (*warnings)(const StudyConfig& at_point) = nullptr;
  /// The same of the whole study with its sweeps.
  std::vector<StudyWarning> (*study_warnings)(const StudyConfig& config) = nullptr;

  /// The configurations whose [task], [network] and [training] say what networks a point's chips compute. Null
  /// for a model without networks.
  std::vector<StudyConfig> (*networks)(const StudyConfig& at_point) = nullptr;
  /// Whether a trial at this point sends anything through them; null: always.
  bool (*asks_networks)(const StudyConfig& at_point) = nullptr;
  /// Reads the files that the points name into `inputs`. Throws Error.
  void (*read_files)(const std::vector<StudyConfig>& points, StudyInputs& inputs) = nullptr;

  /// Axes of its metrics besides "variant"; `layers`: of the deepest network.
  std::vector<ModelAxis> (*axes)(const StudyConfig& config, std::size_t layers) = nullptr;
  /// The model, ready to run trials. `keep_in`: folder for what long trials keep of themselves; empty: nothing.
  TrialModel (*make)(const StudyConfig& config, const StudyInputs& inputs,
                     const std::filesystem::path& keep_in) = nullptr;
  /// Bytes that trials on so many threads take at most besides their records.
  double (*memory_bytes)(const StudyConfig& config, int threads) = nullptr;
  std::string_view not_counted = {};  ///< in memory_bytes
  /// Writes what led to one trial: what was drawn, set and received.
  void (*write_trial)(const Group& root, const StudyConfig& at_point, const StudyInputs& inputs,
                      std::uint32_t trial) = nullptr;
  /// Chips that a trial takes, numbered trial after trial; null: one.
  std::uint32_t (*chips)(const StudyConfig& at_point) = nullptr;

  /// The metric of that name; null where it has none.
  const Metric* find(std::string_view metric) const;
  /// Whether it looks at a key of the configuration.
  bool reads_key(std::string_view section, std::string_view key) const;
};

/// The models that OptINC brings, in the order of its lists (models/built_in_models.cpp).
std::vector<StudyModel> built_in_models();

/// Adds a model to them: as a program starts, before main(), so it returns true to initialise a constant with.
/// Throws Error once the models have been asked for.
bool add_model(StudyModel model);

/// All models. Throws Error where two models or metrics share a name.
std::span<const StudyModel> study_models();

/// The model of that name, or a study's. Throws Error where there is none.
const StudyModel& study_model(std::string_view name);
const StudyModel& model_of(const StudyConfig& config);

/// A metric of any model by its name; null where there is none.
const Metric* find_metric(std::string_view name);

/// Whether a trial of this model is made of chips that compute a network.
bool has_network(std::string_view model);

/// Bytes that trials of the study's model take at most besides their records.
double trial_memory_bytes(const StudyConfig& config, int threads);

/// "none", "higher" or "lower"; "number", "share", "event" or "counts": as result files say them.
std::string_view name_of(Better better);
std::string_view name_of(MetricKind kind);

}  // namespace optinc
