#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/config/fields.hpp"
#include "onn/link.hpp"
#include "onn/task.hpp"
#include "onn/training.hpp"
#include "physics/variation/error_model.hpp"

namespace optinc {

/// [run]: what every study needs. Threads never change a result.
struct RunSettings {
  std::uint64_t seed = 1;
  int threads = 0;  ///< 0: all
};

/// [network]
struct NetworkSettings {
  std::vector<int> hidden = {64, 128, 256, 128, 64};
};

/// [levels]: word accuracy of many chips at several splitter errors.
struct LevelSettings {
  std::vector<double> sigma_eta_rad = {0.0025, 0.005, 0.01, 0.015, 0.02, 0.03};
  int chips = 30;    ///< per level
  int words = 4096;  ///< drawn per chip
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
  double sigma_eta_rad = 0.005;
};

/// Everything a study depends on. The tables in study_fields.hpp drive all that happens to it.
struct StudyConfig {
  std::string study = "quickstart";
  RunSettings run;
  Task task;
  NetworkSettings network;
  TrainingSettings training;
  ErrorModel chip = error_preset("design-target");
  LinkSettings link;
  NoiseSwitches noise = NoiseSwitches::all();  ///< of the variant "noisy"
  LevelSettings levels;
  GradientSettings gradient;
};

/// Every field with the value in force, in the order of the file.
std::vector<FieldEntry> config_entries(const StudyConfig& config);

/// Exact, over every field of the tables.
bool operator==(const StudyConfig& a, const StudyConfig& b);

/// Reads a TOML file over the defaults, then applies `overrides`, each "section.key=value" (a TOML value; a
/// bare word is a string), a later one over an earlier one. [chip] preset fills the values of its section and
/// the section's other keys go over it, whatever their order; a preset among the overrides replaces the file's
/// whole [chip]. A chip that differs from its preset is called "custom"; a file may say so too if it gives
/// every value. Throws Error "file:line:column: ..." for a missing or unreadable file, an unknown section or
/// key, a wrong type, a value out of range.
StudyConfig load_config(const std::filesystem::path& path, std::span<const std::string> overrides = {});

/// The same from text; `name` stands for the file in messages.
StudyConfig parse_config(std::string_view text, std::string_view name,
                         std::span<const std::string> overrides = {});

/// Throws Error for a value out of range or layer widths that do not fit: for a configuration changed by code.
void validate_config(const StudyConfig& config);

/// The whole configuration as in force; load_config gives back an equal one (but calls "custom" a chip that
/// code has changed under the name of a preset). With `comments` every key carries its meaning and unit.
std::string to_toml(const StudyConfig& config, bool comments = false);

/// Every key as "section.key", in the order of the file.
std::vector<std::string> all_keys();

/// Meaning, unit, default, range and source of a key such as "chip.sigma_eta_rad", one a line.
/// Throws Error, naming the nearest, for an unknown one.
std::string explain(std::string_view key);

/// to_toml without comments and without run.threads: all that a result depends on, and what a result file
/// keeps, so that runs on different machines write equal files.
std::string identity_toml(const StudyConfig& config);

/// Identity of a run: 16 hex digits, FNV-1a 64 of identity_toml.
std::string run_id(const StudyConfig& config);

}  // namespace optinc
