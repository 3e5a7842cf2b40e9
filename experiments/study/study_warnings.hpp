#pragma once

#include <string>
#include <vector>

#include "experiments/study/study_config.hpp"
#include "experiments/study/study_warning.hpp"

namespace optinc {

/// What a study asks for that is legal but unlike anything built, as the devices it uses say (error_warnings,
/// laser_warnings, photodiode_warnings, ..). Every point of the sweeps is looked at; warnings of one key and
/// field are one, with the text of its first point. Before them, the keys that the model does not read
/// (unread_keys). Throws Error as config_at does.
std::vector<StudyWarning> study_warnings(const StudyConfig& config);

/// The same for `optinc budget` of the study's own chip: devices of [chip], [link] and [budget], and the die
/// that `heater_power_w` warms over die.resistance_k_per_w.
std::vector<StudyWarning> budget_warnings(const StudyConfig& config, double heater_power_w);

/// What is unlike anything built of devices that only matter as a chip's surroundings change: heaters, die,
/// splitters of another wavelength.
std::vector<StudyWarning> drift_warnings(const StudyConfig& at_point);

/// Prints "optinc: warning: LINE" for each to standard error; also where progress is not wanted.
void print_warnings(const std::vector<std::string>& warnings);

}  // namespace optinc
