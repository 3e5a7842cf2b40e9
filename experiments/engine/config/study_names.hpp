#pragma once

#include <span>
#include <string_view>
#include <vector>

namespace optinc {

/// One quantity a trial can record. FORMAT.md lists them; the models fill them in.
struct Metric {
  std::string_view name, model, unit, long_name;
  std::vector<std::string_view> axes;  ///< of the model, behind the trial
  bool counts = false;                 ///< summed over trials, not averaged
};
std::span<const Metric> metrics();

/// One way in which a model programs and lights its device.
struct VariantName {
  std::string_view name, model;
  bool if_named = false;  ///< measured only by a study that names it
};
std::span<const VariantName> variants();

/// Whether a trial of this model is made of chips that compute a network: all but mesh.
bool has_network(std::string_view model);

// The names a study may give.
std::span<const std::string_view> model_names();
std::span<const std::string_view> metric_names();
std::span<const std::string_view> metric_or_none_names();
std::span<const std::string_view> variant_names();
std::span<const std::string_view> once_names();
std::span<const std::string_view> figure_names();
std::span<const std::string_view> mesh_topology_names();

}  // namespace optinc
