#include "physics/mesh/haar_phases.hpp"

#include "physics/core/check.hpp"
#include "physics/core/units.hpp"

namespace optinc {

double mean_theta_orthogonal_rad(int rank) {
  validate(rank >= 1, "rank {} of an MZI (1 to ports - 1). Give one of those.", rank);
  // integration by parts: I_m = (m-1)/m I_{m-2}, J_m = (m-1)/m J_{m-2} - 1/m^2
  const bool odd = (rank - 1) % 2 == 1;
  double i = odd ? 1.0 : constants::pi / 2;
  double j = odd ? constants::pi / 2 - 1 : constants::pi * constants::pi / 8;
  for (int m = odd ? 3 : 2; m <= rank - 1; m += 2) {
    i *= (m - 1.0) / m;
    j = (m - 1.0) / m * j - 1.0 / m / m;
  }
  return 2 * j / i;
}

double mean_mesh_theta_orthogonal_rad(int ports) {
  validate(ports >= 2, "{} ports of a mesh (>= 2: one port has no MZI). Give at least 2.", ports);
  double sum = 0.0;
  for (int k = 1; k < ports; ++k) sum += (ports - k) * mean_theta_orthogonal_rad(k);
  return sum / (ports * (ports - 1) / 2.0);
}

}  // namespace optinc
