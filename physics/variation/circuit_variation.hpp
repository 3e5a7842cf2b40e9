#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "physics/variation/fabrication.hpp"

namespace optinc {

/// A device of a circuit at its place on the die.
struct DeviceOnDie {
  std::string model;                       ///< of circuit_models()
  std::map<std::string, double> settings;  ///< that are not the usual ones
};

/// What a die makes of a circuit's devices (layout-aware Monte Carlo: Bogaerts et al., IEEE JSTQE 25, 6100413
/// (2019)): for each, the settings that change, with their new values. At the device's place, with changes w
/// and h of width and height (dimension_changes),
///
///     index += index_change(w, h)                          of waveguides and rings
///     eta   += eta_change_rad(w, h) eta / (pi / 4)         of couplers, also those of rings
///     alpha, beta += eta_change_rad(w, h)                  of the splitters of an MZI
///
/// where a device with a length has roughness of its own besides, sqrt(roughness_length / length) of the
/// model's. Other settings and devices stay as designed. `process.sites` are the devices' places, in their
/// order. A function of (seed, chip) alone. Throws Error for another number of devices and unknown models.
std::vector<std::map<std::string, double>> settings_on_die(const std::vector<DeviceOnDie>& devices,
                                                           const PlaceProcess& process, std::uint64_t seed,
                                                           std::uint32_t chip);

}  // namespace optinc
