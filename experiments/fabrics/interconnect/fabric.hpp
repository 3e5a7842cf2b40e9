#pragma once

#include <cstdint>
#include <vector>

#include "experiments/fabrics/interconnect/collectives.hpp"
#include "experiments/fabrics/interconnect/links.hpp"
#include "experiments/fabrics/interconnect/max_min.hpp"
#include "experiments/fabrics/interconnect/scenario.hpp"

namespace optinc {

/// The links of a scenario's network and where its servers sit.
struct Fabric {
  LinkTable links;
  std::vector<int> places;  ///< host of a fat-tree, or place along a ring, shape (servers)
  bool circuits = false;    ///< light finds its way by circuits that must be set
  bool dedicated = false;   ///< each transfer has a path of its own from port to port
};

/// One step of a phase on a fabric.
struct Step {
  double serial_s = 0.0;     ///< of the flow that arrives last
  double latency_s = 0.0;    ///< of that flow
  double set_s = 0.0;        ///< of the circuits, each time that they are set; a round after the other
  double mean_link_s = 0.0;  ///< mean over flows: all bytes over the slowest of a flow's links / its capacity
  std::int64_t rounds = 1;   ///< sets of circuits that the step needs
  std::vector<double> link_bytes;  ///< shape (links)
  std::vector<int> link_flows;     ///< shape (links)
};

/// Host of a fat-tree, or place along a ring, of each server: in line, or drawn without return, stream
/// Purpose::server_placement of the seed. Shape (servers).
std::vector<int> server_places(const Scenario& scenario);

/// The network of a scenario, whose keys are those in force (in_force): links from every server's port, and
/// - switch: nothing else, it blocks nothing
/// - fat-tree: fat_tree_links
/// - sip-ring: one link a segment and direction, W r / 8 bytes/s each, half of it where directions share the
///   spectrum
/// - sip-ocs, oddl: nothing else, circuits join ports
///
/// Throws Error where fat_tree_links does.
Fabric make_fabric(const Scenario& scenario);

/// Transfers as flows over the links. Sub-flows of ecmp share a transfer's bytes alike. Along a ring of both
/// directions a transfer takes the shorter way, of equal ones the first. Latency: step_latency_s, and
/// hop_latency_s for each link of electrical switches.
std::vector<Flow> flows_of(const Scenario& scenario, const Fabric& fabric,
                           const std::vector<Transfer>& transfers);

/// One step: max-min fair over shared links. Over circuits of its own
/// - oddl: circuit_rounds, each of which waits for control_delay_s + laser_tuning_s
/// - sip-ocs: all circuits of the collective, D = circuit_degree a server, exist at once, so that each has
///   floor(t / D) of the t transceivers:  max over transfers of bytes t / (B floor(t / D))
Step solve_step(const Scenario& scenario, const Fabric& fabric, const std::vector<Transfer>& transfers);

}  // namespace optinc
