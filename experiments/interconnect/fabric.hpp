#pragma once

#include <vector>

#include "experiments/interconnect/collectives.hpp"
#include "experiments/interconnect/links.hpp"
#include "experiments/interconnect/max_min.hpp"
#include "experiments/interconnect/scenario.hpp"

namespace optinc {

/// The links of a scenario's network and where its servers sit.
struct Fabric {
  LinkTable links;
  std::vector<int> places;  ///< host of a fat-tree, or place along a ring, shape (servers)
  bool circuits = false;    ///< light finds its way by circuits that must be set
  bool dedicated = false;   ///< each transfer has a path of its own from port to port
};

/// Time of one step of a phase.
struct StepTime {
  double serial_s = 0.0;           ///< of the flow that arrives last
  double latency_s = 0.0;          ///< of that flow
  double reconfiguration_s = 0.0;  ///< of the circuits once, where they are set
};

/// The network of a scenario: links from every server's port, and
///   switch    nothing else: it blocks nothing
///   fat-tree  fat_tree_links
///   sip-ring  one link a segment and direction, W r / 8 bytes/s each, half of it where directions share the
///   spectrum sip-ocs, oddl  nothing else: circuits join ports
/// Random placement draws hosts or places without return, stream Purpose::server_placement of the seed.
/// Throws Error where fat_tree_links does.
Fabric make_fabric(const Scenario& scenario);

/// Transfers as flows over the links. Sub-flows of ecmp share a transfer's bytes alike. Along a ring of both
/// directions a transfer takes the shorter way, of equal ones the first. Latency: step_latency_s, and
/// hop_latency_s for each link of electrical switches.
std::vector<Flow> flows_of(const Scenario& scenario, const Fabric& fabric,
                           const std::vector<Transfer>& transfers);

/// One step: max-min fair over shared links; of dedicated circuits, with t transceivers a server,
///   max over ports of bytes / B,   rounds = ceil(largest number of a server's transfers / t),
/// rounds being those of an edge colouring of the bipartite graph of senders and receivers (Koenig 1916).
StepTime step_time(const Scenario& scenario, const Fabric& fabric, const std::vector<Transfer>& transfers);

}  // namespace optinc
