#include "physics/devices/incoherent_sum.hpp"

#include <algorithm>
#include <cmath>

#include "physics/core/check_values.hpp"

namespace optinc {
namespace {

double sum_of_powers(std::span<const double> powers_w) {
  validate(!powers_w.empty(),
           "no powers to add (a combiner has at least one input). Give one power per input.");
  double sum = 0.0;
  for (const double p : powers_w) {
    validate_not_negative("power_w", p);
    sum += p;
  }
  return sum;
}

}  // namespace

double incoherent_current_a(const IncoherentSum& s, std::span<const double> powers_w) {
  validate_incoherent_sum(s);
  return photocurrent_a(s.diode, sum_of_powers(powers_w));
}

double remodulated_field_of_current_sqrt_w(const IncoherentSum& s, double current_a) {
  const double signal = (current_a - s.diode.dark_current_a) / s.diode.responsivity_a_per_w;
  return std::sqrt(s.seed_power_w) * std::clamp(signal / s.full_scale_power_w, 0.0, 1.0);
}

double remodulated_field_sqrt_w(const IncoherentSum& s, std::span<const double> powers_w) {
  return remodulated_field_of_current_sqrt_w(s, incoherent_current_a(s, powers_w));
}

double passive_incoherent_power_w(std::span<const double> powers_w) {
  return sum_of_powers(powers_w) / static_cast<double>(powers_w.size());
}

void validate_incoherent_sum(const IncoherentSum& s) {
  validate_photodiode(s.diode);
  validate_positive("full_scale_power_w", s.full_scale_power_w);
  validate_not_negative("seed_power_w", s.seed_power_w);
}

}  // namespace optinc
