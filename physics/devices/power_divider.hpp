#pragma once

#include <span>

#include "physics/core/field.hpp"

namespace optinc {

/// Field that each arm of a lossless 1:K splitter carries, and equally the field that a lossless K:1 coherent
/// combiner passes on from each of its inputs: 1/sqrt(K).
double split_field_factor(int arms);

/// Output field of a lossless coherent combiner, (1/sqrt(N)) sum_n E_n; N equal fields add up to sqrt(N) E.
/// The rest of the power, sum |E_n|^2 - |sum E_n|^2 / N >= 0, leaves by unused ports.
Complex combine(std::span<const Complex> fields);

/// Power that the combiner rejects, W; zero if and only if all fields are equal.
double rejected_power_w(std::span<const Complex> fields);

}  // namespace optinc
