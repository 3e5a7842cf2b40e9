#include "experiments/study/study_names.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "experiments/study/study_model.hpp"

namespace optinc {
namespace {

using Names = std::vector<std::string_view>;

/// What `body(model, names)` adds for every model.
template <class Body>
Names of_models(Body body) {
  Names names;
  for (const StudyModel& model : study_models()) body(model, names);
  return names;
}

}  // namespace

std::span<const std::string_view> model_names() {
  static const Names names = of_models([](const StudyModel& model, Names& all) { all.push_back(model.name); });
  return names;
}

std::string_view what_trials_simulate() {
  static const std::string text = [] {
    std::string all;
    for (const StudyModel& model : study_models())
      all += fmt::format("{}{} ({})", all.empty() ? "What a trial simulates: " : ", ", model.simulates,
                         model.name);
    return all;
  }();
  return text;
}

std::span<const std::string_view> metric_names() {
  static const Names names = of_models([](const StudyModel& model, Names& all) {
    for (const Metric& metric : model.metrics) all.push_back(metric.name);
  });
  return names;
}

std::span<const std::string_view> metric_names(std::string_view model) {
  static const std::map<std::string_view, Names> names = [] {
    std::map<std::string_view, Names> all;
    for (const StudyModel& each : study_models())
      for (const Metric& metric : each.metrics) all[each.name].push_back(metric.name);
    return all;
  }();
  return names.at(model);
}

std::span<const std::string_view> metric_or_none_names() {
  static const Names names = [] {
    Names all = {"none"};
    for (const std::string_view name : metric_names())
      if (!find_metric(name)->counts()) all.push_back(name);
    return all;
  }();
  return names;
}

std::span<const std::string_view> variant_names() {
  static const Names names = of_models([](const StudyModel& model, Names& all) {
    for (const VariantName& variant : model.variants)
      if (std::find(all.begin(), all.end(), variant.name) == all.end()) all.push_back(variant.name);
  });
  return names;
}

std::span<const std::string_view> variant_names(std::string_view model) {
  static const std::map<std::string_view, Names> names = [] {
    std::map<std::string_view, Names> all;
    for (const StudyModel& each : study_models())
      for (const VariantName& variant : each.variants) all[each.name].push_back(variant.name);
    return all;
  }();
  return names.at(model);
}

std::string_view variant_meaning(std::string_view variant) {
  static constexpr std::pair<std::string_view, std::string_view> meanings[] = {
      {"uncorrected", "programmed as if every splitter were perfect"},
      {"corrected",
       "programmed for the known splitter errors and phase offsets, clipped to the nearest reachable power"},
      {"corrected_quadrature",
       "programmed for the known splitter errors and phase offsets, surplus field turned into the quadrature "
       "that is not detected"},
      {"noisy", "as corrected_quadrature, with the noise that the study switches on"},
      {"stand-in", "the network with an error in every matrix, without devices"},
      {"drifting", "calibrated once"},
      {"recalibrated", "calibrated repeatedly"},
      {"checked", "calibrated when checks fail"}};
  for (const auto& [name, meaning] : meanings)
    if (name == variant) return meaning;
  return {};
}

std::span<const std::string_view> once_names() {
  static constexpr std::array<std::string_view, 3> names = {"eye", "gradient", "cost"};
  return names;
}

std::span<const std::string_view> figure_names() {
  static constexpr std::array<std::string_view, 25> names = {"metric_vs_parameter",
                                                             "waveform",
                                                             "heat_map",
                                                             "error_histogram",
                                                             "eye",
                                                             "training",
                                                             "gradient",
                                                             "ablation",
                                                             "pareto",
                                                             "drift",
                                                             "comb",
                                                             "spectrum",
                                                             "mesh_comparison",
                                                             "mesh_balance",
                                                             "receiver_noise",
                                                             "tolerance",
                                                             "search",
                                                             "learning",
                                                             "learning_energy",
                                                             "chip_to_accuracy",
                                                             "gradient_errors",
                                                             "wrong_words",
                                                             "cost_front",
                                                             "operating_points",
                                                             "wafer_map"};
  return names;
}

}  // namespace optinc
