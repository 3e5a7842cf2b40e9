#pragma once

#include <span>

#include "physics/core/enum_names.hpp"
#include "physics/thermal/thermal_network.hpp"

namespace optinc {

/// Ways to follow a thermal network in time. All take constant powers and an ambient that is linear between
/// instants.
enum class Integrator {
  automatic,
  dopri5,        ///< Boost.Odeint, dense-output Dormand-Prince 5, 1e-10: explicit, windows of up to ~1000 tau
  rosenbrock4,   ///< Boost.Odeint, controlled Rosenbrock 4, 1e-9: stiff, dense LU, up to 500 states
  eigen,         ///< exact: eigenvectors of the symmetric system once, up to 2000 states
  exponential,   ///< exact to ~1e-15 of rate times step: Chebyshev series of the exponential; only sparse
                 ///< products
  quasi_static,  ///< heaters follow at once, T_i = T_d + (K^-1 P)_i, the die exactly: for steps >> tau
};

/// As users write them.
template <>
inline constexpr EnumNames enum_names<Integrator> = {
    "thermal integrator", {"automatic", "dopri5", "rosenbrock4", "eigen", "exponential", "quasi-static"}};

/// What `automatic` means for a network and a window: dopri5 up to 1000 fastest time constants; longer, eigen
/// up to 500 states (a linear network needs no stiff solver) and quasi_static beyond.
Integrator choose_integrator(const ThermalNetwork& network, double window_s);

/// Temperatures at instants, rises over the common reference, and who found them.
struct ThermalHistory {
  Integrator used = Integrator::automatic;
  Eigen::MatrixXd heater_k;  ///< (heaters, instants)
  Vector die_k;              ///< (instants)
};

/// Follows the network from `initial` at times_s[0] under constant powers, W (heaters), and the ambient
/// ambient_k, K (instants), linear between them. For powers that change, call it again from the last column.
/// quasi_static ignores the initial temperatures of the heaters. Throws Error for impossible networks, wrong
/// shapes, times that do not ascend, rosenbrock4 above 500 and eigen above 2000 states (naming the ways that
/// remain), and exponential where its series would be longer than 20,000 terms.
ThermalHistory integrate_thermal(const ThermalNetwork& network, const ThermalState& initial,
                                 const Vector& power_w, std::span<const double> times_s,
                                 std::span<const double> ambient_k,
                                 Integrator integrator = Integrator::automatic);

/// Step response: everything at 0 before times_s[0], no change of ambient.
ThermalHistory thermal_step_response(const ThermalNetwork& network, const Vector& power_w,
                                     std::span<const double> times_s,
                                     Integrator integrator = Integrator::automatic);

/// The die alone, C_d dT_d/dt = P - (T_d - T_a)/R_d, exact for a constant total power and an ambient linear
/// between instants, K (instants): what is left of a network once its heaters follow at once. Throws Error as
/// integrate_thermal does.
Vector die_history(const ThermalDie& die, double total_power_w, double initial_k,
                   std::span<const double> times_s, std::span<const double> ambient_k);

}  // namespace optinc
