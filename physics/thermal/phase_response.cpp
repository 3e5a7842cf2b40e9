#include "physics/thermal/phase_response.hpp"

#include "physics/core/check.hpp"

namespace optinc {

PhaseResponse phase_response(const HeaterArray& heaters, const Crosstalk& crosstalk) {
  return {phase_per_kelvin(heaters), thermal_resistance_matrix(heaters, crosstalk),
          heaters.die.resistance_k_per_w, true};
}

PhaseResponse phase_response(const HeaterArray& heaters, const Crosstalk& crosstalk,
                             const Vector& reference_x_m, const Vector& reference_y_m) {
  PhaseResponse response = phase_response(heaters, crosstalk);
  response.resistance_k_per_w -= reference_resistance_matrix(heaters, crosstalk, reference_x_m, reference_y_m);
  response.symmetric = false;
  return response;
}

Vector heater_phases(const PhaseResponse& response, const Vector& power_w) {
  validate(power_w.size() == response.count(), "{} powers for {} heaters (one each). Give as many.",
           power_w.size(), response.count());
  return response.rad_per_k.cwiseProduct(response.resistance_k_per_w * power_w);
}

}  // namespace optinc
