#include "physics/devices/activation.hpp"

#include <algorithm>
#include <cmath>

#include "physics/core/check_values.hpp"
#include "physics/core/units.hpp"
#include "physics/devices/homodyne.hpp"

namespace optinc {
namespace {

constexpr Complex i(0, 1);

/// f = z t(P), P = |z|^2, dt/dP = slope: f_z = t + P t', f_z* = z^2 t'.
Wirtinger of_transmission(Complex z, Complex t, Complex slope) {
  return {t + std::norm(z) * slope, z * z * slope};
}

/// f real, of the signed amplitude Re(z e^(-i phase)): half of its slope goes to each.
Wirtinger of_amplitude(double slope, double phase_rad = 0.0) {
  return {slope / 2 * std::polar(1.0, -phase_rad), slope / 2 * std::polar(1.0, phase_rad)};
}

double amplitude(Complex z, double phase_rad) { return (z * std::polar(1.0, -phase_rad)).real(); }

/// x of the ring, and t with its slope in x.
double ring_x(const RingActivation& a, double power_w) {
  return 2 * (a.detuning_hz + a.shift_hz_per_w * power_w) / a.fwhm_hz;
}
double ring_t0(const RingActivation& a) { return std::sqrt(a.least_transmission) * (a.over_coupled ? -1 : 1); }

}  // namespace

Complex IdealRelu::forward(Complex z) const { return std::max(0.0, amplitude(z, reference_phase_rad)); }

Wirtinger IdealRelu::derivatives(Complex z) const {
  return of_amplitude(amplitude(z, reference_phase_rad) > 0 ? 1.0 : 0.0, reference_phase_rad);
}

Complex ElectroOptic::forward(Complex z) const {
  const double psi = gain_rad_per_w * std::norm(z) + bias_rad;
  return i / 2.0 * std::sqrt(1 - tap) * (1.0 + std::polar(1.0, -psi)) * z;
}

Wirtinger ElectroOptic::derivatives(Complex z) const {
  const double psi = gain_rad_per_w * std::norm(z) + bias_rad;
  const Complex k = i / 2.0 * std::sqrt(1 - tap), turn = std::polar(1.0, -psi);
  return of_transmission(z, k * (1.0 + turn), -i * k * gain_rad_per_w * turn);
}

double SaturableAbsorber::transmission(double power_w) const {
  const double left = absorption / (1 + power_w / saturation_power_w);
  return form == Form::exponential ? std::exp(-left) : 1 - left;
}

Complex SaturableAbsorber::forward(Complex z) const { return z * std::sqrt(transmission(std::norm(z))); }

Wirtinger SaturableAbsorber::derivatives(Complex z) const {
  const double power = std::norm(z), t = std::sqrt(transmission(power));
  const double filled = 1 + power / saturation_power_w;
  const double bleaching = absorption / (saturation_power_w * filled * filled);  // -d(alpha)/dP
  // dT/dP is T x bleaching in the exponential form and bleaching in the linear one; d sqrt(T) = dT/(2 sqrt T)
  return of_transmission(z, t, bleaching / 2 * (form == Form::exponential ? t : 1 / t));
}

double RingActivation::transmission(double power_w) const {
  const double x = ring_x(*this, power_w);
  return 1 - (1 - least_transmission) / (1 + x * x);
}

Complex RingActivation::forward(Complex z) const {
  const Complex line = 1.0 - i * ring_x(*this, std::norm(z));
  return (1.0 - (1 - ring_t0(*this)) / line) * z;
}

Wirtinger RingActivation::derivatives(Complex z) const {
  const double x_per_w = 2 * shift_hz_per_w / fwhm_hz, depth = 1 - ring_t0(*this);
  const Complex line = 1.0 - i * ring_x(*this, std::norm(z));
  return of_transmission(z, 1.0 - depth / line, -depth * i / (line * line) * x_per_w);
}

double limited(double z, double ceiling, double knee) {
  const double hard = std::min(z, ceiling);
  if (knee == 0 || z == 0) return hard;
  // the smaller of z/ceiling and its inverse to the power of 1/knee: nothing overflows
  const double q = std::exp(-std::abs(std::log(z / ceiling)) / knee);
  return hard * std::pow(1 + q, -knee);
}

double ReceiverRelu::field_of_current(double current_a) const {
  return limited(std::max(0.0, gain_sqrt_w_per_a * (current_a - threshold_a)), largest_field_sqrt_w,
                 limiter_knee);
}

Complex ReceiverRelu::forward(Complex z) const {
  return field_of_current(homodyne_current_a(receiver, z, phase_error_rad));
}

Wirtinger ReceiverRelu::derivatives(Complex z) const {
  const double f = forward(z).real();
  if (f <= 0 || f >= largest_field_sqrt_w) return {};
  // of f = z (1 + r)^-k, r = (z/c)^(1/k): df/dz = (1 + r)^-(k + 1), and (f/c)^(1/k) = r/(1 + r)
  const double left = limiter_knee > 0
                          ? std::pow(1 - std::pow(f / largest_field_sqrt_w, 1 / limiter_knee), limiter_knee + 1)
                          : 1.0;
  return of_amplitude(left * gain_sqrt_w_per_a * homodyne_current_per_field(receiver), phase_error_rad);
}

Complex LeakyRelu::forward(Complex z) const { return z.real() > 0 ? z.real() : slope * z.real(); }

Wirtinger LeakyRelu::derivatives(Complex z) const { return of_amplitude(z.real() > 0 ? 1.0 : slope); }

Complex Softplus::forward(Complex z) const {
  const double x = z.real();  // from the larger side, so that e^(beta |x|) is never formed
  return std::max(x, 0.0) + std::log1p(std::exp(-beta_per_sqrt_w * std::abs(x))) / beta_per_sqrt_w;
}

Wirtinger Softplus::derivatives(Complex z) const {
  return of_amplitude(1 / (1 + std::exp(-beta_per_sqrt_w * z.real())));
}

void validate_activation(const IdealRelu& a) {
  validate_field(std::isfinite(a.reference_phase_rad), "reference_phase_rad", "{} (finite). Give a phase.",
                 a.reference_phase_rad);
}

void validate_activation(const ElectroOptic& a) {
  validate_field(a.tap >= 0 && a.tap < 1, "tap", "{} (0..1, some light must pass). Give 0 <= tap < 1.", a.tap);
  validate_not_negative("gain_rad_per_w", a.gain_rad_per_w);
  validate_field(std::isfinite(a.bias_rad), "bias_rad", "{} (finite). Give a phase.", a.bias_rad);
}

void validate_activation(const SaturableAbsorber& a) {
  validate_not_negative("absorption", a.absorption);
  validate_field(a.form == SaturableAbsorber::Form::exponential || a.absorption < 1, "absorption",
                 "{} of a linear absorber (< 1, or nothing passes in the dark). Give "
                 "absorption < 1, or the exponential form.",
                 a.absorption);
  validate_positive("saturation_power_w", a.saturation_power_w);
}

void validate_activation(const RingActivation& a) {
  validate_field(std::isfinite(a.detuning_hz) && std::isfinite(a.shift_hz_per_w), "detuning_hz",
                 "{} and shift_hz_per_w = {} (finite). Give numbers.", a.detuning_hz, a.shift_hz_per_w);
  validate_positive("fwhm_hz", a.fwhm_hz);
  validate_within("least_transmission", a.least_transmission, 0, 1);
}

void validate_activation(const ReceiverRelu& a) {
  validate_receiver(a.receiver);
  validate_field(std::isfinite(a.threshold_a), "threshold_a", "{} (finite). Give a current.", a.threshold_a);
  validate_positive("gain_sqrt_w_per_a", a.gain_sqrt_w_per_a);
  validate_field(a.largest_field_sqrt_w > 0, "largest_field_sqrt_w",
                 "{} (> 0, infinite for no limit). Give a larger one.", a.largest_field_sqrt_w);
  validate_within("limiter_knee", a.limiter_knee, 0, 1);
  validate_field(std::isfinite(a.phase_error_rad), "phase_error_rad", "{} (finite). Give a phase.",
                 a.phase_error_rad);
}

void validate_activation(const LeakyRelu& a) { validate_within("slope", a.slope, 0, 1); }

void validate_activation(const Softplus& a) { validate_positive("beta_per_sqrt_w", a.beta_per_sqrt_w); }

}  // namespace optinc
