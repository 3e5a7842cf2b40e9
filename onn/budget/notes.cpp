#include "onn/budget/notes.hpp"

#include <fmt/format.h>

namespace optinc {

std::string operating_point_note(double symbol_rate_bd, double symbol_rate_limit_bd) {
  const double rate = 1e-9 * symbol_rate_bd, limit = 1e-9 * symbol_rate_limit_bd;
  if (symbol_rate_bd > symbol_rate_limit_bd)
    return fmt::format(
        "* {:.4g} GBd (time.symbol_rate_bd) is out of reach: one receiver and one modulator carry at most "
        "{:.3g} GBd (receiver.bandwidth_hz, modulator.bandwidth_hz). No bit rate or energy per bit is computed "
        "from it.",
        rate, limit);
  return fmt::format(
      "{:.4g} GBd (time.symbol_rate_bd) is below the {:.3g} GBd that one receiver and one modulator carry. "
      "This is an upper bound: in a chip, every stage passes its interference on to the next, so the chip "
      "carries less (optinc operating-point finds how much).",
      rate, limit);
}

}  // namespace optinc
