#include <sstream>

#include "experiments/models/trial_model.hpp"
#include "experiments/study/points.hpp"
#include "experiments/study/study_config.hpp"
#include "experiments/study/study_warnings.hpp"

#include "tests/fuzz/support.hpp"

namespace optinc::fuzz {
namespace {

constexpr std::size_t most_points = 30;  // more of them is only more of the same

/// "# --set KEY=VALUE" and "# --sweep KEY=[..]" of the text.
Overrides overrides_of(std::string_view text) {
  constexpr std::string_view set = "# --set ", sweep = "# --sweep ";
  Overrides overrides;
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(set)) overrides.settings.push_back(line.substr(set.size()));
    if (line.starts_with(sweep)) overrides.sweeps.push_back(line.substr(sweep.size()));
  }
  return overrides;
}

void look_at(const StudyConfig& config) {
  const StudyConfig again = parse_config(identity_toml(config), "identity");
  demand(run_id(again) == run_id(config), "a study reads back from its identity as the same study");
  demand(!to_toml(config, true).empty(), "a study prints");
  accepted([&] { model_layout(config, 3); });
  accepted([&] {
    if (point_count(config) > most_points) return;
    checked_points(config);
    study_warnings(config);
    for (std::size_t p = 0; p < point_count(config); ++p) point_label(config, p);
  });
}

}  // namespace

void study(Bytes text) {
  accepted([&] { look_at(parse_config(text_of(text), "study.toml", overrides_of(text_of(text)))); });
}

}  // namespace optinc::fuzz
