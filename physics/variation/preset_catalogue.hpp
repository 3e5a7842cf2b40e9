#pragma once

#include <vector>

#include "physics/devices/catalogue.hpp"

namespace optinc {

/// The presets of errors and of fabrication processes as device_catalogue() has parts, of kinds "chip preset"
/// and "process preset": every value with how it is known, what it rests on, and the range of what was
/// published or measured. The values are read from error_preset() and process_preset().
const std::vector<Part>& preset_catalogue();

}  // namespace optinc
