#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "experiments/files/readers/circuit_component.hpp"
#include "physics/variation/fabrication.hpp"

/// \file circuit_on_die.hpp The process of a wafer at the places of a circuit's devices (layout-aware Monte
/// Carlo).

namespace optinc {

/// The process where the devices lie, from the corner of the die. Throws Error for a circuit without placements
/// of all its instances, and as prepare_places does.
PlaceProcess process_at_places(const CircuitComponent& circuit, const std::vector<PlacedDevice>& devices,
                               const ProcessModel& model, const WaferMap& wafer);

/// What die `die` makes of the devices (settings_on_die): values of settings by their path.
std::map<std::string, double> settings_of_die(const std::vector<PlacedDevice>& devices,
                                              const PlaceProcess& process, std::uint64_t seed,
                                              std::uint32_t die);

}  // namespace optinc
