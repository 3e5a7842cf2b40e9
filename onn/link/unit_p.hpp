#pragma once

#include <span>
#include <vector>

#include "onn/hardware/unit_hardware.hpp"
#include "onn/link/noise.hpp"
#include "onn/task/codes.hpp"
#include "physics/core/field.hpp"
#include "physics/random/stream.hpp"

namespace optinc {

/// Field weights of a chip's N:1 coherent combiners, [digit lane][server].
using CombinerWeights = std::vector<std::vector<Complex>>;

/// The weights that fabrication gave chip number `chip`: 1/sqrt(N) each less the excess loss of the splitters,
/// off by independent normal errors of rms `sigma_combiner` and passive all the same (combiner_weights). 0 of
/// servers whose fibres are cut.
CombinerWeights draw_combiners(const Task& task, const UnitHardware& hardware, std::uint64_t seed,
                               std::uint32_t chip);

/// The digit whose field is dark: 0, or 1.5 with signed levels, which light alone lacks of every average.
double dark_digit(const LinkSettings& link);

/// Field that a server's modulator makes of each symbol, the digits 0..3 or the levels of an analogue sum,
/// sqrt(W): level d/3 (2 d/3 - 1 with signed levels) times the depth of the drive, drawn towards the middle as
/// the mismatch draws the inner two of four (levels_with_mismatch_ratio, straight lines between them), and the
/// leak of its null in quadrature, sqrt(P_3) (level + i leak sqrt(1 - level^2)) (mzm_field_of_level).
std::vector<Complex> server_fields_sqrt_w(const Task& task, const UnitHardware& hardware);

/// Light behind unit P, (M, words) in sqrt(W): digit lanes of all servers, each server's light turned by its
/// phase (servers), combined.
FieldBatch unit_p(const Task& task, const UnitHardware& hardware, const CombinerWeights& weights,
                  const Eigen::Ref<const Codes>& codes, std::span<const double> phase_rad);

/// Power that a server's modulator makes of each symbol where averaging is incoherent, W: level d/3 of
/// launch_power_w, with the same mismatch, and the leak of its null (mzm_power_of_level).
std::vector<double> server_powers_w(const Task& task, const UnitHardware& hardware);

/// Power on the photodiode of an incoherent average with digit 3 of every server, W: N launch_power_w less the
/// combiner's excess loss. There is no 1/N: one photodiode sees all fibres, no single mode must take their
/// light.
double averaged_full_scale_w(const Task& task, const UnitHardware& hardware);

/// Drives of the fresh light behind incoherent averages, (M, words) in sqrt(W), in `re` alone: powers of all
/// servers' digit lanes, P_nm weighted by N |w_mn|^2, meet on a photodiode without a local oscillator, and
///
///   i_m = R sum_n P_nm (1 + rin z_n) + I_d + noise_m,   E_m = sqrt(signal_full_scale_w) (i_m - I_d)/(R P_full)
///
/// within 0 and full scale (IncoherentSum; P_full: averaged_full_scale_w). z_n is the intensity noise of server
/// n's own laser, the same in all its digits; noise_m is the receiver's: shot noise 2q (R sum P + I_d) B, and
/// its amplifier's. Each acts where `noise` switches it on, and draws from `stream`.
FieldBatch incoherent_unit_p(const Task& task, const UnitHardware& hardware, const NoiseSwitches& noise,
                             const CombinerWeights& weights, const Eigen::Ref<const Codes>& codes,
                             Stream& stream);

}  // namespace optinc
