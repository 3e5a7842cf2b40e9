#include "experiments/study/ruled_networks.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "experiments/study/study_config.hpp"
#include "onn/network/digit_sums.hpp"

namespace optinc {

const RuledNetwork* ruled_network(std::string_view source) {
  static constexpr std::array<RuledNetwork, 5> all = {
      {{"carry-chain", Outputs::answer, Adder::light, Rounding::half_up,
        [](const StudyConfig& config) { return carry_chain(config.task, config.network.carry_chain); },
        [](const StudyConfig& config) {
          return fmt::format("carry chain, {}", name_of(config.network.carry_chain.carries));
        },
        [](const StudyConfig& config) {
          return time_shared_cost(config.task, config.network.carry_chain, config.chip, config.hardware,
                                  config.budget);
        }},
       {"digit-sums",
        Outputs::sums,
        Adder::light,
        {},
        [](const StudyConfig& config) { return digit_sums(config.task); },
        [](const StudyConfig&) { return std::string("digit sums"); },
        nullptr},
       {"analogue-sum",
        Outputs::analogue,
        Adder::light,
        {},
        [](const StudyConfig& config) { return analogue_sum(config.task); },
        [](const StudyConfig&) { return std::string("analogue sum"); },
        nullptr},
       {"ring",
        Outputs::answer,
        Adder::ring,
        {},
        [](const StudyConfig& config) { return word_hops(config.task, Adder::ring); },
        [](const StudyConfig&) { return std::string("ring"); },
        nullptr},
       {"hub",
        Outputs::answer,
        Adder::hub,
        {},
        [](const StudyConfig& config) { return word_hops(config.task, Adder::hub); },
        [](const StudyConfig& config) {
          return std::string(config.budget.hub_j_per_bit > 0 ? "aggregating switch" : "adder chip");
        },
        nullptr}}};
  const auto found = std::ranges::find(all, source, &RuledNetwork::source);
  return found == all.end() ? nullptr : &*found;
}

}  // namespace optinc
