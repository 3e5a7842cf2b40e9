#pragma once

#include <string>

#include "physics/variation/error_model.hpp"

// What the numbers of a budget rest on, in the words that every report uses.

namespace optinc {

/// One sentence or two: whether one receiver and one modulator can carry the symbol rate, by their bound, and
/// what the bound leaves out.
std::string operating_point_note(double symbol_rate_bd, double symbol_rate_limit_bd);

/// What is known to be wrong with the model's mean MZI loss; empty where nothing is. The preset `foundry`
/// counts one heater stage where an MZI has two.
std::string mzi_loss_note(const ErrorModel& model);

}  // namespace optinc
