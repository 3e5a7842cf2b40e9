#include "experiments/study/learner_settings.hpp"

#include <array>

namespace optinc {

std::span<const std::string_view> learner_kind_names() {
  static constexpr std::array<std::string_view, 2> names = {"mlp", "cnn"};
  return names;
}

std::span<const std::string_view> data_set_names() {
  static constexpr std::array<std::string_view, 3> names = {"fashion-mnist", "cifar-10", "cifar-100"};
  return names;
}

std::span<const std::string_view> aggregator_names() {
  static constexpr std::array<std::string_view, 7> names = {
      "exact", "ring", "halving-doubling", "parameter-server", "quantised", "network", "chip"};
  return names;
}

std::span<const std::string_view> engine_names() {
  static constexpr std::array<std::string_view, 2> names = {"map", "light"};
  return names;
}

}  // namespace optinc
