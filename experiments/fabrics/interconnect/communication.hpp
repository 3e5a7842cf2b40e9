#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/fabrics/interconnect/fabric.hpp"

namespace optinc {

/// Equal steps in a row of the communication.
struct StepRecord {
  std::string name;
  std::int64_t repeats = 1;
  double start_s = 0.0;              ///< since the communication began
  double step_s = 0.0;               ///< of one, without circuits
  double set_s = 0.0;                ///< of the circuits, each time that they are set
  std::int64_t times_set = 0;        ///< 0, 1: before the first step, or `repeats`: before every one
  std::vector<double> server_bytes;  ///< that each server sends, mean of the steps, shape (servers)

  /// All repeats with their circuits, s.
  double whole_s() const {
    return static_cast<double>(repeats) * step_s + static_cast<double>(times_set) * set_s;
  }
};

/// What crossed one directed link in an iteration.
struct LinkUse {
  std::string name;
  double capacity_bytes_per_s = 0.0;
  double bytes = 0.0;
  int peak_flows = 0;        ///< at the start of a step
  double utilisation = 0.0;  ///< bytes over what it could have carried during the communication
};

/// One averaging of bytes over all servers.
struct Communication {
  double serial_s = 0.0, latency_s = 0.0, circuits_s = 0.0;
  double ports_s = 0.0;              ///< serial time if ports alone were shared
  double mean_links_s = 0.0;         ///< serial time of the mean flow, which waits for its own links alone
  double switched_bytes = 0.0;       ///< through electrical switches, once for each that they cross
  std::vector<double> server_bytes;  ///< that each server sends, shape (servers)
  std::vector<StepRecord> steps;     ///< start_s: since this averaging began
  std::vector<LinkUse> links;

  /// Serial time, latency and circuits together, s.
  double whole_s() const { return serial_s + latency_s + circuits_s; }
  /// Its bytes and times so many times, in one step of the record.
  void repeat(std::int64_t times, std::string name);
  /// Counts links of another one to those of the same name, or after them.
  void add_links(const std::vector<LinkUse>& others);
};

/// All-reduce of `bytes` by a collective of collective_phases; each distinct phase is solved once. in_place:
/// the transfers that circuits are set for, changed to those of the last phase.
/// Circuits are set
/// - sip-ocs: once, before the first phase, unless they are in place
/// - where a step needs more than one round: in every round of every step, for one set takes the other's place
/// - else before a phase whose circuits are not in place, or before every step (`reconfigure`)
///
/// All but the last link of a path enter a switch; circuits pass none.
Communication between_servers(const Scenario& scenario, const Fabric& fabric, std::string_view collective,
                              double bytes, std::int64_t chunks, std::vector<Transfer>& in_place);

/// One sum in electrical switches. Every link between servers and the switch that spans them carries the sum
/// once up and once down, over one chosen tree of switches whatever the routing; on a fat-tree of
/// oversubscription o
///   2 a + 2 h (a_hop + t_agg) + S/B max(1, o where h > 1),  h: levels that span the servers, 1 of a switch
Communication in_switches(const Scenario& scenario, double bytes);

/// The same of servers at these hosts, over the tree whose top on a fat-tree is core `core` of (k/2)^2.
Communication in_switches(const Scenario& scenario, const std::vector<int>& places, int core, double bytes);

/// The network that scales travel over where the gradient's cannot carry them.
Scenario side_network(const Scenario& scenario);

/// How groups of servers share OptINC's units in an iteration.
struct UnitTurns {
  std::int64_t rounds = 1;     ///< averages one after the other; a server sends all its bytes in each of them
  std::int64_t turns = 1;      ///< of a round
  std::int64_t sets = 0;       ///< of circuits, one before every turn; 0 where the circuits never change
  double groups_a_unit = 1.0;  ///< that a unit averages in a turn, mean of turns and units: at most 1
};

/// Of a circuit-switched arrangement, K = fan_in, N = K^l servers and U units: in round p of l, servers whose
/// numbers differ in digit p of base K alone are a group, so that after it each holds the mean of K^(p+1) of
/// them (K = 2: recursive doubling, Thakur, Rabenseifner & Gropp 2005). There are N/K groups and U units:
///
///   turns = ceil(N/(K U)),   sets = l turns, 0 where l turns = 1,   groups_a_unit = N/(K U turns)
///
/// Everything passes a tree of units at once: all of it 1, without circuits.
UnitTurns unit_turns(const Scenario& scenario);

/// OptINC's light. Through a tree of l levels of units, in one step,
///   2 a + 2 l L/v + l t_chip + t_io (l where regenerated) + S/B,  v: c over the fibre's group index,
/// and in a circuit-switched arrangement (unit_turns)
///   sets t_reconfiguration + rounds turns (2 a + 2 L/v + t_chip + t_io + S/B),
/// where servers wait for their turn, and for the last turn of a round. Circuits of the first turn are set
/// within the iteration, too.
Communication through_light(const Scenario& scenario, double bytes);

}  // namespace optinc
