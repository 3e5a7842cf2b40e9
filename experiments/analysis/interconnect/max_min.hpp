#pragma once

#include <span>
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
