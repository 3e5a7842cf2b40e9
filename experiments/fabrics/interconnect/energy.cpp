#include "experiments/fabrics/interconnect/energy.hpp"

#include <cmath>
#include <limits>

#include "experiments/fabrics/interconnect/communication.hpp"

namespace optinc {
namespace {

void add_units(IterationEnergy& e, const Scenario& s, double total_s, double serial_s) {
  e.units = units_of(s);
  if (!s.unit) {
    e.chips = e.chip_bit_per_s = e.chip_static_w = e.chip_symbol_w = e.symbols_s = e.static_j = e.symbol_j =
        e.fibres = std::numeric_limits<double>::quiet_NaN();
    if (s.circuit_switched()) e.circuit_ports = e.circuits_j = e.chips;
    e.rate_reachable = false;
    return;
  }
  const UnitCost& c = *s.unit;
  e.chip_bit_per_s = c.bits * c.symbol_rate_bd / c.slots_per_word;
  const double needed = s.line_bit_per_s() / e.chip_bit_per_s;
  const double side_by_side = std::ceil(needed * (1.0 - 1e-12));  // whole in exact arithmetic: not one more
  e.chips = static_cast<double>(e.units) * side_by_side;
  e.chip_static_w = c.static_power_w;
  e.chip_symbol_w = c.symbol_power_w;
  e.symbols_s = serial_s * needed / side_by_side * unit_turns(s).groups_a_unit;
  e.static_j = e.chips * e.chip_static_w * total_s;
  e.symbol_j = e.chips * e.chip_symbol_w * e.symbols_s;
  e.rate_reachable = c.carries_its_rate();
  e.fibres = side_by_side * std::ceil(e.chip_bit_per_s / (2.0 * c.symbol_rate_bd));
  if (!s.circuit_switched()) return;
  e.circuit_ports = e.fibres * static_cast<double>(s.servers + e.units * s.fan_in);
  e.circuits_j = e.circuit_ports * s.circuit_switch_w_per_port * total_s;
}

}  // namespace

double fibres_bit_per_s(const Scenario& s) {
  const double ports = static_cast<double>(s.servers) * s.line_bit_per_s();
  if (s.network == "fat-tree")
    return 2.0 * ports + std::pow(static_cast<double>(s.radix), 3) * s.line_bit_per_s() / s.oversubscription;
  if (s.network == "optinc") return s.scale_bits > 0 ? 2.0 * ports : 0.0;
  return s.network == "switch" ? 2.0 * ports : ports;
}

IterationEnergy iteration_energy(const Scenario& s, double total_s, double serial_s, double switched_bytes,
                                 double fibres) {
  IterationEnergy e;
  if (s.network == "optinc") add_units(e, s, total_s, serial_s);
  e.transceivers_w = fibres * s.transceiver_j_per_bit;
  e.transceivers_j = e.transceivers_w * total_s;
  e.switched_bits = 8.0 * switched_bytes;
  e.switches_j = e.switched_bits * s.switch_j_per_bit;
  return e;
}

}  // namespace optinc
