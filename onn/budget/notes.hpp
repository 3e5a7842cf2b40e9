#pragma once

#include <string>

// What the numbers of a budget rest on, in the words that every report uses.

namespace optinc {

/// One sentence or two: whether one receiver and one modulator can carry the symbol rate, by their bound, and
/// what the bound leaves out.
std::string operating_point_note(double symbol_rate_bd, double symbol_rate_limit_bd);

}  // namespace optinc
