#pragma once

namespace optinc {

/// Wavelength-selective switch of liquid crystal on silicon: any slice of the spectrum of one port to any
/// other. Defaults: typical of commercial 1 x 20 devices (assumed).
struct WavelengthSwitchSettings {
  int ports = 20;               ///< on the far side of the common port
  double port_loss_db = 6.0;    ///< (4-8)
  double crosstalk_db = -35.0;  ///< power of one other port in the slice, relative (-25..-45)
  double bandwidth_hz = 70e9;   ///< B, 3 dB width of a channel's passband; a channel of 75 GHz
  double order = 4.0;           ///< m of the super-Gaussian edge (2-6)
};

/// Throws Error, naming the field, for a switch that cannot be: less than 1 port, loss < 0 dB, crosstalk >= 0
/// dB, bandwidth <= 0, order < 1.
void validate_wavelength_switch(const WavelengthSwitchSettings& settings);

/// Power transmission of a channel through `passes` switches in a row, at an offset f from its centre, without
/// insertion loss: exp(-ln 2 n (2 f/B)^(2 m)), the n-th power of one super-Gaussian of order m.
double passband(const WavelengthSwitchSettings& settings, double offset_hz, double passes = 1.0);

/// 3 dB width of `passes` passbands in a row: B n^(-1/(2 m)).
double cascaded_bandwidth_hz(const WavelengthSwitchSettings& settings, double passes);

/// Power that the passbands take from a flat spectrum as wide as the symbol rate R, dB >= 0:
/// -10 log10 of the mean of passband() over |f| < R/2, through the incomplete gamma function.
double narrowing_loss_db(const WavelengthSwitchSettings& settings, double passes, double symbol_rate_bd);

/// Light of other ports in the channel over its own, worst case: each pass adds that of all other ports,
/// passes (ports - 1) 10^(crosstalk/10).
double crosstalk_ratio(const WavelengthSwitchSettings& settings, double passes);

}  // namespace optinc
