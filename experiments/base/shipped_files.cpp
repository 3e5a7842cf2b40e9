#include "experiments/base/shipped_files.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "physics/core/check.hpp"
#include "physics/core/suggestion.hpp"

namespace optinc {

namespace fs = std::filesystem;

fs::path shipped_folder(std::string_view kind) {
  std::error_code none;
  const fs::path program = fs::read_symlink("/proc/self/exe", none);  // empty where there is no /proc
  if (!program.empty()) {
    fs::path beside = program.parent_path().parent_path() / "share/optinc" / kind;
    if (fs::is_directory(beside, none)) return beside;
  }
  for (const fs::path& source :
       {fs::path(OPTINC_SOURCE) / "experiments/data" / kind, fs::path(OPTINC_SOURCE) / kind})
    if (fs::is_directory(source, none)) return source;
  return fs::path(OPTINC_INSTALLED) / kind;
}

std::vector<std::string> shipped_names(std::string_view kind) {
  std::vector<std::string> names;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(shipped_folder(kind), none))
    if (entry.path().extension() == ".toml") names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

fs::path shipped_or_own(std::string_view kind, const std::string& name, const fs::path& folder) {
  std::error_code none;
  const fs::path path = folder / name;
  if ((fs::exists(path, none) && !fs::is_directory(path, none)) || fs::path(name).has_parent_path())
    return path;
  const auto names = shipped_names(kind);
  const std::string wanted = path.extension() == ".toml" ? path.stem().string() : name;
  if (std::find(names.begin(), names.end(), wanted) != names.end())
    return shipped_folder(kind) / (wanted + ".toml");
  const std::vector<std::string_view> known(names.begin(), names.end());
  if (known.empty() || fs::is_directory(path, none)) return path;  // its reader says what is wrong
  throw Error(fmt::format("{}: no such file, and none of the shipped {} (optinc list {}). {}", path.string(),
                          kind, kind, suggestion(wanted, known, "Check the path.")));
}

}  // namespace optinc
