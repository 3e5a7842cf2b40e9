#pragma once

#include <span>
#include <string>
#include <string_view>

#include "physics/variation/error_model.hpp"

// What a budget cannot say yet, and what its numbers rest on, in the words that every report uses.

namespace optinc {

/// A figure that no budget forms, and why.
struct OpenFigure {
  std::string_view name;     ///< as a dataset of it would be called
  std::string_view meaning;  ///< a noun phrase
  std::string_view why;
};

/// The figures that are not yet known at any operating point: they need a symbol rate at which the chip's
/// receivers and modulators still decode, and no rate is shown to be one.
std::span<const OpenFigure> open_figures();

/// One sentence: symbol rate and receiver bandwidth, their keys and defaults, and that the rate is assumed.
std::string operating_point_note(double symbol_rate_bd, double receiver_bandwidth_hz);

/// What is known to be wrong with the model's mean MZI loss; empty where nothing is. The preset `foundry`
/// counts one heater stage where an MZI has two.
std::string mzi_loss_note(const ErrorModel& model);

}  // namespace optinc
