#pragma once

#include <string>
#include <vector>

#include "experiments/engine/config/study_config.hpp"
#include "experiments/engine/config/study_model.hpp"

namespace optinc {

/// What a study asks for that is legal but unlike anything built, as the devices it uses say (error_warnings,
/// laser_warnings, photodiode_warnings, ..), one line each: "section.key: sentence (at POINT, the first of 3
/// points)". Every point of the sweeps is looked at; values that draw the same sentence but for its numbers are
/// told once, by the first. Before them, the keys that the model does not read (unread_keys). Throws Error as
/// config_at does.
std::vector<std::string> study_warnings(const StudyConfig& config);

/// The same for `optinc budget` of the study's own chip: devices of [chip], [link] and [budget], and the die
/// that `heater_power_w` warms over die.resistance_k_per_w.
std::vector<std::string> budget_warnings(const StudyConfig& config, double heater_power_w);

/// What is unlike anything built of devices that only matter as a chip's surroundings change: heaters, die,
/// splitters of another wavelength.
std::vector<ConfigWarning> drift_warnings(const StudyConfig& at_point);

/// Prints "optinc: warning: LINE" for each to standard error; also where progress is not wanted.
void print_warnings(const std::vector<std::string>& warnings);

}  // namespace optinc
