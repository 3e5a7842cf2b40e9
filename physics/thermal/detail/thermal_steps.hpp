#pragma once

#include <span>

#include "physics/thermal/thermal_dynamics.hpp"

namespace optinc {

/// What the ways behind integrate_thermal share: the system C dy/dt = f - F y, f = (P, T_a / R_d), checked by
/// the caller. Each fills `out` (heaters + 1, instants), whose column 0 holds the initial state.
struct ThermalRun {
  const ThermalSystem& system;
  const Vector& power_w;
  double die_to_ambient_w_per_k;
  std::span<const double> times_s;
  std::span<const double> ambient_k;

  /// Instants at which temperatures are told.
  std::size_t instants() const { return times_s.size(); }
  double slope_k_per_s(std::size_t k) const {  ///< of the ambient behind instant k
    return (ambient_k[k + 1] - ambient_k[k]) / (times_s[k + 1] - times_s[k]);
  }
};

void run_dopri5(const ThermalRun& run, double fastest_rate_per_s, Eigen::MatrixXd& out);
void run_rosenbrock4(const ThermalRun& run, Eigen::MatrixXd& out);
void run_eigen(const ThermalRun& run, Eigen::MatrixXd& out);
void run_exponential(const ThermalRun& run, double fastest_rate_per_s, Eigen::MatrixXd& out);

/// phi_1(-z) = (1 - e^-z) / z and phi_2(-z) = (z - 1 + e^-z) / z^2 for z >= 0: y' = -l y + a + b t from y_0
/// gives y(h) = y_0 + h phi_1(-l h) (a - l y_0) + h^2 phi_2(-l h) b.
double phi_1(double z);
double phi_2(double z);

}  // namespace optinc
