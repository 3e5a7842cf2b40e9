#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "experiments/fabrics/interconnect/communication.hpp"
#include "experiments/fabrics/interconnect/energy.hpp"
#include "experiments/fabrics/interconnect/scenario.hpp"

namespace optinc {

/// One training iteration, seconds.  total = compute + exposed,  exposed = max(0, communication - overlap *
/// backward), communication = serial + latency + circuits + sync.
struct IterationTime {
  double forward_s = 0.0, backward_s = 0.0;
  double serial_s = 0.0;    ///< bytes at the rates they get
  double latency_s = 0.0;   ///< steps, hops, light in fibres and chips
  double circuits_s = 0.0;  ///< circuits set, the job's share of setup_s included
  double sync_s = 0.0;      ///< agreeing on the scales of blocks

  /// Forward and backward, s.
  double compute_s() const { return forward_s + backward_s; }
  /// All of the averaging, s.
  double communication_s() const { return serial_s + latency_s + circuits_s + sync_s; }
  /// What of it a share `overlap` of the backward pass does not hide, s.
  double exposed_s(double overlap) const;
};

/// One scenario, simulated.
struct IterationResult {
  Scenario scenario;                      ///< in_force: every value that was chosen for it filled in
  std::int64_t parameters = 0, macs = 0;  ///< of the model; per sample
  double flop = 0.0;                      ///< of a server and iteration
  double payload_bytes = 0.0;             ///< S, of a server's gradient, without scales
  IterationTime time;
  double setup_share_s = 0.0;  ///< of circuits_s: setup_s over the iterations of a job, before the first step
  double exposed_s = 0.0, total_s = 0.0;
  double sent_bytes = 0.0;             ///< of the server that sends most, scales included
  double normalised_data = 0.0;        ///< sent_bytes / S
  double algorithm_bytes_per_s = 0.0;  ///< S / communication
  double bus_bytes_per_s = 0.0;  ///< the same times 2 (N-1)/N, as nccl-tests print; NaN where the network adds
  double slowdown = 0.0;         ///< serial over that of the same collective on ports alone
  double mean_slowdown = 0.0;    ///< the same of the mean flow, which waits for its own links alone
  double normalised = std::numeric_limits<double>::quiet_NaN();  ///< total over the reference's, in a list
  IterationEnergy energy;
  std::vector<StepRecord> steps;
  std::vector<LinkUse> links;
};

/// Simulates one iteration: between_servers, in_switches or through_light with S = P b / 8, and before it the
/// largest |g| of every block, P s_b/(8 K) bytes in `buckets` parts one after the other. The scales take
/// - the scenario's own collective and network, between servers
/// - halving-doubling, or the ring where N is no power of two, on the scenario's electrical network
///   (in-network) or, for OptINC, whose light only averages, on a side network: an electrical switch that
///   blocks nothing, of the servers' port rate, step_latency_s and hop_latency_s. Its links are named "side
///   server".
///
/// Throws Error where check_scenario does, and for a `design` whose cost is missing (cost_units).
IterationResult simulate_iteration(const Scenario& scenario);

}  // namespace optinc
