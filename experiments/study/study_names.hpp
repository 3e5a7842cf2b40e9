#pragma once

#include <span>
#include <string_view>

namespace optinc {

// The names a study may give.
std::span<const std::string_view> model_names();
std::string_view what_trials_simulate();  ///< of every model, for the help on `model`
std::span<const std::string_view> metric_names();
std::span<const std::string_view> metric_names(std::string_view model);  ///< of one of model_names()
std::span<const std::string_view> metric_or_none_names();
std::span<const std::string_view> variant_names();
std::span<const std::string_view> variant_names(std::string_view model);  ///< of one of model_names()
/// How it programs a device and what acts on the light; empty for a variant of a model that a program adds.
std::string_view variant_meaning(std::string_view variant);
std::span<const std::string_view> once_names();
std::span<const std::string_view> figure_names();

}  // namespace optinc
