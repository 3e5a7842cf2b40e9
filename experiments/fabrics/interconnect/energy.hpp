#pragma once

#include <cstdint>

#include "experiments/fabrics/interconnect/scenario.hpp"

namespace optinc {

/// What a network draws in one iteration of t seconds, without the computing of the servers:
///
///   energy = chips P_static t + chips P_symbol t_symbols + P_transceivers t + e_switch (switched bits) +
///            (ports of circuits) P_port t + P_optics t
///
/// - Heaters, lasers, receivers and control of OptINC units cannot be switched off between averages: they draw
///   their power for all of t. Modulator drivers and converters draw theirs only while symbols are sent.
/// - A unit is as many chips side by side as carry the line rate M R of a server's port, all of the design that
///   the scenario names. Each chip counts as it stands alone, with lasers, modulators and receivers of its own
///   servers, also on the levels above the first, where that is an upper bound. OptINC ports have no other
///   transceivers; serialisers are not counted.
/// - Transceivers of electrical and circuit networks never sleep: P_transceivers is transceiver_j_per_bit times
///   the line rate of all fibres. Its default is a guess: a pluggable module of 16 W at 800 Gb/s, 20 pJ/bit.
/// - Electrical switches count by the bits that cross them, switch_j_per_bit each, by default a guess: 500 W at
///   51.2 Tb/s. That is a lower bound, since a real switch draws most of its power idle.
/// - A switch of circuits between servers and U units of K inputs (circuit-switched) has a port, a fibre in and
///   one out, for every lane of every chip of every server and of every unit's input: f (N + U K), f: fibres of
///   a server's port, side by side x lanes of 2 bits a symbol. All lanes of a unit have one wavelength, so that
///   none share a fibre. It draws circuit_switch_w_per_port for the whole iteration, whatever its size.
/// - P_optics is what switches and amplifies light between nodes of a cluster; it, and the switch of fibres
///   that joins a tree of units for a job there, SharedNetwork::energy adds.
///
/// What needs the cost of a unit is NaN, which means not known, for a scenario without a design.
struct IterationEnergy {
  std::int64_t units = 0;       ///< of OptINC
  double chips = 0.0;           ///< of all units
  double chip_bit_per_s = 0.0;  ///< that one chip carries of every server's port
  double chip_static_w = 0.0;   ///< of one chip, whatever it sends
  double chip_symbol_w = 0.0;   ///< of one chip, while it sends symbols
  double symbols_s = 0.0;       ///< t_symbols, mean of the chips
  double transceivers_w = 0.0;  ///< of all transceivers, both ends of every fibre
  double switched_bits = 0.0;   ///< through electrical switches, once for each that they cross
  double fibres = 0.0;          ///< of a server's port to OptINC units: a lane of a chip each
  double circuit_ports = 0.0;   ///< of the switch between servers and units
  double static_j = 0.0, symbol_j = 0.0, transceivers_j = 0.0, switches_j = 0.0, circuits_j = 0.0,
         optics_j = 0.0;
  bool rate_reachable = true;  ///< UnitCost::carries_its_rate of the design; without units true, without a
                               ///< design false

  /// All parts, J.
  double total_j() const { return static_j + symbol_j + transceivers_j + switches_j + circuits_j + optics_j; }
};

/// Line rate of all fibres of a network, bit/s; a fibre is one direction between two transceivers. N servers'
/// ports of M R send
/// - to a switch and receive from it: 2 N M R
/// - into a fat-tree of radix k and oversubscription o: 2 N M R, and k^3 M R / o between its switches
/// - into circuits of light: N M R
/// - to OptINC units: 0, or 2 N M R of the side network where scales travel (simulate_iteration)
double fibres_bit_per_s(const Scenario& scenario);

/// The energy of an iteration of a scenario in force (in_force) that takes total_s, in which the gradient's
/// bytes take serial_s on their way; fibres: line rate of those that it pays for, bit/s (fibres_bit_per_s). A
/// chip of b bits, R_s symbols a second and k slots a word carries r = b R_s / k of a port, so that
///
///   chips = units ceil(M R / r),   t_symbols = serial_s groups_a_unit M R / (ceil(M R / r) r)
IterationEnergy iteration_energy(const Scenario& scenario, double total_s, double serial_s,
                                 double switched_bytes, double fibres);

}  // namespace optinc
