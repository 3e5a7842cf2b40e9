#include "experiments/study/shipped_studies.hpp"

#include "experiments/base/shipped_files.hpp"
#include "experiments/study/shipped_networks.hpp"

namespace optinc {

namespace fs = std::filesystem;

fs::path study_path(const std::string& name) { return shipped_or_own("studies", name); }

StudyConfig load_study(const std::string& name, const Overrides& overrides) {
  Overrides all = overrides;
  all.rounding_of = network_rounding;
  return load_config(study_path(name), all);
}

}  // namespace optinc
