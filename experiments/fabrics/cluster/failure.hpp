#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "experiments/fabrics/cluster/traffic.hpp"

namespace optinc {

/// What can fail; which of them a network has, has_component says.
inline constexpr std::array<std::string_view, 5> component_names = {"transceiver", "fibre", "switch-port",
                                                                    "unit", "node"};

/// A component that fails while a job trains alone on all nodes of a network. Keys and meanings stand in
/// visit_rows (cluster_rows.hpp).
///
/// Nothing is sent while the failure is found (detection_s) and mended (repair), and what was lost is done
/// again (repeated). A bucket whose sum was complete is kept, and the one that is being exchanged is sent
/// again.
/// - transceiver: one of the `transceivers` that share the port of node 0. With those left the port has
///   (transceivers - 1) / transceivers of its rate, and every phase is as slow as this port makes it (OptINC's
///   scales have another). On ODDL they set their circuits anew (set_s). Without another one the node is lost:
///   see node.
/// - fibre (ODDL): a fibre out of and one into the group of node 0. All connections of the job between groups
///   (group_connections) are set anew in setup_s; as many channels as connections are taken to suffice, as
///   they do where all groups have the same (Koenig 1916). Where a group has n channels for m > n connections,
///   they share them in time, and phases between groups run at n / m of their rate. Setting switches for their
///   turns is not counted: a lower bound. A group without channels is cut off, and the job ends. Without
///   connections out of the group nothing happens.
/// - switch-port (ODDL): the common port of the wavelength-selective switch behind a fibre out of that group:
///   the same in one direction.
/// - unit (OptINC): with a spare unit the servers' fibres are switched to it (setup_s), and it is calibrated
///   (calibration_s). Without, the job goes on by a ring in 32 bits over the electrical switch that carries the
///   scales, as fast as a server's port.
/// - node: the job begins again from its last checkpoint, half of checkpoint_s ago in the mean. That takes
///   restart_s, and setup_s where light is switched for it. It has as many nodes if a spare one takes over
///   spare_s later (0 or more), else one less.
struct Failure {
  std::string name;
  TrafficSettings traffic;  ///< of the network; rate_bit_per_s: of a node's port, all transceivers together
  std::string component = "node", collective = "ring";
  std::int64_t transceivers = 1, spare_units = 0;
  double scattered = 0.0;
  double at = 0.5;  ///< share of an iteration that has passed
  double detection_s = 1.0, setup_s = 0.1, calibration_s = 10.0, checkpoint_s = 600.0, restart_s = 60.0,
         spare_s = -1.0;

  Failure() {
    traffic.network.network = "oddl";
    traffic.network.compute_s = 0.1;
  }
};

/// What the job loses, and how it goes on.
struct FailureResult {
  std::int64_t nodes = 0, nodes_after = 0;
  double before_s = 0.0;          ///< iteration
  double after_s = 0.0;           ///< iteration; NaN where the job ends
  double detection_s = 0.0;       ///< 0 where the job does not use the component
  double repair_s = 0.0;          ///< until the job can go on; NaN where it cannot
  double repeated_s = 0.0;        ///< work done again: the bucket in flight, or all since the last checkpoint
  std::int64_t kept_buckets = 0;  ///< of the iteration, whose sums were complete

  /// Whether the job goes on without the component in place.
  bool goes_on() const { return after_s == after_s; }
  /// Detection, repair and repeated work; NaN where the job ends.
  double lost_s() const { return detection_s + repair_s + repeated_s; }
  /// Iteration afterwards over that before.
  double ratio() const { return after_s / before_s; }
  /// Time for as many samples, each node taking the same number in an iteration, over that before.
  double slowdown() const { return ratio() * static_cast<double>(nodes) / static_cast<double>(nodes_after); }
};

/// Whether a network has a component: all have transceivers and nodes, ODDL fibres and switch ports between
/// groups, OptINC units.
bool has_component(std::string_view network, std::string_view component);

/// Throws Error for a component that the network has not, and a wait for a spare node that cannot be.
void check_failure(const Failure& failure);

/// Throws Error where check_failure and SharedNetwork do, for a job that OptINC does not serve, and for a
/// collective that cannot go on with one node less.
FailureResult run_failure(const Failure& failure);

}  // namespace optinc
