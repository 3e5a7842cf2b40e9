#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/cli/commands.hpp"
#include "experiments/files/readers/circuit_component.hpp"

namespace optinc {

/// Whether a circuit is asked for with many settings.
bool is_drawn(const CircuitArguments& arguments);

/// Scattering of a circuit at every point of its sweeps, each on every die: `fixed` with the values of the
/// point (the last sweep varies fastest), spreads that are normal and independent from die to die, and, unless
/// fabrication.process is independent, what the process of the wafer makes of its devices where they lie. A
/// function of the seed, whatever threads compute it. Writes all draws to the output, if one is named, and
/// prints how their transmissions are distributed. Returns the exit status. Throws Error for values, settings
/// and netlists that do not serve.
int circuit_draws(const CircuitArguments& arguments, const CircuitComponent& circuit,
                  const CircuitSettings& fixed, std::span<const double> wavelengths_m, std::string_view typed);

/// The settings of --set that are those of a process, fabrication.KEY=VALUE.
std::vector<std::string> process_settings(std::span<const std::string> settings);

}  // namespace optinc
