#pragma once

namespace optinc {

/// Heat that the heaters of one mesh, or of one column of attenuators, give the arms around them, and what the
/// operator does about it.
struct CrosstalkSettings {
  double x0 = 0.0;      ///< share of a heater's own rise at no distance (exponential law); 0: no crosstalk
  double known = 0.0;   ///< share of it that the operator's inversion knows: 0 does nothing, 1 undoes it
  double d0_m = 50e-6;  ///< length over which it falls by e, at most 150 um
};

/// Throws Error, naming field, value and range.
void validate_crosstalk_settings(const CrosstalkSettings& settings);

}  // namespace optinc
