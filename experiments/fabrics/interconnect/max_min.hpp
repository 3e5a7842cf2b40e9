#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace optinc {

/// Bytes on their way over directed links, all of which carry them at one rate.
struct Flow {
  std::vector<int> links;  ///< indices of the links it crosses, each once
  double bytes = 0.0;
  double latency_s = 0.0;            ///< from the last byte's departure to its arrival
  std::vector<double> weights = {};  ///< of max_min_rates: what it takes of each link per byte of its rate, as
                                     ///< so many flows in lockstep do; empty: 1 of each
};

/// When the flows of one phase end. Shape (flows) each.
struct FlowTimes {
  std::vector<double> sent_s;     ///< the last byte has left
  std::vector<double> arrived_s;  ///< sent_s + latency_s
};

/// Max-min fair rates by water-filling: the link of least capacity / flows fixes its flows' rate, which is
/// taken from their other links, and so on. capacity: bytes/s, shape (links); the result: bytes/s, shape
/// (flows). Throws Error for a capacity that is not positive and finite, a flow of no link, an unknown one or
/// the same one twice, and weights that are not positive or not one a link. Source: Bertsekas & Gallager, Data
/// Networks, 2nd ed., section 6.5.2.
std::vector<double> max_min_rates(std::span<const double> capacity_bytes_per_s, std::span<const Flow> flows);

/// max_min_rates, bit by bit, while flows come and go over the same links: only those that share a link with
/// one that came or went, directly or by way of others, are solved anew, and nothing is allocated.
class MaxMinSolver {
 public:
  /// Keeps both spans; no flow is there yet. Throws Error as max_min_rates.
  MaxMinSolver(std::span<const double> capacity_bytes_per_s, std::span<const Flow> flows);

  /// Lets a flow come or go.
  void set(std::size_t flow, bool present);

  /// Rates, shape (flows), bytes/s, 0 of flows that are not there.
  const std::vector<double>& rates();

 private:
  struct Link {
    double left = 0.0,
           load = 0.0;     ///< capacity that is not given away; weights of the flows that wait for a rate
    int flows = 0;         ///< that wait
    bool touched = false;  ///< its flows must be solved anew
  };
  void touch(std::size_t flow);
  void find_changed();
  double weight(std::size_t flow, std::size_t hop) const;  ///< on the link flows_[flow].links[hop]
  void settle(std::size_t flow, double rate);

  std::span<const double> capacity_;
  std::span<const Flow> flows_;
  std::vector<std::size_t> first_, over_;  ///< flows over link l: over_[first_[l]] .. over_[first_[l + 1] - 1]
  std::vector<Link> links_;
  std::vector<char> present_, waiting_;
  std::vector<double> rates_;
  std::vector<std::size_t> touched_, changed_;         ///< links, and flows to solve anew
  std::vector<std::pair<double, std::size_t>> queue_;  ///< of links by their share
};

/// Lets all flows start at once and share the links max-min fairly, anew after every completion.
/// Throws Error as max_min_rates, for flows with weights, and for bytes or a latency that are negative or not
/// finite.
FlowTimes complete_flows(std::span<const double> capacity_bytes_per_s, std::span<const Flow> flows);

/// Flows over each link, shape (links).
std::vector<int> flows_per_link(std::size_t links, std::span<const Flow> flows);

/// When the last byte of a phase arrives, and how much of that is latency.
struct PhaseEnd {
  double arrived_s = 0.0;
  double latency_s = 0.0;  ///< of the flow that arrives last
};

/// The end of complete_flows. Where all flows have the same size and latency it is
///   max over links of flows * bytes / capacity + latency,
/// for the flows of that link all get its least share and leave together; only then no event is simulated.
/// Throws Error as complete_flows.
PhaseEnd phase_end(std::span<const double> capacity_bytes_per_s, std::span<const Flow> flows);

}  // namespace optinc
