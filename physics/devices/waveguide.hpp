#pragma once

#include "physics/core/field.hpp"

namespace optinc {

/// Effective index of a waveguide as a quadratic in the wavelength,
/// n_eff = n_0 + n_1 x + n_2 x^2 with x = (lambda - lambda_0) in um.
struct IndexFit {
  double index = 2.44365;
  double slope_per_um = -1.13171;
  double curvature_per_um2 = -0.0424756;
  double wavelength_m = 1550e-9;  ///< lambda_0
};

double effective_index(const IndexFit& fit, double wavelength_m);

/// n_g = n_eff - lambda dn_eff/dlambda; 4.1978 at 1550 nm for the default.
double group_index(const IndexFit& fit, double wavelength_m);

/// A waveguide with its bends. Defaults: silicon strip 500 x 220 nm in oxide, TE, soi_strip_500x220().
struct Waveguide {
  IndexFit index;
  double length_m = 0.0;              ///< bends included
  double loss_db_per_cm = 1.5;        ///< 0.1 (wide rib) .. 3
  int bends = 0;                      ///< of 90 degrees
  double bend_loss_db = 0.0075;       ///< each; 0.005..0.01
  double index_slope_per_k = 1.8e-4;  ///< d n_eff/dT
};

/// Loss in dB: length times loss_db_per_cm, and the bends.
double waveguide_loss_db(const Waveguide& guide);

/// Phase 2 pi (n_eff(lambda) + dn/dT DT) L / lambda, rad, for a guide `warmer_k` above the temperature of its
/// fit. Not wrapped.
double waveguide_phase_rad(const Waveguide& guide, double wavelength_m, double warmer_k = 0.0);

/// Its slopes: by wavelength -2 pi n_g L / lambda^2 (rad/m), by temperature 2 pi L (dn/dT) / lambda (rad/K;
/// 730 rad per metre and kelvin in silicon).
double waveguide_phase_slope_rad_per_m(const Waveguide& guide, double wavelength_m);
double waveguide_phase_slope_rad_per_k(const Waveguide& guide, double wavelength_m);

/// Group delay n_g L / c, s: 14.0 ps per mm in the default guide.
double waveguide_delay_s(const Waveguide& guide, double wavelength_m);

/// Field factor 10^(-loss/20) exp(i phase). Throws Error as validate_waveguide does.
Complex waveguide_field(const Waveguide& guide, double wavelength_m, double warmer_k = 0.0);

/// Throws Error, naming the field, for negative lengths, losses or numbers of bends, or an index <= 0.
void validate_waveguide(const Waveguide& guide);

/// Silicon strip 500 nm x 220 nm in oxide, TE: fit of a mode solver published in a course report
/// (authorea 454099), n_g = 4.1978; 1.5 dB/cm.
Waveguide soi_strip_500x220(double length_m);

/// Standard single-mode fibre. 0.2 dB/km at 1550 nm (0.35 at 1310), connectors of 0.3 dB. The phase moves with
/// the temperature by (2 pi/lambda) (dn/dT + n expansion) = 37 rad per metre and kelvin. Where it carries many
/// wavelengths, a multiplexer stands at one end and a demultiplexer at the other. Their crosstalk is left out:
/// light of another wavelength beats with a homodyne receiver's oscillator at the wavelengths' spacing, beyond
/// its bandwidth.
struct Fibre {
  double length_m = 0.0;
  double loss_db_per_km = 0.2;
  int connectors = 0;
  double connector_loss_db = 0.3;
  double multiplexer_loss_db = 0.0;  ///< of the multiplexer, and again of the demultiplexer; 0: one wavelength
  double group_index = 1.468;
  double index = 1.447;
  double index_slope_per_k = 8.4e-6;  ///< silica at 293 K, 1.55 um (8.16e-6..8.53e-6, Sensors 23, 6023 (2023))
  double expansion_per_k = 5.5e-7;
};

/// Of the whole way: glass, connectors, multiplexer and demultiplexer.
double fibre_loss_db(const Fibre& fibre);
double fibre_delay_s(const Fibre& fibre);
/// rad/K for the whole length. Throws Error as validate_fibre does; so do the two above.
double fibre_phase_slope_rad_per_k(const Fibre& fibre, double wavelength_m);
void validate_fibre(const Fibre& fibre);

}  // namespace optinc
