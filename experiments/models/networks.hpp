#pragma once

#include <string>
#include <vector>

#include "experiments/study/study_config.hpp"
#include "onn/network/network.hpp"
#include "onn/training/trainer.hpp"

namespace optinc {

/// A network of a study, and how it was trained (no curve for one that was built or read from a file).
struct PreparedNetwork {
  std::string identity;  ///< network_identity() of the points that ask for it
  Network network;
  std::vector<EpochReport> curve;
  /// Of one from a file that was trained for noise: the keys of the link that it was trained for, as TOML.
  std::string trained_for = {};
};

/// The networks that a study's points ask for, each once, in the order of the points.
using Networks = std::vector<PreparedNetwork>;

/// The configurations whose [task], [network] and [training] say what networks a point's chips compute: the
/// point's own, or both_levels(), as its model says.
std::vector<StudyConfig> network_configs(const StudyConfig& at_point);

/// Of these, the networks that a trial at this point asks: none where a learner's gradients are averaged
/// without one.
std::vector<StudyConfig> asked_networks(const StudyConfig& at_point);

/// The first and the second level of a cascade of such units, each as a study of one chip.
std::vector<StudyConfig> both_levels(const StudyConfig& at_point);

/// The point's own network alone.
inline std::vector<StudyConfig> own_network(const StudyConfig& at_point) { return {at_point}; }

/// All that the network of a configuration depends on, as TOML: points of one identity share a network.
std::string network_identity(const StudyConfig& config);

/// Number of the network that one of network_configs() asks for. Throws Error where it is not among them.
std::size_t network_number(const Networks& networks, const StudyConfig& config);

/// The most layers of any of them; 0 of none.
std::size_t most_layers(const Networks& networks);

}  // namespace optinc
