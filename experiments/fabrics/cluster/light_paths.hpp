#pragma once

#include <cstdint>
#include <string>

#include "physics/devices/wavelength_switch.hpp"

namespace optinc {

/// The optical layer between nodes: groups of nodes on an arrayed-waveguide router, which a node's tunable
/// laser steers (fast), and wavelength-selective switches between groups, set for a job (slow). Keys and
/// meanings stand in visit_rows (cluster_rows.hpp).
///
/// A path from group to group: transmitter, router, booster, then in every pass a switch, fibre and an
/// amplifier that makes up for both, router, receiver. A tier of switches with P ports joins P groups, or P of
/// the tier below, and every path passes two switches a tier: passes = 2 ceil(log_P groups). Fibre f out of a
/// group leads to fibre f into every group.
struct LightPaths {
  std::string name;
  std::int64_t nodes = 1024, group_size = 32, transceivers = 1, fibres = 1, channel_slots = 6, draws = 20,
               seed = 1;
  double band_hz = 4.8e12, slot_hz = 12.5e9;
  WavelengthSwitchSettings wss = {};
  double router_loss_db = 5.0, fibre_m = 500.0, transmitter_dbm = 3.0, amplifier_dbm = 23.0,
         noise_figure_db = 5.5;
  std::int64_t levels = 4;
  double symbol_rate_bd = 53.125e9, bit_error_rate = 2.4e-4, receiver_noise_a_per_rthz = 20e-12;
};

/// What a path of so many passes delivers.
struct PathBudget {
  std::int64_t passes = 0;
  double channel_dbm = 0.0;      ///< of one channel behind an amplifier: its power over all channels
  double received_dbm = 0.0;     ///< mean, narrowing included
  double sensitivity_dbm = 0.0;  ///< mean power that a receiver needs beside the noise and crosstalk of the
                                 ///< path; NaN: no power suffices
  double osnr_db = 0.0;          ///< in 12.5 GHz, narrowing included; infinite where no amplifier gains
  double crosstalk_db = 0.0;     ///< of all passes, over the signal
  double bandwidth_hz = 0.0;     ///< of all passes, 3 dB
  double symbol_rate_bd = 0.0;
  double narrowing_db = 0.0;    ///< power that the passbands take from the signal
  double bit_error_rate = 0.0;  ///< by amplifiers, crosstalk and the receiver
  double noise_margin_db =
      0.0;  ///< noise and crosstalk that a receiver without noise tolerates, over what there is
  /// Power above the sensitivity, dB.
  double power_margin_db() const { return received_dbm - sensitivity_dbm; }
  /// Whether the power suffices, and all passes together are as wide as the symbol rate: narrower ones would
  /// let symbols disturb each other, which is not computed.
  bool reaches() const { return power_margin_db() >= 0.0 && bandwidth_hz >= symbol_rate_bd; }
};

/// What draws power between groups whatever it carries, of the whole layer. Arrayed-waveguide routers are
/// passive.
struct OpticalModules {
  std::int64_t wavelength_switches = 0, amplifiers = 0;
};

/// Budget, reach and blocking of an optical layer.
struct LightPathsResult {
  std::int64_t groups = 0, wavelengths = 0;  ///< wavelengths: of a fibre
  OpticalModules modules;                    ///< of the whole layer
  PathBudget path;                           ///< of the passes that the nodes need
  std::int64_t reach_passes = 0;             ///< most passes that work; even, for a tier is passed twice
  double reach_nodes = 0.0;                  ///< nodes that so many tiers join
  std::int64_t connections = 0;              ///< between groups, of all draws
  double blocked_first_fit = 0.0;   ///< share that finds no wavelength free on both its fibres, set one by one
  double blocked_rearranged = 0.0;  ///< the same if all may be set anew, an upper bound: connections whose
                                    ///< colour of edge_colours exceeds what the fibres have
};

/// Modules between G = ceil(nodes / group_size) groups, none for one group. In the middle nothing may block a
/// channel that is free on the fibre out of one group and on that into the other, so that every fibre out of a
/// group spreads over a tree of switches with P ports whose leaves are the G groups, and every fibre into one
/// gathers from such a tree. A tree has, tier by tier from its leaves,
///   S = ceil(G / P) + ceil(G / P^2) + .. + 1
/// switches, and a path passes one of each tier in both trees: the passes of a path. Per group and fibre
///   wavelength switches = 2 S
///   amplifiers = 1 + (S - 1 + G) + S
/// the booster, one behind every port of the spreading tree that is in use, one behind every switch of the
/// gathering tree: each that the budget of a path finds on its way. Throws Error for switches of one port
/// between groups.
OpticalModules optical_modules(const LightPaths& paths);

/// Groups of the nodes, the last one perhaps not full.
std::int64_t groups_of(const LightPaths& paths);

/// Channels of a fibre: band_hz over the width of a channel, rounded down. Throws Error for none, and where
/// those of all groups do not fit into memory.
std::int64_t wavelengths_of(const LightPaths& paths);

/// The budget of a path of `passes` switches. Throws Error where a device cannot be.
PathBudget path_budget(const LightPaths& paths, std::int64_t passes);

/// Budget, reach and blocking. Demand: every transceiver sends to one and receives from one, a random
/// permutation of the nodes for each (Purpose::server_placement); connections within a group need no
/// wavelength of the fibres. First fit (ChannelTable) never blocks where fibres x wavelengths >= 2 group_size
/// transceivers - 1 (Clos 1953), rearranged where they are >= group_size transceivers (Koenig 1916). Throws
/// Error where path_budget does, and for group sizes that do not divide the nodes.
LightPathsResult solve_light_paths(const LightPaths& paths);

}  // namespace optinc
