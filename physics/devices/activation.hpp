#pragma once

#include <concepts>
#include <limits>

#include "physics/core/field.hpp"
#include "physics/devices/receiver.hpp"
#include "physics/random/stream.hpp"

/// \file activation.hpp Activations A0-A5 of a neuron, each with its source below: a field z goes in, a field
/// f(z) comes out, both in sqrt(W). Each is a struct of its parameters with
///
///   Complex    forward(Complex z) const
///   Wirtinger  derivatives(Complex z) const     df = f_z dz + f_z* conj(dz)
///
/// and a `validate_activation` that throws Error, naming the field, for impossible parameters.

namespace optinc {

/// Derivatives of a function of z that need not be analytic, with respect to z and its conjugate.
struct Wirtinger {
  Complex dz;
  Complex dz_conj;
};

template <class A>
concept FieldActivation = requires(const A& a, Complex z) {
  { a.forward(z) } -> std::same_as<Complex>;
  { a.derivatives(z) } -> std::same_as<Wirtinger>;
};

/// A0, the ideal: f = max(0, x) of the signed amplitude x = Re(z e^(-i phi_ref)); derivative 0 at x = 0.
struct IdealRelu {
  double reference_phase_rad = 0.0;

  /// Field out of field z, sqrt(W).
  Complex forward(Complex z) const;
  /// Its derivatives at z.
  Wirtinger derivatives(Complex z) const;
};

/// A1, electro-optic: a tap a of the power drives, through photodiode and amplifier, a modulator in the path of
/// the rest: f = (i/2) sqrt(1 - a) (1 + e^(-i psi)) z, psi = g |z|^2 + phi_b. |f|^2 = (1 - a) cos^2(psi/2)
/// |z|^2; odd in z, so it does not tell signs apart. (I. A. D. Williamson et al. 2020, IEEE J. Sel. Top.
/// Quantum Electron. 26, 7700412.)
struct ElectroOptic {
  double tap = 0.1;                          ///< a, part of the power that is detected, [0, 1)
  double gain_rad_per_w = 25.0;              ///< g
  double bias_rad = 3.14159265358979323846;  ///< phi_b; pi blocks weak light

  /// Field out of field z, sqrt(W).
  Complex forward(Complex z) const;
  /// Its derivatives at z.
  Wirtinger derivatives(Complex z) const;
};

/// A2, saturable absorber: f = z sqrt(T(|z|^2)). Monotone in the power; T(infinity) = 1. (Form after X. Guo et
/// al. 2021, Photon. Res. 9, B71.)
struct SaturableAbsorber {
  enum class Form {
    exponential,  ///< T = exp(-alpha_0/(1 + P/P_sat)): a long absorber; T(0) = e^(-alpha_0)
    linear,       ///< T = 1 - alpha_0/(1 + P/P_sat): a thin one; T(0) = 1 - alpha_0
  };
  Form form = Form::exponential;
  double absorption = 1.0;           ///< alpha_0 >= 0; < 1 in the linear form
  double saturation_power_w = 1e-3;  ///< P_sat

  /// T of its formula at this power.
  double transmission(double power_w) const;
  /// Field out of field z, sqrt(W).
  Complex forward(Complex z) const;
  /// Its derivatives at z.
  Wirtinger derivatives(Complex z) const;
};

/// A3, ring whose resonance moves with the power in its bus: through-port power T = 1 - (1 - T_min)/(1 + x^2),
/// x = 2 (delta + xi P)/FWHM, and field t = (t_0 - i x)/(1 - i x) of the one resonance that has this power, t_0
/// = sqrt(T_min) (minus it when over-coupled). f = t z. The shift follows the light of the same symbol: rings
/// heated by their light take over 1 us, free carriers ns. No bistability: the shift counts the bus power, not
/// the ring's.
struct RingActivation {
  double detuning_hz = 0.0;          ///< delta: laser above the cold resonance
  double fwhm_hz = 20e9;             ///< line width
  double shift_hz_per_w = 20e12;     ///< xi: how far the resonance falls below the laser per watt
  double least_transmission = 0.05;  ///< T_min, [0, 1]
  bool over_coupled = false;

  /// T of its formula at this power.
  double transmission(double power_w) const;
  /// Field out of field z, sqrt(W).
  Complex forward(Complex z) const;
  /// Its derivatives at z.
  Wirtinger derivatives(Complex z) const;
};

/// Output of an amplifier that saturates at `ceiling`, for an input z >= 0, by Rapp's model:
///   f = z (1 + (z/ceiling)^(1/knee))^-knee,
/// 6.02 knee dB below the ceiling where the input stands at it; min(z, ceiling) at a knee of 0. (C. Rapp 1991,
/// Proc. 2nd European Conf. Satellite Communications, 179, whose smoothness p is 1/(2 knee).)
double limited(double z, double ceiling, double knee);

/// A4, receiver and modulator: balanced homodyne current i = 2 R sqrt(P_LO) Re(z e^(-i phi_err)), threshold and
/// rectification in the electronics, fresh light of the seed out: f = min(g max(0, i - i_th), f_max), or
/// `limited` softly. The threshold is the neuron's bias with its sign turned, the gain compensates lost light.
struct ReceiverRelu {
  ReceiverSettings receiver;
  double threshold_a = 0.0;        ///< i_th, either sign
  double gain_sqrt_w_per_a = 1.0;  ///< g > 0
  double largest_field_sqrt_w =
      std::numeric_limits<double>::infinity();  ///< f_max: the modulator at full drive
  double limiter_knee = 0.0;                    ///< of the limit f_max; 0: hard
  double phase_error_rad = 0.0;                 ///< of the local oscillator

  /// Field out for a current, sqrt(W).
  double field_of_current(double current_a) const;
  /// Field out of field z, sqrt(W).
  Complex forward(Complex z) const;
  /// Its derivatives at z.
  Wirtinger derivatives(Complex z) const;
};

/// A5, leaky: of the signed amplitude x = Re z, f = x for x > 0 and `slope` x below.
struct LeakyRelu {
  double slope = 0.01;  ///< [0, 1]

  /// Field out of field z, sqrt(W).
  Complex forward(Complex z) const;
  /// Its derivatives at z.
  Wirtinger derivatives(Complex z) const;
};

/// A5, smooth: of the signed amplitude x = Re z, f = ln(1 + e^(beta x))/beta, which tends to max(0, x).
struct Softplus {
  double beta_per_sqrt_w = 100.0;  ///< > 0

  /// Field out of field z, sqrt(W).
  Complex forward(Complex z) const;
  /// Its derivatives at z.
  Wirtinger derivatives(Complex z) const;
};

void validate_activation(
    const IdealRelu& activation);  ///< throws Error, naming an impossible value; so the next
void validate_activation(const ElectroOptic& activation);       ///< the same
void validate_activation(const SaturableAbsorber& activation);  ///< the same
void validate_activation(const RingActivation& activation);     ///< the same
void validate_activation(const ReceiverRelu& activation);       ///< the same
void validate_activation(const LeakyRelu& activation);          ///< the same
void validate_activation(const Softplus& activation);           ///< the same

}  // namespace optinc
