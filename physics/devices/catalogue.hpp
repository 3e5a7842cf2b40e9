#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace optinc {

/// A number of a device, in the unit said: SI without prefix, or dB, dB/cm, bit, rad/m and the like.
struct DeviceParameter {
  std::string name;  ///< words, not the field of the struct
  double value = 0.0;
  std::string unit;  ///< empty for a pure number
};

/// A device that ships with its numbers.
struct DeviceEntry {
  std::string name;  ///< what `optinc devices NAME` takes: author-year-device, or typical-device
  std::string kind;  ///< heater, coupler, waveguide, ...
  std::string what;  ///< one sentence, with what is assumed rather than published
  std::vector<DeviceParameter> parameters;
  std::string source;  ///< citation, or where a usual value comes from
  std::string preset;  ///< the C++ that makes it
};

/// All devices that ship, kind by kind. Every number is read from the preset function of that device, so that
/// the list cannot drift from what a simulation uses; values that the source does not give are left out.
std::vector<DeviceEntry> device_catalogue();

/// The entry of that name. Throws Error, naming the nearest, for an unknown one.
DeviceEntry device_entry(std::string_view name);

}  // namespace optinc
