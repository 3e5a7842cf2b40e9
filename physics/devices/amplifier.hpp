#pragma once

#include <span>
#include <string>
#include <vector>

#include "physics/core/field.hpp"
#include "physics/core/warning.hpp"
#include "physics/random/stream.hpp"

namespace optinc {

/// How the gain of a semiconductor optical amplifier gives way to power. Both are pinned at G_0 without light
/// and at G_0/2 where the output is P_sat.
enum class GainModel {
  lumped,           ///< G = G_0/(1 + P_out/P_sat)
  travelling_wave,  ///< ln(G_0/G) = (G - 1) P_in/P_s along the guide
};

/// Semiconductor optical amplifier, one polarisation. Defaults and ranges: typical of InP devices
/// (assumed).
struct SoaSettings {
  GainModel model = GainModel::lumped;
  double small_signal_gain_db = 15.0;     ///< G_0 (8-25)
  double saturation_power_w = 19.953e-3;  ///< output power at which G = G_0/2; 13 dBm (8-23)
  double noise_figure_db = 7.0;           ///< (6-9; 3 is the limit at high gain)
  double wavelength_m = 1550e-9;
  double linewidth_enhancement = 0.0;  ///< alpha_H, phase per gain; 0 leaves it out (2-7)
};

/// Throws Error, naming the field, for an amplifier that cannot be: gain or noise figure < 0 dB, power or
/// wavelength <= 0, travelling-wave gain <= 10 log10(2) dB (half of it would be loss).
void validate_soa(const SoaSettings& amplifier);

/// What is legal but unphysical or unheard of, one sentence each: a noise factor below the quantum limit 2 -
/// 1/G_0; gain over 35 dB, saturation power over 27 dBm, noise figure over 12 dB, alpha_H outside 0..15.
std::vector<Warning> soa_warnings(const SoaSettings& amplifier);

/// Power gain G at an input power. Lumped, solved: G = 2 G_0/(1 + sqrt(1 + 4 G_0 P_in/P_sat)). Travelling wave:
/// the root in [1, G_0] of ln(G_0/G) = (G - 1) P_in/P_s, with P_s = P_sat (G_0 - 2)/(G_0 ln 2) so that
/// G = G_0/2 at an output of P_sat (G. P. Agrawal, N. A. Olsson 1989, IEEE J. Quantum Electron. 25, 2297, for
/// the saturation along the guide). Throws Error for an impossible amplifier or a power < 0.
double soa_gain(const SoaSettings& amplifier, double input_power_w);

/// Small-signal gain at a wavelength, dB: G_0 - 3 dB (2 (lambda - lambda_0)/W)^2, a parabola about the peak at
/// wavelength_m, W the full width at which it is 3 dB less (60-85 nm of InP devices near 1550 nm, assumed); far
/// off the peak it is a loss. Throws Error for an impossible amplifier and a width <= 0.
double small_signal_gain_db(const SoaSettings& amplifier, double three_db_bandwidth_m, double wavelength_m);

/// Factor of the field at a gain: sqrt(G) e^(-i (alpha_H/2) ln G). More carriers lower the index, so that phase
/// falls with gain under this project's e^(+i phi) for longer paths (Agrawal and Olsson 1989).
Complex soa_field_factor(const SoaSettings& amplifier, double gain);

/// Power density of amplified spontaneous emission, one polarisation, W/Hz: S = n_sp h nu (G - 1)
/// = h nu (F G - 1)/2; zero for a passive loss, F = 1/G.
double ase_density_w_per_hz(double noise_factor, double gain, double wavelength_m);

/// Adds the field of spontaneous emission: complex normal of variance S B, S B/2 in each quadrature; two
/// normals a field. B is the optical bandwidth of the samples, their rate for complex fields.
void add_ase(std::span<Complex> fields, double density_w_per_hz, double optical_bandwidth_hz, Stream& stream);

/// Amplifies fields in place with the gain that their mean power leaves (carriers recover in 100-300 ps and
/// average over symbols of 20 ps), then adds spontaneous emission in `optical_bandwidth_hz`. Returns the gain.
/// Gain that follows the symbols (pattern effects) is not modelled.
double soa_amplify(const SoaSettings& amplifier, std::span<Complex> fields, double optical_bandwidth_hz,
                   Stream& stream);

/// Optical signal to noise ratio at the output, dB: G P_in/(2 S B_ref), noise of both polarisations in B_ref =
/// 12.5 GHz (0.1 nm at 1550 nm). Near 58 - NF + P_in[dBm] at high gain and 1550 nm.
double osnr_db(const SoaSettings& amplifier, double input_power_w, double reference_bandwidth_hz = 12.5e9);

/// Standard deviation of |E|^2 of a field of power P with noise of power N = S B, W: sqrt(2 P N + N^2), the
/// beat of signal with noise and of noise with itself.
double beat_noise_w(double signal_power_w, double noise_power_w);

/// One stage of a chain: power gain and noise factor, both as ratios.
struct NoisyStage {
  double gain = 1.0;
  double noise_factor = 1.0;
};

/// A passive loss as a stage: G = 10^(-dB/10), F = 1/G.
NoisyStage loss_stage(double loss_db);

/// The chain as one stage (H. T. Friis 1944, Proc. IRE 32, 419): F = F_1 + (F_2 - 1)/G_1 + (F_3 - 1)/(G_1 G_2)
/// +
/// ...; no stages are G = F = 1.
NoisyStage cascaded_stages(std::span<const NoisyStage> stages);

/// The defaults with the noise figure of 6.5 dB under which an amplifier with a detuned input section stays
/// over C and L band (Almae Technologies 2021, "Flat noise figure semiconductor optical amplifiers", summary).
/// The summary gives neither gain nor saturation power.
SoaSettings almae_2021_soa();

}  // namespace optinc
