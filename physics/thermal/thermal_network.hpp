#pragma once

#include <span>

#include "physics/thermal/crosstalk.hpp"

namespace optinc {

/// A path for heat between two heaters that does not lead through the die.
struct ThermalLink {
  Eigen::Index a = 0, b = 0;
  double conductance_w_per_k = 0.0;  ///< G_ab >= 0
};

/// Heaters and die as thermal nodes; temperatures are rises over one common reference, the ambient's among
/// them:
///   C_i dT_i/dt = P_i - sum_j K_ij (T_j - T_d),
///   C_d dT_d/dt = sum_ij K_ij (T_j - T_d) - (T_d - T_a) / R_d.
/// K is symmetric positive definite; with links, K_ii = 1/R_i + sum_j G_ij and K_ij = -G_ij, which makes the
/// first line P_i - (T_i - T_d)/R_i - sum_j G_ij (T_i - T_j).
struct ThermalNetwork {
  Vector capacity_j_per_k;           ///< (heaters)
  SparseMatrix conductance_w_per_k;  ///< K (heaters, heaters)
  ThermalDie die;

  /// Heaters.
  Eigen::Index heaters() const { return capacity_j_per_k.size(); }
};

/// Temperatures of all nodes, rises over the common reference, K.
struct ThermalState {
  Vector heater_k;  ///< (heaters)
  double die_k = 0.0;
};

/// The network of heaters, each with its R_i to the die, and explicit links between them; positions play no
/// part. Throws Error for a link to itself or to no heater, or with negative conductance.
ThermalNetwork linked_network(const HeaterArray& heaters, std::span<const ThermalLink> links = {});

/// The network whose steady state is exactly a given Theta (thermal_resistance_matrix): K = Theta^-1, dense, up
/// to 2000 heaters. Throws Error for more, or a Theta that is not (heaters, heaters) and definite.
ThermalNetwork exact_network(const HeaterArray& heaters, const SparseMatrix& resistance_k_per_w);

/// The network with as many links as Theta = D^1/2 (1 + N) D^1/2 has entries: K = D^-1/2 (1 - N) D^-1/2, D =
/// diag(R). Its steady rises differ from Theta's by the share N^2. Throws Error where a heater would be left
/// without a path of its own to the die (sum of x(d) >= 1).
ThermalNetwork first_order_network(const HeaterArray& heaters, const SparseMatrix& resistance_k_per_w);

/// Conductance of each heater to the die alone, row sums of K, W/K (heaters): 1/R_i in a network of links.
Vector leak_w_per_k(const ThermalNetwork& network);

/// Steady state for constant powers, W (heaters), and ambient: T_d = T_a + R_d sum P, T_i = T_d + (K^-1 P)_i.
ThermalState thermal_steady_state(const ThermalNetwork& network, const Vector& power_w, double ambient_k = 0.0);

/// The network as one symmetric system C dy/dt = f - F y over heaters and, last, the die; f = (P, T_a / R_d).
struct ThermalSystem {
  SparseMatrix conductance_w_per_k;  ///< F (heaters + 1, heaters + 1), symmetric
  Vector capacity_j_per_k;           ///< (heaters + 1)
};
ThermalSystem thermal_system(const ThermalNetwork& network);

/// An upper bound (Gershgorin) of the fastest rate of the network, 1/s.
double fastest_rate_per_s(const ThermalNetwork& network);

/// Throws Error unless shapes agree, K is symmetric, capacities are finite and > 0 and so is the die.
void validate_network(const ThermalNetwork& network);

}  // namespace optinc
