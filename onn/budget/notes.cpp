#include "onn/budget/notes.hpp"

#include <array>

#include <fmt/format.h>

#include "onn/budget/settings.hpp"
#include "onn/link/link.hpp"

namespace optinc {

std::span<const OpenFigure> open_figures() {
  static constexpr std::array<OpenFigure, 3> figures = {
      {{"symbol_rate_limit", "highest symbol rate",
        "every stage that receives and modulates again hands its inter-symbol interference on to the next, so "
        "that the limit of one stage is not the limit of the chip"},
       {"bit_rate", "bits and words per second", "they need a symbol rate that is shown to be reachable"},
       {"energy_per_bit", "energy per bit", "it is power over bit rate"}}};
  return figures;
}

std::string operating_point_note(double symbol_rate_bd, double receiver_bandwidth_hz) {
  return fmt::format(
      "The symbol rate of {:.4g} GBd a lane (budget.symbol_rate_bd, default {:.4g} GBd) with receivers of "
      "{:.4g} GHz (link.bandwidth_hz, default {:.4g} GHz) is assumed; it is not shown to be reachable.",
      1e-9 * symbol_rate_bd, 1e-9 * BudgetSettings{}.symbol_rate_bd, 1e-9 * receiver_bandwidth_hz,
      1e-9 * LinkSettings{}.receiver.bandwidth_hz);
}

}  // namespace optinc
