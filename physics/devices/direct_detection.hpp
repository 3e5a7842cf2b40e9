#pragma once

#include "physics/devices/front_end.hpp"
#include "physics/devices/photodiode.hpp"
#include "physics/random/stream.hpp"

namespace optinc {

/// Light as a direct receiver meets it, besides its power.
struct LightNoise {
  double rin_db_per_hz = -150.0;       ///< of the laser; -infinity for none
  double ase_density_w_per_hz = 0.0;   ///< amplified spontaneous emission, one polarisation
  double optical_bandwidth_hz = 50e9;  ///< optical filter in front of the diode
};

/// Photodiode and front end: i = R P + I_d with noise that grows with the level. Spontaneous emission is
/// counted in the signal's polarisation; light of the other one, behind a polarisation-diverse chip, does not
/// reach the diode.
struct DirectReceiver {
  PhotodiodeSettings diode;
  FrontEnd front_end;
  LightNoise light;
};

/// Throws Error, naming the field, for an impossible receiver.
void validate_direct_receiver(const DirectReceiver& receiver);

/// Variances of the current by cause, A^2.
struct DirectNoise {
  double shot = 0.0;                     ///< 2 q (R (P + S B_o) + I_d) B
  double front_end = 0.0;                ///< i_n^2 B, or 4 k T B/R_L
  double intensity = 0.0;                ///< RIN (R P)^2 B
  double signal_spontaneous = 0.0;       ///< 4 R^2 P S min(B, B_o/2)
  double spontaneous_spontaneous = 0.0;  ///< R^2 S^2 (2 B_o - B) B, with B no more than B_o
  /// Sum of all five, A^2.
  double total() const { return shot + front_end + intensity + signal_spontaneous + spontaneous_spontaneous; }
};

/// Noise at an optical power. (N. A. Olsson 1989, J. Lightwave Technol. 7, 1071, for the beats; where the front
/// end passes all of them, B >= B_o, they come to R^2 (2 P S B_o + (S B_o)^2).)
DirectNoise direct_noise_a2(const DirectReceiver& receiver, double power_w);

/// Mean current, A: R (P + S B_o) + I_d.
double mean_direct_current_a(const DirectReceiver& receiver, double power_w);

/// Electrical signal to noise ratio of light that is on: (R P)^2 over the total variance; 0 without light.
double direct_snr(const DirectReceiver& receiver, double power_w);

/// One reading of the current, A: the mean with normal noise of the total variance; one normal.
double direct_current_a(const DirectReceiver& receiver, double power_w, Stream& stream);

}  // namespace optinc
