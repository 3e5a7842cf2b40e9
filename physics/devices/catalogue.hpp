#pragma once

#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "physics/core/enum_names.hpp"

namespace optinc {

/// How a figure of a device is known.
enum class Known {
  read,      ///< in its source, whose words Figure::from quotes, or computed from such words
  measured,  ///< here, from data that Figure::from names
  memory,    ///< quoted by someone from memory: counts as assumed
  assumed,   ///< the source is silent, or the device is not a specific one
};

/// As users read them.
template <>
inline constexpr EnumNames enum_names<Known> = {"known", {"read", "measured here", "from memory", "assumed"}};

/// A number of a device, in the unit said: SI without prefix, or dB, dB/cm, bit, rad/m and the like.
struct Figure {
  std::string name;  ///< words, not the field of the struct
  double value = 0.0;
  std::string unit = {};  ///< empty for a pure number
  Known known = Known::memory;
  std::string from = {};  ///< quoted in its own words, or how it was computed, or why it is assumed
  std::string key = {};   ///< of the part's section of a study, which it sets; empty: none
  double low = std::numeric_limits<double>::quiet_NaN();   ///< of devices of its class; NaN: no range
  double high = std::numeric_limits<double>::quiet_NaN();  ///< the other end
};

/// A part: one device of one publication or data sheet with all of its figures. Figures of different devices
/// are never mixed under one name; one whose name begins with "typical-" or "assumed-" is not a specific
/// device.
struct Part {
  std::string name;  ///< what `optinc devices NAME` takes: author-year-device, or typical-device
  std::string kind;  ///< heater, front end, waveguide, ...
  std::string what;  ///< one sentence, with what is assumed rather than published
  std::vector<Figure> figures;
  std::string source;            ///< citation, or where a usual value comes from
  std::string preset = {};       ///< the C++ that makes it
  int year = 0;                  ///< of the source; 0: it shows none
  std::string measured_on = {};  ///< one device, a die, a wafer, ...; empty: the source does not say

  /// Whether at least one of its figures was read in a publication.
  bool is_read() const;
};

/// All parts that ship, kind by kind. Every number is either read from the preset function of that device or
/// set into a unit from here, so that the list cannot drift from what a simulation uses.
const std::vector<Part>& device_catalogue();

/// The part of that name. Throws Error, naming the nearest, for an unknown one.
const Part& device_entry(std::string_view name);

/// The names of all parts of a kind, in the order of the catalogue. Throws Error for an unknown kind.
std::span<const std::string_view> part_names(std::string_view kind);

/// The part of that kind and name. Throws Error, naming the nearest, for an unknown one.
const Part& part_of_kind(std::string_view kind, std::string_view name);

}  // namespace optinc
