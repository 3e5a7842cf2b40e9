#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "experiments/interconnect/scenario.hpp"

namespace optinc {

/// One training iteration, seconds.  total = compute + exposed,  exposed = max(0, communication - overlap *
/// backward), communication = serial + latency + reconfiguration + sync.
struct IterationTime {
  double forward_s = 0.0, backward_s = 0.0;
  double serial_s = 0.0;           ///< bytes at the rates they get
  double latency_s = 0.0;          ///< steps, hops, light in fibres and chips
  double reconfiguration_s = 0.0;  ///< of circuits
  double sync_s = 0.0;             ///< agreeing on the scales of blocks

  double compute_s() const { return forward_s + backward_s; }
  double communication_s() const { return serial_s + latency_s + reconfiguration_s + sync_s; }
  double exposed_s(double overlap) const;
};

/// Equal steps in a row of the communication.
struct StepRecord {
  std::string name;
  std::int64_t repeats = 1;
  double start_s = 0.0;              ///< since the communication began
  double step_s = 0.0;               ///< of one, without reconfiguration
  double reconfiguration_s = 0.0;    ///< of all
  std::vector<double> server_bytes;  ///< that each server sends in a step, shape (servers)
};

/// What crossed one directed link in an iteration.
struct LinkUse {
  std::string name;
  double capacity_bytes_per_s = 0.0;
  double bytes = 0.0;
  int peak_flows = 0;        ///< at the start of a step
  double utilisation = 0.0;  ///< bytes over what it could have carried during the communication
};

/// One scenario, simulated.
struct IterationResult {
  Scenario scenario;
  std::int64_t parameters = 0, macs = 0;  ///< of the model; per sample
  double flop = 0.0;                      ///< of a server and iteration
  double payload_bytes = 0.0;             ///< S, of a server's gradient
  IterationTime time;
  double exposed_s = 0.0, total_s = 0.0;
  double sent_bytes = 0.0;             ///< of the server that sends most
  double normalised_data = 0.0;        ///< sent_bytes / S
  double algorithm_bytes_per_s = 0.0;  ///< S / communication
  double bus_bytes_per_s =
      0.0;                ///< the same times 2 (N-1)/N, as nccl-tests print; of no meaning in the network
  double slowdown = 0.0;  ///< serial over that of the same collective on ports alone
  double energy_j = 0.0;  ///< of bits through transceivers and switches, and units while they communicate
  double energy_per_bit_j = 0.0;  ///< over the payload of all servers
  std::int64_t units = 0;         ///< of OptINC
  std::vector<StepRecord> steps;
  std::vector<LinkUse> links;
};

/// Simulates one iteration. Between servers each distinct phase of collective_phases is solved once on the
/// fabric.
///   in-network  2 a + 2 h (a_hop + t_agg) + S/B,  h = 1 level of a switch, else the tree's levels that span
///   the servers optinc      2 a + 2 l L/v + l t_chip + t_io + [l-1] t_io where regenerated + S/B + t_sync,  v
///   = c / 1.468 t_sync = buckets 2 ceil(log2 N) a + 2 (N-1)/N P s_b/(8 K B), P parameters: the largest |g| of
///   every block, by halving and doubling; S = P b / 8, since the scales have travelled by then.
/// Throws Error where check_scenario does.
IterationResult simulate_iteration(const Scenario& scenario);

}  // namespace optinc
