#pragma once

#include <cstdint>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "experiments/files/hdf5/hdf5.hpp"

namespace optinc {

/// Version of the layout in FORMAT.md; grows when a reader of the old one would misread the new one.
constexpr std::int64_t schema_version = 5;

/// "optinc VERSION (revision, build target, compiler)".
std::string program_version();

/// The git revision that this program was built from; "-dirty" behind it: changed since.
std::string_view program_revision();

/// What any file says of its making, as (name, text), in order: title, optinc_version, git_revision,
/// build_target, compiler, created_utc (ISO 8601), command. Text files carry it in their comments.
std::vector<std::pair<std::string, std::string>> file_origin(std::string_view title, std::string_view command);

/// Writes to the root what every file must say of itself: Conventions, schema_version and its origin.
void sign_file(const File& file, std::string_view title, std::string_view command);

/// Writes the root attribute `git_revisions` where other programs than this one had a part in the file.
void write_revisions(const File& file, std::set<std::string> revisions);

/// Revisions of all programs that had a part in a file. Throws Error where it names none.
std::set<std::string> read_revisions(const File& file);

/// "a, b" as a set; of no text none.
std::set<std::string> revisions_of(std::string_view text);

/// Throws Error, `where` first, where `revisions` of the programs behind `what` ("trials") and this one are
/// several and `mixed` does not allow it: numbers of two programs may differ.
void require_one_revision(const std::set<std::string>& revisions, const std::filesystem::path& where,
                          std::string_view what, bool mixed);

/// Writes the root attribute `warnings`, a line each; nothing where there are none.
void write_warnings(const File& file, const std::vector<std::string>& warnings);

/// Throws Error unless the file is OptINC's and of a schema that this program reads.
void require_schema(const File& file);

/// Throws Error when the file names a newer schema than this program reads. For files that other programs may
/// write, which name none.
void refuse_newer_schema(const File& file);

}  // namespace optinc
