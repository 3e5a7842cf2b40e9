#pragma once

#include <filesystem>
#include <string>

#include "experiments/study/study_config.hpp"

namespace optinc {

/// shipped_or_own() of the studies.
std::filesystem::path study_path(const std::string& name);

/// load_config() of study_path().
StudyConfig load_study(const std::string& name, const Overrides& overrides);

}  // namespace optinc
