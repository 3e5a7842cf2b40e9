#include "physics/devices/crossing.hpp"

#include <algorithm>

#include "physics/core/check_values.hpp"
#include "physics/core/units.hpp"
#include "physics/devices/phase_shifter.hpp"

namespace optinc {

Matrix2 crossing(const Crossing& d) {
  validate_crossing(d);
  const double pass = field_ratio_of_loss_db(d.loss_db);
  const Complex leak = phase_shifter(d.crosstalk_phase_rad, d.crosstalk_db);
  Matrix2 t;
  t << leak, pass, pass, leak;
  return t;
}

void validate_crossing(const Crossing& d) {
  validate_not_negative("loss_db", d.loss_db);
  validate_not_negative("loss_spread_db", d.loss_spread_db);
  validate_finite("crosstalk_phase_rad", d.crosstalk_phase_rad);
  // an infinite crosstalk_db is a crossing without any
  validate_field(d.crosstalk_db >= 0, "crosstalk_db",
                 "{} (>= 0: leaked power lies this far below the input). Give {} >= 0.", d.crosstalk_db,
                 "crosstalk_db");
  const double pass = field_ratio_of_loss_db(d.loss_db);
  const Complex leak = phase_shifter(d.crosstalk_phase_rad, d.crosstalk_db);
  const double most = std::max(std::abs(pass + leak), std::abs(pass - leak));
  validate(
      most <= 1 + 1e-12,
      "a crossing of {} dB loss and {} dB crosstalk at {:.4g} rad amplifies light by {:.3g} (it is passive). "
      "Raise loss_db or crosstalk_db.",
      d.loss_db, d.crosstalk_db, d.crosstalk_phase_rad, most);
}

Crossing johnson_2020_crossing() {
  Crossing d;
  d.loss_db = 0.043;
  d.loss_spread_db = 0.004;
  d.crosstalk_db = 50.0;
  return d;
}

Crossing wafer_scale_crossing() {
  Crossing d;
  d.loss_db = 0.18;
  d.loss_spread_db = 0.03;
  d.crosstalk_db = 41.0;
  return d;
}

}  // namespace optinc
