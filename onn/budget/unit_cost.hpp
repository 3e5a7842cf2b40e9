#pragma once

#include <span>
#include <utility>

#include "onn/budget/budget.hpp"
#include "onn/network/carry_chain.hpp"

namespace optinc {

/// What designs are compared by: totals of one unit's budget, or of several units.
struct UnitCost {
  int servers = 0, bits = 0;
  std::int64_t mzis = 0;            ///< as built: every block one mesh and its attenuators
  std::int64_t mzis_published = 0;  ///< layers said to be approximated as built, the others by full SVD
  std::int64_t mzis_full_svd = 0;   ///< all layers by full SVD
  std::int64_t modulators = 0, receivers = 0;
  double area_m2 = 0.0;       ///< MZIs and delay lines
  int columns = 0;            ///< MZIs in series on the critical path
  int conversions = 0;        ///< optical-electrical-optical, on the critical path
  double loss_db = 0.0;       ///< passive, on the critical path
  double most_gain_db = 0.0;  ///< what light loses at worst between two regenerations
  double heater_w = 0.0;      ///< the chosen heaters with random static phases trimmed
  double power_w = 0.0;
  double delay_s = 0.0;               ///< first symbol in to its code out
  double symbol_rate_bd = 0.0;        ///< of every lane
  double symbol_rate_limit_bd = 0.0;  ///< highest_symbol_rate_bd, whatever the delay: words follow each other
  double bits_per_s = 0.0;            ///< of all servers
  double delay_lines_m = 0.0, longest_wait_s = 0.0, longest_wait_loss_db = 0.0;
  double launch_delay_s = 0.0;  ///< by which the last digit leaves the servers after the first
  double memory_bits = 0.0;     ///< codes that servers hold back so that one stage serves all digits

  /// Symbols that are under way at one time.
  double symbols_in_flight() const { return delay_s * symbol_rate_bd; }
  /// Power over bits_per_s, J.
  double energy_per_bit_j() const { return power_w / bits_per_s; }
};

/// Highest symbol rate at which the receivers' and the modulators' low-pass leave half of every eye open
/// between the 3N + 1 values of a digit's sum:  1 - 3N D >= 1/2,  1 + D = (1 + D_receiver)(1 + D_modulator), D
/// the peak distortion by other symbols. Words are pipelined: no delay bounds it, nothing is fed back.
double highest_symbol_rate_bd(const Task& task, const LinkSettings& link, const BudgetSettings& settings);

/// The totals of a budget. `approximated`: numbers from 1 of the layers that a publication counts as one
/// block's mesh each; none: all. Throws Error for a layer there is not.
UnitCost unit_cost(const Network& network, const ChipBudget& budget, const LinkSettings& link,
                   const BudgetSettings& settings, std::span<const int> approximated = {});

/// Several units one behind the other: (units side by side, what one of them costs), first level first. Sums,
/// but for what limits (symbol rate, worst gain and wait), and for columns, conversions, dB and delay, which
/// are one unit's of every level. Each unit is counted as it stands alone, with its own servers' lasers,
/// modulators and receivers; `servers` of the whole are those of the first level. Throws Error without units.
UnitCost in_series(std::span<const std::pair<int, UnitCost>> levels);

/// A ripple carry chain of which one stage is built and used for one digit after the other, its carries fed
/// back to itself. By the budgets of chains of M and M + 1 digits, X' = X(M + 1) - X(M):
///
///   MZIs, modulators, receivers, area = X',  heaters = P_pi shifters',  lasers = lasers(M)/M,
///   T = delay',  k = ceil(T R) words take turns in the loop,  slots = M + 1 (M + 2 where N > 4) a word,
///   bit rate = N B R / slots,  delay = delay(M) - M T + slots k / R,  memory = 2 N B k at the servers,
///
/// columns and conversions of M passes as in the chain, loss of one. Not counted: the gate that opens the loop
/// between words. Throws Error as carry_chain and budget do, and for one digit or lookahead.
UnitCost time_shared_cost(const Task& task, const CarryChainSettings& chain, const ErrorModel& model,
                          const LinkSettings& link, const BudgetSettings& settings);

}  // namespace optinc
