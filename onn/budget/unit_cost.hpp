#pragma once

#include <span>
#include <utility>

#include "onn/budget/budget.hpp"
#include "onn/network/carry_chain.hpp"

namespace optinc {

/// Energy that an electrical packet switch takes for a bit that crosses it, J: a guess, 500 W at 51.2 Tb/s.
constexpr double electrical_switch_j_per_bit = 10e-12;

/// What designs are compared by: totals of one unit's budget, or of several units.
struct UnitCost {
  int servers = 0, bits = 0;
  std::int64_t mzis = 0;            ///< as built: every block one mesh and its attenuators
  std::int64_t mzis_published = 0;  ///< layers said to be approximated as built, the others by full SVD
  std::int64_t mzis_full_svd = 0;   ///< all layers by full SVD
  std::int64_t modulators = 0, receivers = 0;
  std::int64_t neurons = 0;     ///< receivers inside the unit, whose light its own modulators send on
  double neurons_w = 0.0;       ///< their receivers, drivers and clocks: what no light and no weight changes
  double area_m2 = 0.0;         ///< of the die: meshes placed in rows, delay lines, modulators and receivers
  double die_rise_k = 0.0;      ///< of the hottest die over the ambient
  int columns = 0;              ///< MZIs in series on the critical path
  int conversions = 0;          ///< optical-electrical-optical, on the critical path
  double loss_db = 0.0;         ///< passive, on the critical path
  double most_gain_db = 0.0;    ///< what light loses at worst between two regenerations
  double heater_w = 0.0;        ///< the chosen heaters with random static phases trimmed
  double static_power_w = 0.0;  ///< heaters, lasers, receivers and control, whatever the symbol rate
  double symbol_power_w = 0.0;  ///< drivers, converters and clocks, at symbol_rate_bd
  double delay_s = 0.0;         ///< first symbol in to its code out
  double symbol_rate_bd = 0.0;  ///< of every lane; assumed
  double symbol_rate_limit_bd = 0.0;  ///< upper bound of what its receivers and modulators carry
  double receiver_bandwidth_hz = 0.0;
  double slots_per_word = 1.0;  ///< symbols of a lane that one word occupies a stage, or every link, for
  double delay_lines_m = 0.0, longest_wait_s = 0.0, longest_wait_loss_db = 0.0;
  double launch_delay_s = 0.0;  ///< by which the last digit leaves the servers after the first
  double memory_bits = 0.0;     ///< codes that servers hold back so that one stage serves all digits

  /// Whether its devices can carry symbol_rate_bd at all.
  bool carries_its_rate() const { return symbol_rate_bd <= symbol_rate_limit_bd; }
  /// Watts over the bits per second of all servers, J; NaN where its devices cannot carry symbol_rate_bd.
  double energy_per_bit_j() const;
  /// The part of it that neurons take without light, converters and heaters, J: no unit with as many takes
  /// less.
  double neurons_per_bit_j() const;
  /// Symbols that are under way at one time, at symbol_rate_bd.
  double symbols_in_flight() const { return delay_s * symbol_rate_bd; }
};

/// The totals of a budget. `approximated`: numbers from 1 of the layers that a publication counts as one
/// block's mesh each; none: all. Throws Error for a layer there is not.
UnitCost unit_cost(const Network& network, const ChipBudget& budget, std::span<const int> approximated = {});

/// Several units one behind the other: (units side by side, what one of them costs), first level first. Sums,
/// but for what limits (symbol rate, bandwidth, worst gain and wait), and for columns, conversions, dB and
/// delay, which are one unit's of every level. Each unit is counted as it stands alone, with its own servers'
/// lasers, modulators and receivers; `servers` of the whole are those of the first level. Throws Error without
/// units.
UnitCost in_series(std::span<const std::pair<int, UnitCost>> levels);

/// A ripple carry chain of which one stage is built and used for one digit after the other, its carries fed
/// back to itself. By the budgets of chains of M and M + 1 digits, X' = X(M + 1) - X(M):
///
///   MZIs, modulators, receivers = X', area: of their boxes,  heaters = P_pi shifters',  lasers = lasers(M)/M,
///   T = delay',  k = ceil(T R) words take turns in the loop,  slots = M + 1 (M + 2 where N > 4) a word,
///   delay = delay(M) - M T + slots k / R,  memory = 2 N B k at the servers,
///
/// columns and conversions of M passes as in the chain, loss of one; R is the assumed symbol rate, on which
/// delay and memory rest. Not counted: the gate that opens the loop between words. Throws Error as carry_chain
/// and budget do, and for one digit or lookahead.
UnitCost time_shared_cost(const Task& task, const CarryChainSettings& chain, const ErrorModel& model,
                          const UnitHardware& hardware, const BudgetSettings& settings);

}  // namespace optinc
