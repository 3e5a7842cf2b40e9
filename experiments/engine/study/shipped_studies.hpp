#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "experiments/engine/config/study_config.hpp"

namespace optinc {

/// Names of the studies that come with the program, in the order of the alphabet; none where this build's are
/// not on this machine.
std::vector<std::string> shipped_studies();

/// The file of a study: `name` itself where there is such a file, else the shipped study of that name, with or
/// without .toml. Throws Error, naming those that may have been meant, where it is neither a path nor a name.
std::filesystem::path study_path(const std::string& name);

/// load_config() of study_path().
StudyConfig load_study(const std::string& name, const Overrides& overrides);

}  // namespace optinc
