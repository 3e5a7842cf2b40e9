#include "experiments/models/networks.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "experiments/study/study_model.hpp"
#include "physics/core/check.hpp"

namespace optinc {

std::vector<StudyConfig> network_configs(const StudyConfig& at_point) {
  const auto networks = model_of(at_point).networks;
  return networks == nullptr ? std::vector<StudyConfig>{} : networks(at_point);
}

std::vector<StudyConfig> both_levels(const StudyConfig& at_point) {
  StudyConfig below = at_point, above = at_point;
  below.model = above.model = "chip";  // a level by itself
  below.task.level = CascadeLevel::first;
  above.task.level = CascadeLevel::second;
  if (above.network.above != "same") above.network.source = above.network.above;
  return {below, above};
}

std::vector<StudyConfig> asked_networks(const StudyConfig& at_point) {
  const auto asks = model_of(at_point).asks_networks;
  return asks != nullptr && !asks(at_point) ? std::vector<StudyConfig>{} : network_configs(at_point);
}

std::string network_identity(const StudyConfig& config) {
  const bool trained = config.network.source == "train";
  const auto asked = [&](std::string_view section, std::string_view key) {
    if (section == "task") return true;
    if (section == "network")
      return key == "source" || (key.starts_with("step_") || key == "carries" ? !trained : trained);
    if (!trained) return false;
    if (section == "training" || (section == "run" && key == "seed")) return true;
    // all but what heats and houses the unit, and what trainings leave out
    constexpr std::array unit = {"chip",     "laser",   "modulator", "receiver",  "converter",
                                 "splitter", "coupler", "fibre",     "waveguide", "layout",
                                 "link",     "time",    "noise"};
    constexpr std::array idle = {"lane_skew_s", "layer_skew_s", "clocked_receiver_j", "offset_a", "overload_a"};
    return config.training.meets_unit() && std::ranges::find(unit, section) != unit.end() &&
           std::ranges::find(idle, key) == idle.end();
  };
  std::string text;
  for (const FieldEntry& entry : config_entries(config))
    if (asked(entry.section, entry.info.key))
      text += fmt::format("{} = {}\n", entry.name(), toml_text(entry.value));
  return text;
}

std::size_t network_number(const Networks& networks, const StudyConfig& config) {
  if (networks.size() == 1) return 0;
  const std::string wanted = network_identity(config);
  const auto found =
      std::find_if(networks.begin(), networks.end(), [&](const auto& n) { return n.identity == wanted; });
  validate(
      found != networks.end(),
      "no network among the study's {} is the one asked for (the file was changed). Run the study again:\n{}",
      networks.size(), wanted);
  return static_cast<std::size_t>(found - networks.begin());
}

std::size_t most_layers(const Networks& networks) {
  std::size_t most = 0;
  for (const PreparedNetwork& n : networks) most = std::max(most, n.network.layers.size());
  return most;
}

}  // namespace optinc
