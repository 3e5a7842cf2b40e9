#pragma once

#include <string>
#include <string_view>

namespace optinc {

/// A legal but implausible value.
struct Warning {
  std::string_view field;  ///< of the settings it is about, or the quantity that follows from them; a literal
  std::string text;        ///< one sentence without a full stop, for a place may follow
};

}  // namespace optinc
