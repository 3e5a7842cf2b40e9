#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/study/learner_settings.hpp"
#include "experiments/study/sweep.hpp"
#include "onn/budget/settings.hpp"
#include "onn/chip/calibration_settings.hpp"
#include "onn/chip/crosstalk_settings.hpp"
#include "onn/chip/drift_settings.hpp"
#include "onn/hardware/unit_parts.hpp"
#include "onn/link/noise.hpp"
#include "onn/network/carry_chain.hpp"
#include "onn/task/task.hpp"
#include "onn/training/settings.hpp"
#include "physics/core/rows.hpp"
#include "physics/variation/error_model.hpp"
#include "physics/variation/fabrication_settings.hpp"

namespace optinc {

/// [run]: the seed, and how to run, which changes no number.
struct RunSettings {
  std::uint64_t seed = 1;
  int threads = 0;            ///< 0: all
  double time_limit_s = 0.0;  ///< trials stop after this long; 0: never
};

/// [runner]: trials at every point of the sweeps, and when they are enough.
struct RunnerSettings {
  int trials = 30;         ///< at most, per point
  double precision = 0.0;  ///< wanted: 95 % interval of the mean over the mean itself; 0: run all trials
  std::string precision_metric = "none";  ///< of this metric, in every variant and layer
};

/// [measure]: what a trial records.
struct MeasureSettings {
  std::vector<std::string> metrics;             ///< none: all of the model
  std::vector<std::string> variants;            ///< none: all of the model
  int words = 4096;                             ///< drawn per trial (model chip)
  Arithmetic arithmetic = Arithmetic::float64;  ///< of the light path that words are sent along
  std::vector<std::string> once;                ///< measured once a study, at the study's own chip
};

/// [yield]: the specification a trial is held against.
struct YieldSettings {
  std::string metric = "none";
  std::string sense = "at-least";
  double limit = 1.0;
};

/// [stand_in]: what variant "stand-in" puts in place of devices.
struct StandInSettings {
  double relative_error = 0.0;
};

/// [tolerance]: what model "tolerance" raises from a gentle value to a harsh one until a chip errs.
struct ToleranceSettings {
  std::string key = "chip";  ///< a number that a sweep may vary, or "chip": a factor on all errors of [chip]
  double gentle = 0.01, harsh = 10.0;
  int steps = 8;  ///< halvings of what lies between (of its logarithm where both are > 0)
};

/// [mesh]: the mesh of model "mesh", with a target of its own for every trial.
struct MeshSettings {
  int ports = 16;
  std::string target = "unitary";           ///< or "orthogonal", or the file of a matrix
  bool nearest_unitary = false;             ///< in place of a file's matrix that is not unitary
  std::string measured = "none";            ///< or the file of one mesh's errors; those of [chip] come on top
  std::string measured_crosstalk = "none";  ///< or the file of its heaters' crosstalk
  std::string kind = "standard";            ///< of its MZIs
  std::string topology = "clements";
  double sigma_common_rad = 0.0;  ///< rms phase offset of every block as a whole, unknown to the operator

  /// Whether every trial draws a target of its own; otherwise all have the matrix of a file.
  bool target_is_drawn() const { return target == "unitary" || target == "orthogonal"; }
  /// Whether its errors were measured; otherwise [chip] alone draws them.
  bool is_measured() const { return measured != "none"; }
  /// Whether the crosstalk of its heaters was.
  bool has_measured_crosstalk() const { return measured_crosstalk != "none"; }
};

/// Key of [chip] beside its errors.
struct MeasuredChipSettings {
  std::string measured = "none";  ///< or the file of one chip's errors; those of [chip] come on top

  /// Whether the chip was measured; otherwise [chip] alone draws it.
  bool is_measured() const { return measured != "none"; }
};

/// [comb]: the wavelength channels of model "comb", the middle one at laser.wavelength_m.
struct CombSettings {
  int channels = 21;          ///< odd
  double spacing_hz = 100e9;  ///< of neighbours
  double wrong_limit = 0.0;   ///< share of its drawn words that a channel in use may decode wrong
};

/// [network]
struct NetworkSettings {
  std::string source = "train";  ///< or a rule (ruled_network), or the file of a network
  CarryChainSettings carry_chain;
  std::string above = "same";    ///< model cascade: the source of the second level; same: as `source`
  std::string start = "random";  ///< or the file of the network that training goes on from
  std::vector<int> hidden = {64, 128, 256, 128, 64};
};

/// [gradient]: training a classifier whose gradients are averaged by the chip.
struct GradientSettings {
  std::string data = "/usr/share/datasets/fashion-mnist";
  int hidden = 128;
  int batch = 256;
  int epochs = 1;
  double learning_rate = 0.1;
  double momentum = 0.9;
  int block = 1024;

  friend bool operator==(const GradientSettings&, const GradientSettings&) = default;
};

/// [noise]: what acts, and the name of the set of noise that this is.
struct NoiseSettings : NoiseSwitches {
  std::string set = "receivers";  ///< of noise_set_names(), "custom" for values that no set has

  /// Every source of noise.
  NoiseSettings() : NoiseSwitches(NoiseSwitches::all()) {}
};

/// [parts]: the name of the set of parts that the unit is made of.
struct PartsSettings {
  std::string set = std::string(default_parts);  ///< of parts_set_names(), "custom" for parts that no set has
};

/// Sets of noise by their names, "custom" last.
std::span<const std::string_view> noise_set_names();

/// Everything a study depends on. The tables in study_fields.hpp drive all that happens to it.
struct StudyConfig {
  std::string study = "unnamed";
  std::string model = "chip";        ///< what a trial is
  std::vector<std::string> figures;  ///< that tell its result; none: all there is data for
  RunSettings run;
  RunnerSettings runner;
  MeasureSettings measure;
  YieldSettings yield;
  Task task;
  NetworkSettings network;
  TrainingSettings training;
  ErrorModel chip = error_preset("design-target");
  MeasuredChipSettings measured_chip;  ///< [chip], too
  FabricationSettings fabrication;
  CalibrationSettings calibration;
  CrosstalkSettings crosstalk;
  Environment environment;
  PartsSettings parts;
  UnitHardware hardware = unit_of_parts();  ///< [laser], [modulator] .. [layout], [link]
  NoiseSettings noise;                      ///< of model chip's variant "noisy"; in model drift always
  StandInSettings stand_in;
  ToleranceSettings tolerance;
  MeshSettings mesh;
  CombSettings comb;
  DriftSettings drift;
  BudgetSettings budget;  ///< of optinc budget; no trial looks at it
  GradientSettings gradient;
  LearnerSettings learner;        ///< of model learning
  std::vector<SweepAxis> sweeps;  ///< [[sweep]], outermost first
};

/// Every field with the value in force, in the order of the file.
std::vector<FieldEntry> config_entries(const StudyConfig& config);

/// The keys of a [[sweep]], for explain and messages; `values` and `range` are tables, shown by an example.
std::vector<FieldEntry> sweep_entries();

/// The network that the study asks for before anything is trained or read: its layers and what they read.
/// Throws Error where there is none.
Network network_shape(const StudyConfig& config);

/// Exact, over every field of the tables.
bool operator==(const StudyConfig& a, const StudyConfig& b);

/// What a command line says over a file.
struct Overrides {
  std::vector<std::string> settings;  ///< "section.key=value" (a TOML value; a bare word is a string)
  std::vector<std::string> sweeps;  ///< "section.key=[values]": in place of the sweep of this key, or one more
  bool ablation = false;            ///< one more sweep, by ablation of every source that is on
  /// How the network of a file or shipped/NAME rounds, which task.rounding is where nothing sets it; none where
  /// that cannot be read.
  std::function<std::optional<Rounding>(const std::string& source)> rounding_of = {};
};

/// Reads a TOML file over the defaults, then applies `overrides`, a later one over an earlier one. [chip]
/// preset fills the values of its section and the section's other keys go over it, whatever their order; a
/// preset among the overrides replaces the file's whole [chip]. A part ("receiver.device") does the same to the
/// keys that it sets; one among the overrides replaces the file's values of those. A chip that differs from its
/// preset is called "custom"; a file may say so too if it gives every value. [noise] set does the same to the
/// keys of its set, in whichever section. Throws Error "file:line:column: ..." for a missing or unreadable
/// file, an unknown section or key, a wrong type, a value out of range. A relative path that the file gives
/// (Row::file) starts at the file's folder, one of an override at the working directory.
StudyConfig load_config(const std::filesystem::path& path, const Overrides& overrides = {});

/// The same from text, where all relative paths start at the working directory; `name` stands for the file in
/// messages.
StudyConfig parse_config(std::string_view text, std::string_view name, const Overrides& overrides = {});

/// The present name of a variant in a file of before schema version 5, where "corrected" meant what
/// "corrected_quadrature" does now, and "corrected_nearest" what "corrected" does.
std::string_view present_variant(std::string_view before_schema_5);

/// Settings that a program stored in a file of this schema version. Former names (Row::former; before version
/// 5, present_variant) are read as their present ones.
StudyConfig parse_stored_config(std::string_view text, std::string_view name, std::int64_t schema_version);

/// The configuration with these values, "section.key" each, in place of its own; a chip.preset or noise.set
/// among them replaces all that it names first. The values must be of their field's type. Throws Error where
/// one is out of range.
StudyConfig with_values(StudyConfig config, const Assignments& values);

/// Throws Error, "section.key" first, for a value out of range, keys that do not go together or layer widths
/// that do not fit, in every section: for a configuration changed by code.
void validate_config(const StudyConfig& config);

/// The whole configuration as in force; load_config gives back an equal one (but calls "custom" a chip that
/// code has changed under the name of a preset). With `comments` every key carries its meaning and unit.
std::string to_toml(const StudyConfig& config, bool comments = false);

/// Every key as "section.key", in the order of the file.
std::vector<std::string> all_keys();

/// Meaning, unit, default, range, source and readers (models) of a key such as "chip.sigma_eta_rad", one a
/// line. Throws Error, naming the nearest, for an unknown one.
std::string explain(std::string_view key);

/// to_toml without comments and without what changes no result (run.threads): all that a result depends on, and
/// what a result file keeps, so that runs on different machines write equal files.
std::string identity_toml(const StudyConfig& config);

/// Identity of a run: 16 hex digits, FNV-1a 64 of identity_toml.
std::string run_id(const StudyConfig& config);

}  // namespace optinc
