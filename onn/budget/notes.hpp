#pragma once

#include <span>
#include <string>
#include <string_view>

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

}  // namespace optinc
