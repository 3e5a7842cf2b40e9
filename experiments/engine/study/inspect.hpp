#pragma once

#include <filesystem>
#include <string>

#include <nlohmann/json.hpp>

namespace optinc {

/// What a result or network file holds, as one nested object: "onn", "chips" or "meshes" (one entry per point
/// and variant), "ablation", "gradient", "laws", "provenance"; a group the file lacks is left out. Throws Error
/// for a file that is not OptINC's.
nlohmann::ordered_json inspect_json(const std::filesystem::path& file);

/// The same as text for a person.
std::string inspect_text(const std::filesystem::path& file);

}  // namespace optinc
