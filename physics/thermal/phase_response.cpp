#include "physics/thermal/phase_response.hpp"

#include "physics/core/check.hpp"
#include "physics/core/units.hpp"

namespace optinc {

PhaseResponse phase_response(const HeaterArray& heaters, const Crosstalk& crosstalk) {
  return {phase_per_kelvin(heaters), thermal_resistance_matrix(heaters, crosstalk),
          heaters.die.resistance_k_per_w, true};
}

PhaseResponse phase_response(const HeaterArray& heaters, const Crosstalk& crosstalk,
                             const Vector& reference_x_m, const Vector& reference_y_m) {
  return phase_response(heaters, crosstalk,
                        reference_resistance_matrix(heaters, crosstalk, reference_x_m, reference_y_m));
}

PhaseResponse phase_response(const HeaterArray& heaters, const Crosstalk& crosstalk,
                             const SparseMatrix& reference_k_per_w) {
  PhaseResponse response = phase_response(heaters, crosstalk);
  validate(reference_k_per_w.rows() == heaters.count() && reference_k_per_w.cols() == heaters.count(),
           "a matrix of {} x {} for reference arms of {} heaters (a row and a column each). Give as many.",
           reference_k_per_w.rows(), reference_k_per_w.cols(), heaters.count());
  response.resistance_k_per_w -= reference_k_per_w;
  response.symmetric = false;
  return response;
}

PhaseResponse measured_response(const Vector& p_pi_w, const Eigen::MatrixXd& crosstalk) {
  const Eigen::Index count = p_pi_w.size();
  validate(p_pi_w.allFinite() && (p_pi_w.array() > 0).all(),
           "a heater with a power for pi of {} W (finite and > 0). Give that of every heater.",
           count == 0 ? 0.0 : p_pi_w.minCoeff());
  SparseMatrix response(count, count);
  if (crosstalk.size() > 0) {
    validate(crosstalk.rows() == count && crosstalk.cols() == count,
             "crosstalk of {} x {} for {} heaters (a row and a column each). Give as many.", crosstalk.rows(),
             crosstalk.cols(), count);
    validate(crosstalk.allFinite() && crosstalk.diagonal().isZero(0.0),
             "crosstalk that is not finite, or not 0 from a heater to itself (its own phase is counted "
             "separately). Correct the matrix.");
    response = crosstalk.sparseView(0.0, 0.0);
  }
  SparseMatrix own(count, count);
  own.setIdentity();
  response += own;
  for (Eigen::Index j = 0; j < count; ++j)
    for (SparseMatrix::InnerIterator it(response, j); it; ++it) it.valueRef() *= constants::pi / p_pi_w[j];
  return {Vector::Ones(count), response, 0.0, false};
}

Vector heater_phases(const PhaseResponse& response, const Vector& power_w) {
  validate(power_w.size() == response.count(), "{} powers for {} heaters (one each). Give as many.",
           power_w.size(), response.count());
  return response.rad_per_k.cwiseProduct(response.resistance_k_per_w * power_w);
}

}  // namespace optinc
