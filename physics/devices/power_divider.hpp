#pragma once

#include <span>
#include <vector>

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

/// What makes a coherent N:1 combiner imperfect; an empty list is all zeros.
struct CombinerErrors {
  std::vector<double> weight;     ///< relative error e_n of each input's field, ~ 1 % from splitter imbalance
  std::vector<double> phase_rad;  ///< phase error psi_n of each input (residual of its lock)
  double loss_db = 0.0;           ///< common excess loss
};

/// Field weights w_n = 10^(-loss/20) (1 + e_n) e^{i psi_n} / sqrt(sum_m (1 + e_m)^2), (inputs): to first order
/// (1/sqrt N)(1 + e_n - mean e), for a passive combiner cannot favour one input without costing another. (The
/// mean is a gain that calibration takes out.) Throws Error for lists of another length, weights of -1 or
/// less, values that are not finite.
std::vector<Complex> combiner_weights(int inputs, const CombinerErrors& errors);

/// Output field sum_n w_n E_n, and the power that does not reach it (unused ports and losses), W. `weights`
/// as combiner_weights gives them, or the field factors of a splitter tree used backwards. Throws Error where
/// the two lists differ in length.
Complex combine(std::span<const Complex> fields, std::span<const Complex> weights);
double rejected_power_w(std::span<const Complex> fields, std::span<const Complex> weights);

/// Statistics of the output of N equal fields whose phases are independent, normal, of rms s, relative to the
/// output without errors: E[Re A] = e^{-s^2/2}, E[|A|^2] = e^{-s^2} + (1 - e^{-s^2})/N,
/// std(Re A) = sqrt((1 + e^{-2 s^2})/2 - e^{-s^2}) / sqrt(N). The mean is a gain that calibration takes out;
/// the spread stays.
struct CombinerMoments {
  double mean = 1.0, mean_power = 1.0, spread = 0.0;
};
CombinerMoments combiner_moments(int inputs, double phase_rms_rad);

}  // namespace optinc
