#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <string>

#include <nlohmann/json.hpp>

#include "experiments/files/hdf5/hdf5.hpp"

namespace optinc {

/// A group that no study writes, and what is said of it where a file has it.
struct InspectedGroup {
  std::string name;                                          ///< of the group, and of its key in JSON
  std::function<nlohmann::ordered_json(const Group&)> json;  ///< from the root
  std::function<std::string(const Group&)> text;
};

/// What a result or network file holds, as one nested object: "onn", "chips" or "meshes" (one entry per point
/// and variant), "ablation", "gradient", those of `others`, "provenance"; a group the file lacks is left out.
/// Throws Error for a file that is not OptINC's.
nlohmann::ordered_json inspect_json(const std::filesystem::path& file,
                                    std::span<const InspectedGroup> others = {});

/// The same as text for a person.
std::string inspect_text(const std::filesystem::path& file, std::span<const InspectedGroup> others = {});

}  // namespace optinc
