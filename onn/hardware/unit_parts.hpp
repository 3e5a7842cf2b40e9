#pragma once

#include <span>
#include <string>
#include <string_view>
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

/// Names of whole units of parts: published, idealised.
std::span<const std::string_view> parts_set_names();
/// The one that studies and Python begin with.
inline constexpr std::string_view default_parts = "published";

/// A unit of parts. "published": parts of publications, with what was read where there is such a part; fibres
/// as they are laid, a server's light going twice fibre.length_m further than its oscillator's; symbols at the
/// rate of the slowest part. "idealised": UnitHardware{}, what studies of 1.0.0-rc.1 began with: an amplifier
/// without a limit of current, a driver of 1 pJ, any light from one laser, fibres of equal length. Throws
/// Error, naming the nearest, for another name.
UnitHardware unit_of_parts(std::string_view set = default_parts);

/// Keys in which these units differ besides those that parts set.
std::span<const std::string_view> keys_of_parts_set();

/// Keys of a unit's devices that no part sets: choices of its operator, and what no part of its own stands for.
std::vector<std::string> keys_without_part();

/// What a unit asks of its parts beyond what their sources state, one sentence each: a swing, a rate, currents
/// without a limit, more light than a laser gives. `largest_swing_v`: of all modulators' drives; `light_w`: of
/// all lasers.
std::vector<std::string> beyond_parts(const UnitHardware& hardware, double largest_swing_v, double light_w);

/// "with bandwidth_hz, overload_a overridden"; empty where nothing is.
std::string overrides_text(const UnitPart& part);

}  // namespace optinc
