#include "experiments/engine/study/shipped_studies.hpp"

#include <algorithm>

#include "experiments/engine/study/shipped_files.hpp"
#include "experiments/engine/study/shipped_networks.hpp"
#include "physics/core/check.hpp"
#include "physics/core/names.hpp"

namespace optinc {

namespace fs = std::filesystem;

std::vector<std::string> shipped_studies() {
  std::vector<std::string> names;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(shipped_folder("studies"), none))
    if (entry.path().extension() == ".toml") names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

fs::path study_path(const std::string& name) {
  std::error_code none;
  const fs::path path = name;
  if ((fs::exists(path, none) && !fs::is_directory(path, none)) || path.has_parent_path()) return path;
  const auto names = shipped_studies();
  const std::string wanted = path.extension() == ".toml" ? path.stem().string() : name;
  if (std::find(names.begin(), names.end(), wanted) != names.end())
    return shipped_folder("studies") / (wanted + ".toml");
  const std::vector<std::string_view> known(names.begin(), names.end());
  if (known.empty() || fs::is_directory(path, none)) return path;  // its reader says what is wrong
  throw Error(fmt::format("{}: no such file, and no shipped study (optinc list). Did you mean {}?", name,
                          choice_text(likely_names(wanted, known))));
}

StudyConfig load_study(const std::string& name, const Overrides& overrides) {
  Overrides all = overrides;
  all.rounding_of = network_rounding;
  return load_config(study_path(name), all);
}

}  // namespace optinc
