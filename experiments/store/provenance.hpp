#pragma once

#include <string_view>

#include "experiments/config/study_config.hpp"
#include "experiments/store/hdf5.hpp"

namespace optinc {

/// Version of the layout in FORMAT.md; grows when a reader of the old one would misread the new one.
constexpr std::int64_t schema_version = 2;

/// Writes to the root what a result must say of itself: Conventions, title, schema_version, optinc_version,
/// git_revision, build_target, compiler, run_id, seed, created_utc (ISO 8601), command, config_toml (as in
/// force).
void write_provenance(const File& file, const StudyConfig& config, std::string_view title,
                      std::string_view command);

/// Throws Error unless the file is OptINC's and of a schema that this program reads.
void require_schema(const File& file);

/// The configuration the file was written with. Throws Error where require_schema or parse_config does.
StudyConfig stored_config(const File& file);

/// Writes one section of the configuration ("chip") as attributes of a group, from its field table.
void write_section(const Attributes& attributes, const StudyConfig& config, std::string_view section);

}  // namespace optinc
