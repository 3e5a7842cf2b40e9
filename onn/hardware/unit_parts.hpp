#pragma once

#include <string>
#include <vector>

#include "onn/hardware/unit_hardware.hpp"
#include "physics/devices/catalogue.hpp"

namespace optinc {

/// A part that a unit names, and which of its values the unit has others for.
struct UnitPart {
  std::string key;  ///< that names it, "receiver.device"
  const Part* part = nullptr;
  std::vector<std::string> overridden;  ///< keys of the same section
};

/// The parts of a unit, in the order of its keys.
std::vector<UnitPart> unit_parts(const UnitHardware& hardware);

/// Keys of a unit's devices that no part sets: choices of its operator, and what no part of its own stands for.
std::vector<std::string> keys_without_part();

/// What a unit asks of its parts beyond what their sources state, one sentence each: a swing, a rate, currents
/// without a limit. `largest_swing_v`: of all modulators' drives.
std::vector<std::string> beyond_parts(const UnitHardware& hardware, double largest_swing_v);

/// "with bandwidth_hz, overload_a overridden"; empty where nothing is.
std::string overrides_text(const UnitPart& part);

}  // namespace optinc
