#include "physics/mesh/group_delay.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "physics/core/check_values.hpp"
#include "physics/core/units.hpp"

namespace optinc {

PathDelays path_delays(const Matrix& transfer, const Matrix& below, const Matrix& above, double wavelength_m,
                       double step_m, double common_s) {
  validate_positive("wavelength_m", wavelength_m);
  validate_positive("step_m", step_m);
  for (const Matrix* beside : {&below, &above})
    validate(beside->rows() == transfer.rows() && beside->cols() == transfer.cols(),
             "a transfer matrix of {} x {} beside one of {} x {} (the same device at another wavelength). Give "
             "matrices of one shape.",
             beside->rows(), beside->cols(), transfer.rows(), transfer.cols());
  const double s_of_slope =
      -wavelength_m * wavelength_m / (2 * constants::pi * constants::speed_of_light_m_per_s);
  PathDelays paths;
  paths.delay_s.resize(transfer.rows(), transfer.cols());
  double power = 0.0, first = 0.0, second = 0.0;  // moments of what comes on top of the common delay
  for (Eigen::Index j = 0; j < transfer.cols(); ++j)
    for (Eigen::Index i = 0; i < transfer.rows(); ++i) {
      const double weight = std::norm(transfer(i, j));
      const Complex slope = (above(i, j) - below(i, j)) / (2 * step_m);
      const double own = s_of_slope * std::imag(std::conj(transfer(i, j)) * slope) / weight;
      paths.delay_s(i, j) = weight > 0 ? common_s + own : std::numeric_limits<double>::quiet_NaN();
      if (weight == 0) continue;
      power += weight;
      first += weight * own;
      second += weight * own * own;
    }
  const double mean = first / power;
  paths.mean_s = common_s + mean;
  paths.spread_s = std::sqrt(std::max(0.0, second / power - mean * mean));
  return paths;
}

}  // namespace optinc
