#pragma once

#include "physics/core/field.hpp"
#include "physics/devices/coupler.hpp"
#include "physics/devices/waveguide.hpp"

namespace optinc {

/// A ring resonator: a waveguide closed upon itself, of circumference guide.length_m, that a coupler joins to a
/// bus, and in an add-drop ring a second coupler, half a turn on, to another. A turn multiplies the field by
/// a e^{i phi} = waveguide_field(guide, lambda, warmer_k).
///
/// Rough walls couple the two senses of rotation along the whole ring (coupled modes; Little, Laine, Chu, Opt.
/// Lett. 22, 4 (1997)). Their sum and difference, which the mirror image through the couplers takes to +- the
/// same, then have rings of their own, of phi + psi and phi - psi a turn, psi = pi splitting / FSR:
///   forward (T+ + T-)/2,   backward (T+ - T-)/2.
/// Every resonance splits into two, `splitting_m` apart; without loss and for any splitting the power of both
/// is that of the input.
struct Ring {
  Waveguide guide = soi_strip_500x220(62.8e-6);  ///< circumference of a ring of 10 um radius
  DirectionalCoupler bus = {.eta_rad = 0.32};    ///< 10 % of the power
  DirectionalCoupler drop = {.eta_rad = 0.32};   ///< add-drop rings alone
  /// >= 0 m; 0: no backscatter. Measured rings of 10 um radius: 18 pm in the median, 6 to 34 pm
  double splitting_m = 0.0;
};

/// Fields behind a ring at one wavelength for unit fields in front of it.
struct RingFields {
  Matrix forward;  ///< (outputs, inputs): (1, 1), or (through, drop) from (input, add)
  Matrix back;     ///< (inputs, inputs), out of the ports that the light entered; zero without backscatter.
                   ///< Its phase is that of a maximum of the + mode at the buses
};

/// Fields of a ring at one bus; `forward` is all_pass_ring(). Throws as that does.
RingFields all_pass_fields(const Ring& ring, double wavelength_m, double warmer_k = 0.0);

/// Fields of a ring between two buses; `forward` is add_drop_ring(). Throws as that does.
RingFields add_drop_fields(const Ring& ring, double wavelength_m, double warmer_k = 0.0);

/// Transmission of a ring at one bus, without backscatter
///   T = t - k^2 a e^{i phi} / (1 - t a e^{i phi}),   t, k: bar and cross amplitude of its coupler, losses
/// included: the sum over all turns (Yariv, Electron. Lett. 36, 321 (2000)). Throws Error as the devices do,
/// and at the resonance of a ring that neither loses light nor couples it out.
Complex all_pass_ring(const Ring& ring, double wavelength_m, double warmer_k = 0.0);

/// Transfer matrix of a ring between two buses, (through, drop) from (input, add), without backscatter
///   through = t_1 - k_1^2 t_2 A / (1 - t_1 t_2 A),   drop = -k_1 k_2 sqrt(A) / (1 - t_1 t_2 A),
/// A = a e^{i phi} of the whole turn, half of it before the drop. The lower diagonal element is through with
/// the couplers exchanged. Throws as all_pass_ring.
Matrix2 add_drop_ring(const Ring& ring, double wavelength_m, double warmer_k = 0.0);

/// Distance of two neighbouring resonances near a wavelength, m: lambda^2 / (n_g L). A first-order value, off
/// by about FSR / lambda of itself.
double free_spectral_range_m(const Ring& ring, double wavelength_m);

/// Angle of the bus coupler, in [0, pi/2], at which an all-pass ring passes nothing in resonance: cos eta = a
/// where the coupler has no loss of its own (critical coupling). Throws Error where the guide has no loss.
double critical_coupling_rad(const Waveguide& guide);

/// Least over largest power behind an all-pass ring whose phase runs through a turn,
/// ((t - a)(1 + t a))^2 / ((t + a)(1 - t a))^2 for a coupler without loss. 0 at critical coupling.
double all_pass_extinction(const Ring& ring, double wavelength_m);

}  // namespace optinc
