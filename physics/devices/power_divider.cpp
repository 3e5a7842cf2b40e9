#include "physics/devices/power_divider.hpp"

#include <numeric>

#include "physics/core/check_values.hpp"
#include "physics/core/units.hpp"

namespace optinc {

double split_field_factor(int arms) { return 1.0 / std::sqrt(static_cast<double>(arms)); }

Complex combine(std::span<const Complex> fields) {
  return split_field_factor(static_cast<int>(fields.size())) *
         std::accumulate(fields.begin(), fields.end(), Complex(0));
}

double rejected_power_w(std::span<const Complex> fields) {
  double sent = 0.0;
  for (const Complex& e : fields) sent += std::norm(e);
  return sent - std::norm(combine(fields));
}

std::vector<Complex> combiner_weights(int inputs, const CombinerErrors& errors) {
  validate_field(inputs >= 1, "inputs", "{} of a combiner (>= 1). Give the number of fields it adds.", inputs);
  validate_not_negative("loss_db", errors.loss_db);
  const auto n = static_cast<std::size_t>(inputs);
  for (const auto& [name, list] : {std::pair{"weight", &errors.weight}, {"phase_rad", &errors.phase_rad}}) {
    validate(list->empty() || list->size() == n,
             "{} errors \"{}\" for a combiner of {} inputs (one each, or none). Give {}.", list->size(), name,
             n, n);
    for (const double value : *list) validate_finite(name, value);
  }
  std::vector<Complex> weights(n);
  double power = 0.0;
  for (std::size_t k = 0; k < n; ++k) {
    const double e = errors.weight.empty() ? 0.0 : errors.weight[k];
    validate(e > -1, "weight error {} of input {} (relative to its field: > -1). Give one > -1.", e, k);
    weights[k] = std::polar(1 + e, errors.phase_rad.empty() ? 0.0 : errors.phase_rad[k]);
    power += (1 + e) * (1 + e);
  }
  const double scale = field_ratio_of_loss_db(errors.loss_db) / std::sqrt(power);
  for (Complex& w : weights) w *= scale;
  return weights;
}

Complex combine(std::span<const Complex> fields, std::span<const Complex> weights) {
  validate(fields.size() == weights.size(),
           "{} fields and {} weights of a combiner (one weight for each field). Give as many.", fields.size(),
           weights.size());
  return std::inner_product(fields.begin(), fields.end(), weights.begin(), Complex(0));
}

double rejected_power_w(std::span<const Complex> fields, std::span<const Complex> weights) {
  double sent = 0.0;
  for (const Complex& e : fields) sent += std::norm(e);
  return sent - std::norm(combine(fields, weights));
}

CombinerMoments combiner_moments(int inputs, double phase_rms_rad) {
  validate_field(inputs >= 1, "inputs", "{} of a combiner (>= 1). Give the number of fields it adds.", inputs);
  validate_not_negative("phase_rms_rad", phase_rms_rad);
  const double variance = phase_rms_rad * phase_rms_rad, coherence = std::exp(-variance);
  // (1 + e^{-2v})/2 - e^{-v} = (1 - e^{-v})^2 / 2, without the cancellation
  const double lost = -std::expm1(-variance);
  return {std::exp(-variance / 2), coherence + lost / inputs, lost / std::sqrt(2.0 * inputs)};
}

}  // namespace optinc
