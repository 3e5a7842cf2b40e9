#pragma once

#include <array>
#include <span>
#include <vector>

#include "onn/hardware/unit_hardware.hpp"
#include "onn/task/codes.hpp"
#include "physics/core/field.hpp"

namespace optinc {

/// Field weights of a chip's N:1 coherent combiners, [digit lane][server].
using CombinerWeights = std::vector<std::vector<Complex>>;

/// The weights that fabrication gave chip number `chip`: 1/sqrt(N) each less the excess loss of the splitters,
/// off by independent normal errors of rms `sigma_combiner` and passive all the same (combiner_weights).
CombinerWeights draw_combiners(const Task& task, const UnitHardware& hardware, std::uint64_t seed,
                               std::uint32_t chip);

/// The digit whose field is dark: 0, or 1.5 with signed levels, which light alone lacks of every average.
double dark_digit(const LinkSettings& link);

/// Field that a server's modulator makes of each of the digits 0..3, sqrt(W): level d/3 (2 d/3 - 1 with signed
/// levels), the inner two drawn together by the mismatch (levels_with_mismatch_ratio), and the leak of its null
/// in quadrature, sqrt(P_3) (level + i leak sqrt(1 - level^2)) (mzm_field_of_level).
std::array<Complex, 4> server_fields_sqrt_w(const UnitHardware& hardware);

/// Light behind unit P, (M, words) in sqrt(W): digit lanes of all servers, each server's light turned by its
/// phase (servers), combined.
FieldBatch unit_p(const Task& task, const UnitHardware& hardware, const CombinerWeights& weights,
                  const Eigen::Ref<const Codes>& codes, std::span<const double> phase_rad);

}  // namespace optinc
