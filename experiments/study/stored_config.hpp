#pragma once

#include <string_view>

#include "experiments/files/hdf5/hdf5.hpp"
#include "experiments/study/study_config.hpp"

// A study's configuration in files: written whole, read back, and section by section as attributes.

namespace optinc {

/// Signs the file of a study: the same, and run_id, seed, config_toml (as in force).
void write_provenance(const File& file, const StudyConfig& config, std::string_view title,
                      std::string_view command);

/// The configuration the file was written with. Throws Error where require_schema or parse_config does.
StudyConfig stored_config(const File& file);

/// Writes one section of the configuration ("chip") as attributes of a group, from its field table, but for
/// keys that name a file.
void write_section(const Attributes& attributes, const StudyConfig& config, std::string_view section);

}  // namespace optinc
