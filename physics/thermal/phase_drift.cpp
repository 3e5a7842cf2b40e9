#include "physics/thermal/phase_drift.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "physics/core/check.hpp"
#include "physics/core/units.hpp"
#include "physics/thermal/heaters.hpp"

namespace optinc {
namespace {

using Index = Eigen::Index;
using constants::pi;

/// The vector, or zeros where it is empty.
Vector or_zeros(const char* name, const Vector& values, Index count) {
  if (values.size() == 0) return Vector::Zero(count);
  validate(values.size() == count && values.allFinite(),
           "{} has {} values for {} heaters (one finite value each, or none at all). Give as many.", name,
           values.size(), count);
  return values;
}

struct Instant {
  double die_k, gradient_x, gradient_y, wavelength_m;
};

Instant instant_of(const DriftHistory& h, Index k) {
  const auto value = [&](const char* name, const Vector& values) {
    validate(values.size() == 0 || (k >= 0 && k < values.size()),
             "instant {} of {}, which has {} (histories are of one length, or empty). Give as many.", k, name,
             values.size());
    return values.size() == 0 ? 0.0 : values[k];
  };
  return {value("die_k", h.die_k), value("gradient_x_k_per_m", h.gradient_x_k_per_m),
          value("gradient_y_k_per_m", h.gradient_y_k_per_m), value("wavelength_shift_m", h.wavelength_shift_m)};
}

void add_drift(const PhaseDrift& d, const Instant& at, Eigen::Ref<Vector> phase) {
  phase += at.die_k * d.rad_per_k + at.gradient_x * d.rad_per_k_per_m_x + at.gradient_y * d.rad_per_k_per_m_y +
           at.wavelength_m * d.rad_per_m;
}

}  // namespace

double imbalance_phase_rad(double imbalance_m, double rise_k, double dn_dt_per_k, double wavelength_m) {
  return phase_per_kelvin_metre(dn_dt_per_k, wavelength_m) * imbalance_m * rise_k;
}

double gradient_phase_rad(double arm_length_m, double pitch_m, double gradient_k_per_m, double dn_dt_per_k,
                          double wavelength_m) {
  return phase_per_kelvin_metre(dn_dt_per_k, wavelength_m) * arm_length_m * pitch_m * gradient_k_per_m;
}

double laser_drift_phase_rad(double imbalance_m, double wavelength_shift_m, double group_index,
                             double wavelength_m) {
  return -2 * pi * group_index * imbalance_m * wavelength_shift_m / (wavelength_m * wavelength_m);
}

double fibre_phase_rad(double length_m, double rise_k, double wavelength_m) {
  return 2 * pi / wavelength_m * (8.4e-6 + 1.468 * 5.5e-7) * length_m * rise_k;
}

Index DriftHistory::instants() const {
  return std::max(
      {die_k.size(), gradient_x_k_per_m.size(), gradient_y_k_per_m.size(), wavelength_shift_m.size()});
}

PhaseDrift phase_drift(const Vector& static_rad, const ArmPairs& arms, double dn_dt_per_k, double wavelength_m,
                       double group_index) {
  const Index count = static_rad.size();
  const Vector imbalance = or_zeros("imbalance_m", arms.imbalance_m, count);
  const Vector length = or_zeros("length_m", arms.length_m, count);
  const double per_k_m = phase_per_kelvin_metre(dn_dt_per_k, wavelength_m);
  return {or_zeros("static_rad", static_rad, count), per_k_m * imbalance,
          per_k_m * length.cwiseProduct(or_zeros("pitch_x_m", arms.pitch_x_m, count)),
          per_k_m * length.cwiseProduct(or_zeros("pitch_y_m", arms.pitch_y_m, count)),
          laser_drift_phase_rad(1.0, 1.0, group_index, wavelength_m) * imbalance};
}

void phase_errors_at(const PhaseDrift& drift, const DriftHistory& history, Index k,
                     Eigen::Ref<Vector> error_rad) {
  validate(error_rad.size() == drift.static_rad.size(),
           "room for {} phase errors of {} heaters (one each). Give as "
           "much.",
           error_rad.size(), drift.static_rad.size());
  error_rad = drift.static_rad;
  add_drift(drift, instant_of(history, k), error_rad);
}

Eigen::MatrixXd phase_errors(const PhaseDrift& drift, const DriftHistory& history) {
  Eigen::MatrixXd errors(drift.static_rad.size(), history.instants());
  for (Index k = 0; k < errors.cols(); ++k) phase_errors_at(drift, history, k, errors.col(k));
  return errors;
}

double largest_phase_step_rad(const PhaseDrift& drift, const DriftHistory& history) {
  double largest = 0;
  Vector step(drift.static_rad.size());
  for (Index k = 0; k + 1 < history.instants() && step.size() > 0; ++k) {
    const Instant a = instant_of(history, k), b = instant_of(history, k + 1);
    step.setZero();
    add_drift(drift,
              {b.die_k - a.die_k, b.gradient_x - a.gradient_x, b.gradient_y - a.gradient_y,
               b.wavelength_m - a.wavelength_m},
              step);
    largest = std::max(largest, step.cwiseAbs().maxCoeff());
  }
  return largest;
}

}  // namespace optinc
