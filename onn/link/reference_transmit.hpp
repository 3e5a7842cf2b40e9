#pragma once

#include "onn/link/transmission.hpp"
#include "physics/random/stream.hpp"

/// \file reference_transmit.hpp The slow twin of transmit(): words through the whole unit, device by
/// device. transmit() is tested against it, and it is never optimised.

namespace optinc {

/// A chip in operation, worked out from what the operator set and what each device does.
struct ReferenceChip {
  std::vector<Matrix> transfer;  ///< [layer] (outputs, inputs): fields at its outputs from fields at its inputs
  std::vector<double> nominal_factor;  ///< [layer]: transfer = nominal_factor W on a perfect chip of mean loss
  /// [layer]: phase of its light against its receivers' oscillators since they were set, rad; empty: none
  std::vector<double> oscillator_rad = {};
};

/// What words are sent through: LitUnit, with the chip worked out from its devices. What it refers to must
/// outlive it.
struct ReferenceUnit {
  const ChipDesign& design;
  const ReferenceChip& chip;
  const UnitHardware& hardware;
  NoiseSwitches noise = {};
};

/// Transfer matrices of all layers, from phases and errors alone:
///
///     T = (1/sqrt r) [D_1 M_1; ..; D_r M_r]  (tall)   or   (1/sqrt r) [D_1 M_1, .., D_r M_r]  (wide, sum)
///
/// M_b is the reference mesh. D_b is diagonal and holds the bar transmissions of the attenuators. The nominal
/// factor is 10^(-2 L columns / 20) / (sqrt(r) passive_scale), where L is the mean loss of an arm in dB.
/// The DAC acts through `program`, temperature, wavelength and crosstalk through `errors`, calibration through
/// both. Throws Error where a program or its errors do not fit the mesh.
ReferenceChip reference_chip(const ChipDesign& design, const ChipProgram& program, const ChipErrors& errors,
                             const ErrorModel& model);

/// Longest way of light from its modulators to the receivers behind a layer, m.
double reference_path_m(const ChipDesign& design, std::size_t layer, const UnitHardware& hardware);

/// Sends words through the unit and returns the outputs y, (output digits, words), in digits. `codes` holds a
/// word in every row, one code for each server.
///
///     server n    E_mn = sqrt(P_3) m(l), l the level of digit m of its code; m: its modulator
///     fibre n     E_mn e^(i psi_n), psi_n ~ N(0, s), s^2 = sigma_lock^2 + 2 pi linewidth delay
///     unit P      a_m = sum_n w_mn E_mn / sqrt(copies); value 1: field u_m = vis sqrt(N P_3 / copies) / 3
///       or, incoherent, i = R sum_n P_mn (1 + rin z_n) + I_d + noise, P_mn = N |w_mn|^2 P_3 l; fresh light
///                 of level (i - I_d) / (R N P_3), a modulator a read; value 1: field sqrt(full scale) / 3
///     layer       b = T x, x_i = a_i u / u_i, u = min u_i; value 1: field f u, f the nominal factor
///     receiver    i = 2 R sqrt(P_LO) Re(b e^(j (d + w - p))) + noise; v = i / (2 R sqrt(P_LO) f u) + bias;
///                 phases of the layer's drift d and linewidth w, and of the receiver's own oscillator p
///     neuron      z = limited(max(v, 0), ceiling) + offset; its modulator sends level z / largest_output
///     unit T      b / sqrt(N), a server's receiver, and its converter
///
/// All of it less the excess loss of every splitter tree, waveguide, delay line, coupler and fibre on the way.
/// vis = e^(-s^2 / 2) with lock errors, otherwise 1. Light of signed levels carries the average less
/// 1.5 and has a full scale of 1.5; receivers add W (1.5, .., 1.5). Lock errors are the same for all words.
/// Where time.sampling is clocked, words follow each other, the first after the last, and a receiver samples
///
///     i(t) = sum_n (i_n - i_(n-1)) S(t - n T) + noise,   t = t_0 + n T + jitter,
///
/// i_n the settled current, S the step response of modulator and receiver, or its mean over the symbol before,
/// and noise with the correlation of filter and sampler; then its equaliser. Light of modulators that are late
/// comes to t so much later, part by part. Unclocked receivers hand on i(t) at samples_per_symbol samples of
/// a symbol, noise behind their own filter, and servers read each digit at the sample that is nearest to the
/// settled outputs. The combiners are those of chip (seed.seed, seed.chip). Locks and receivers draw from
/// `stream`: other numbers than transmit() draws, of the same distribution. Where transmit() departs from the
/// functions of physics/devices, this function follows transmit(), and a comment says so.
Eigen::MatrixXd reference_transmit(const ReferenceUnit& unit, const Codes& codes, const TransmissionSeed& seed,
                                   Stream& stream, NoisyReceivers receivers = NoisyReceivers::all);

}  // namespace optinc
