#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "experiments/fabrics/cluster/jobs.hpp"
#include "experiments/fabrics/cluster/light_paths.hpp"
#include "experiments/fabrics/interconnect/energy.hpp"
#include "experiments/fabrics/interconnect/scenario.hpp"
#include "experiments/fabrics/interconnect/workloads.hpp"

namespace optinc {

/// Networks that jobs can share: those of a Scenario, where they train by collectives of their own, and two
/// that add gradients up themselves: `adding-fat-tree`, whose switches do (in_switches), and `optinc`.
inline constexpr std::array<std::string_view, 6> shared_network_names = {
    "switch", "fat-tree", "sip-ring", "oddl", "adding-fat-tree", "optinc"};

/// 1,024 nodes at 100 Gb/s (published summary of ODDL), ECMP where they hang at a fat-tree, and OptINC's units
/// of the shipped design that was trained for noise, at its operating point.
Scenario cluster_network();

/// What the jobs of a cluster share. Times of computing are those of a Scenario: compute_s is a third forward
/// and two thirds backward unless backward_ratio says otherwise.
struct TrafficSettings {
  /// Of all nodes: one of shared_network_names, servers, rate, routing ..; its workload gives compute_s of
  /// jobs. `optinc` needs the cost of its unit (cost_units).
  Scenario network = cluster_network();
  std::int64_t optinc_levels = 2;          ///< most levels of OptINC units; larger jobs are not served
  double bucket_bytes = ddp_bucket_bytes;  ///< of 32 bits a gradient
  bool overlap =
      true;  ///< a bucket is exchanged as soon as its layers are done; false: after the backward pass
  double straggling = 0.0;  ///< mean delay of a node in its computing, over compute_s; exponential
  double set_s = 3.2e-6;    ///< of circuits (oddl): what the protocol takes for one
  LightPaths light;         ///< between groups of ODDL's nodes; its nodes are those of the network
  double wavelength_switch_w = 20.0, amplifier_w = 5.0;  ///< of a module of `light`, whatever it carries
};

/// Load that one phase of a job's collective puts on the network, per byte of gradient that is exchanged.
struct PhaseLoad {
  std::vector<int> links;          ///< of the fabric
  std::vector<double> weights;     ///< flows over each, the largest flow counting 1
  double bytes = 0.0;              ///< of the largest flow in all repeats, per byte of gradient
  double sent_bytes = 0.0;         ///< by all nodes, per byte of gradient
  double switched_bytes = 0.0;     ///< through electrical switches, once for each, per byte of gradient
  double fixed_s = 0.0;            ///< latency of all repeats, and circuits that are set for them
  double alone_bytes_per_s = 0.0;  ///< rate of the largest flow if the job is alone
  std::vector<std::pair<int, int>> circuits = {};  ///< from node to node, that one setting suffices for; else
                                                   ///< none
  double set_s = 0.0;  ///< part of fixed_s that passes only unless all these are in place
};

/// What the groups of a job that a network adds up for exchange in an iteration.
struct SummedGroup {
  std::int64_t nodes = 0;
  double bytes = 0.0;  ///< of a node, on the network
};

/// A job as the network sees it.
struct JobTraffic {
  std::uint32_t number = 0;  ///< of the TrainingJob
  std::int64_t nodes = 0;
  double compute_s = 0.0;       ///< forward and backward
  std::vector<double> ready_s;  ///< of every bucket, since the iteration began
  std::vector<double> bytes;    ///< of every bucket
  std::vector<PhaseLoad> phases;
  std::vector<std::pair<int, double>> demand;  ///< links, ascending, and what the job alone takes of each in
                                               ///< the phase that takes most, bytes/s
  /// When the exchange of every bucket begins and ends, since the iteration began, if every phase p runs at
  /// rates[p] bytes/s: one after the other, none before it is ready.
  std::vector<std::pair<double, double>> exchanges(std::span<const double> rates) const;
  /// One iteration at these rates: it ends with the backward pass or the last bucket.
  double iteration_s(std::span<const double> rates) const;
  /// Rates of the phases alone on the network.
  std::vector<double> alone_rates() const;
  /// The same alone on the network.
  double alone_s() const;
};

/// Iteration times of jobs that share a network.
struct SharedIterations {
  std::vector<double> iteration_s;                                   ///< mean; shape (jobs)
  std::int64_t events = 0;                                           ///< of the simulated windows
  std::int64_t coupled = 0;                                          ///< jobs that slow each other
  std::map<std::vector<std::uint32_t>, std::vector<double>> groups;  ///< iterations of those, by their numbers
};

/// A cluster's network, built once. The flows of a phase advance in lockstep, for the phase ends with the
/// slowest: a job is one flow of max_min_rates that takes as much of every link as all its flows.
class SharedNetwork {
 public:
  /// Throws Error where check_scenario does, for other networks than shared_network_names, and for OptINC
  /// without the cost of a unit.
  explicit SharedNetwork(const TrafficSettings& settings);
  ~SharedNetwork();

  /// Whether a job of so many nodes can train at all: OptINC averages those that its levels join, if its
  /// devices carry its rate.
  bool serves(int nodes) const;

  /// What a job puts on the network. Without a second node there is no traffic. Trees are pipelined in
  /// best_chunks of the largest bucket. Circuits: a ring's are held for
  /// the whole job; those of other collectives are set before each of its phases. Networks that add up: every
  /// bucket is one sum. In switches it takes one tree, whose core is drawn for the job (Purpose::job_arrivals).
  /// OptINC: codes of the unit's bits through units of the job's own, by fibres that are switched for it, once
  /// scales of 32 bits for 1,024 elements each are agreed on over the side network, a switch with ports of its
  /// own.
  JobTraffic traffic_of(const TrainingJob& job) const;

  /// Largest rate of each phase, bytes/s, that the port of one of the job's nodes allows where it keeps `share`
  /// of its rate, out and in; infinite for a phase in which the node sends and receives nothing. Shape
  /// (phases).
  std::vector<double> port_rates(const JobTraffic& traffic, int node, double share) const;
  /// A byte of a collective (collective_phases), or of "send" from the first to the second, among nodes in
  /// their order. Circuits are set before each phase (PhaseLoad::circuits). OptINC's light carries none: it
  /// takes the side network.
  std::vector<PhaseLoad> collective_loads(std::string_view collective, const std::vector<int>& nodes) const;

  /// A byte that the network adds up by itself, as traffic_of says; nothing where it does not, or not for so
  /// many.
  std::vector<PhaseLoad> sum_loads(const std::vector<int>& nodes, std::uint32_t number) const;

  /// Bits of an element that the network adds up, of so many before: those of OptINC's codes, or the same.
  std::int64_t summed_bits(std::int64_t bits) const;

  /// Capacities of its links, bytes/s.
  std::span<const double> capacity_bytes_per_s() const;

  /// What the network draws for a job in one of its iterations (iteration_energy): its ports, the units of its
  /// own, electrical switches by its bytes, and of a fat-tree's inner fibres the share that its nodes have in
  /// all nodes. On top come, whatever they carry,
  /// - ODDL: that share of the layer between groups (optical_modules),
  ///     P_optics = nodes / all nodes (wavelength switches wavelength_switch_w + amplifiers amplifier_w)
  /// - OptINC: ports of the switch that joins a job's fibres. Every server and every unit but the topmost has
  ///   f fibres each way up to a unit (IterationEnergy::fibres), whose two ends take a port each,
  ///     2 f (nodes + units - 1) circuit_switch_w_per_port
  /// Not counted: control messages and what sends them, resonators of SiP-Ring, and units kept as spares. Two
  /// nodes or more.
  IterationEnergy energy(const JobTraffic& traffic, double iteration_s) const;

  /// The same of a job on `nodes` nodes whose groups `sums` have units of their own; all else that it sends
  /// crosses electrical switches by switched_bytes.
  IterationEnergy energy(std::int64_t nodes, double switched_bytes, std::span<const SummedGroup> sums,
                         double iteration_s) const;

  /// Circuits that a node may hold at a time, out and in: those of its transceivers (oddl), or those of one
  /// phase.
  std::int64_t circuits_of_node() const;

  /// Iterations of jobs that run side by side without end. Jobs whose links could not carry all of them at full
  /// speed form a group, which is simulated event by event (a bucket is ready, latency has passed, bytes are
  /// over): `window` iterations of its slowest job, after two that are not counted, each job beginning at its
  /// own share of a random iteration (Purpose::job_arrivals; `seed` and its number). All other jobs have
  /// alone_s(). A group depends on nothing but its jobs: one that `before` holds is not simulated again.
  SharedIterations iterations(std::span<const JobTraffic* const> jobs, std::int64_t window, std::uint64_t seed,
                              const SharedIterations& before = {}) const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace optinc
