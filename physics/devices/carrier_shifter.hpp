#pragma once

#include <string>
#include <vector>

#include "physics/core/field.hpp"
#include "physics/core/warning.hpp"

namespace optinc {

/// Plasma dispersion of silicon as a power law in the free carriers, N in cm^-3 as published:
///   Dn = -(electron_index N_e^p + hole_index N_h^q),  Da = electron_absorption N_e^r + hole_absorption N_h^s
/// in 1/cm (of the power).
struct CarrierDispersion {
  double electron_index, electron_index_power, hole_index, hole_index_power;
  double electron_absorption, electron_absorption_power, hole_absorption, hole_absorption_power;
  double wavelength_m;
};

/// Soref & Bennett, IEEE J. Quantum Electron. 23, 123 (1987), at 1.55 um:
/// Dn = -(8.8e-22 N_e + 8.5e-18 N_h^0.8), Da = 8.5e-18 N_e + 6.0e-18 N_h.
CarrierDispersion soref_bennett_1987_1550nm();
/// The same at 1.3 um: Dn = -(6.2e-22 N_e + 6.0e-18 N_h^0.8), Da = 6.0e-18 N_e + 4.0e-18 N_h.
CarrierDispersion soref_bennett_1987_1300nm();
/// Nedeljkovic, Soref & Mashanovich, IEEE Photonics J. 3, 1171 (2011), at 1.55 um:
/// Dn = -(5.4e-22 N_e^1.011 + 1.53e-18 N_h^0.838), Da = 8.88e-21 N_e^1.167 + 5.84e-20 N_h^1.109.
CarrierDispersion nedeljkovic_2011_1550nm();

/// Free carriers in the waveguide, above the undoped crystal.
struct Carriers {
  double electrons_per_m3 = 0.0, holes_per_m3 = 0.0;
};

/// What they do to index and power absorption.
struct CarrierChange {
  double index = 0.0, absorption_per_m = 0.0;
};

/// Throws Error for negative densities, or values that are not finite.
CarrierChange carrier_change(const CarrierDispersion& dispersion, const Carriers& carriers);

/// A silicon waveguide whose free carriers are moved: by a junction in depletion (fewer carriers, the phase
/// grows) or by injection (more, it falls).
struct CarrierShifter {
  CarrierDispersion dispersion = nedeljkovic_2011_1550nm();
  double length_m = 1e-3;
  double overlap = 1.0;             ///< share of the mode's power in the carriers, 0..1
  double background_loss_db = 0.0;  ///< without carriers
};

/// Phase against the empty waveguide, rad (<= 0): 2 pi overlap Dn L / lambda.
double carrier_phase_rad(const CarrierShifter& device, const Carriers& carriers);

/// Field factor exp(i phi - a L/2) 10^(-background/20), a = overlap Da: the loss moves with the phase, so a
/// mesh of such shifters is not unitary. Throws Error as validate_carrier_shifter and carrier_change do.
Complex carrier_field(const CarrierShifter& device, const Carriers& carriers);

/// Equal densities of electrons and holes (injection keeps the guide neutral) for a phase, modulo 2 pi: the
/// least injection that delays by -phi. Found by bracketing (Boost), to the last bits of the density. Throws
/// Error where more than 1e21 cm^-3 would be needed: the device is too short.
Carriers carriers_for_phase(const CarrierShifter& device, double phase_rad);

/// The shifter as an element with a phase: field factor at that phase (as carriers_for_phase reaches it), and
/// its derivative d/dphi = (i - (L/2) da/dphi) T per rad.
struct CarrierShifterAtPhase {
  Complex field, slope_per_rad;
};
CarrierShifterAtPhase carrier_shifter_at_phase(const CarrierShifter& device, double phase_rad);

/// Throws Error, naming the field, for what no shifter has (length <= 0, overlap outside 0..1, negative loss).
void validate_carrier_shifter(const CarrierShifter& device);

/// What is legal but beyond the data: densities over 1e20 cm^-3, where the fits end.
std::vector<Warning> carrier_warnings(const Carriers& carriers);

}  // namespace optinc
