#include "experiments/engine/study/shipped_networks.hpp"

#include <algorithm>

#include "experiments/engine/study/shipped_files.hpp"
#include "physics/core/check.hpp"
#include "physics/core/names.hpp"

namespace optinc {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view prefix = "shipped/";

}  // namespace

std::vector<std::string> shipped_networks() {
  std::vector<std::string> names;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(shipped_folder("networks"), none))
    if (entry.path().extension() == ".h5") names.push_back(std::string(prefix) + entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

fs::path network_path(const std::string& source) {
  if (!source.starts_with(prefix)) return source;
  const auto names = shipped_networks();
  const std::vector<std::string_view> known(names.begin(), names.end());
  validate(!known.empty(), "{}: no network is shipped here ({} is not on this machine). Name a file.", source,
           shipped_folder("networks").string());
  validate(std::find(known.begin(), known.end(), source) != known.end(),
           "{}: no such network (shipped: {}). Did you mean {}?", source, join_names(known),
           nearest_name(source, known));
  return shipped_folder("networks") / (source.substr(prefix.size()) + ".h5");
}

}  // namespace optinc
