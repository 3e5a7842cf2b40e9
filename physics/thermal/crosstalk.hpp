#pragma once

#include <string>
#include <vector>

#include <Eigen/SparseCore>

#include "physics/core/enum_names.hpp"
#include "physics/core/warning.hpp"
#include "physics/thermal/heaters.hpp"

namespace optinc {

using SparseMatrix = Eigen::SparseMatrix<double>;

/// How the rise that a heater causes elsewhere falls off with distance.
enum class CrosstalkLaw {
  none,
  exponential,  ///< x(d) = x0 e^(-d/d0) of the geometric mean of both heaters' own rises per watt
  sheet,        ///< ln(L/d) / (2 pi k h): a line through a sheet whose edge at L is at die temperature
  half_space,   ///< 1 / (2 pi k d): a point on a thick substrate
};

/// As users write them.
template <>
inline constexpr EnumNames enum_names<CrosstalkLaw> = {"crosstalk law",
                                                       {"none", "exponential", "sheet", "half-space"}};

/// Static crosstalk between heaters beyond what the die as a whole does. Defaults: assumed, inside
/// what is measured between neighbours: 1..10 % at 20..30 um without a trench, below 0.5 % with one; heat
/// reaches over millimetres (Front. Phys. 10, 1093191, 2022), which is the die's node.
struct Crosstalk {
  CrosstalkLaw law = CrosstalkLaw::exponential;
  double x0 = 0.05;                       ///< exponential: amplitude, 0 .. 1
  double d0_m = 50e-6;                    ///< exponential: length
  double conductivity_w_per_m_k = 148.0;  ///< sheet, half space: of silicon (SiO2: 1.4)
  double sheet_thickness_m = 0.7e-3;      ///< sheet: h
  double sheet_radius_m = 1e-3;           ///< sheet: L; nothing beyond it
  double cutoff_m = 400e-6;               ///< nothing beyond it; 8 d0 leaves 3e-4 of the exponential's sum
};

/// Throws Error, naming field, value and range, for an impossible value.
void validate_crosstalk(const Crosstalk& crosstalk);

/// What is legal but not measured, one sentence each, the field first: of the exponential law an amplitude
/// above 0.1 or a length outside 20..150 um (Crosstalk).
std::vector<Warning> crosstalk_warnings(const Crosstalk& crosstalk);

/// Rise over the die, per watt, at distance d > 0 between two places whose own heaters have the resistances r_a
/// and r_b, K/W; 0 beyond the cut-off. Symmetric in the two: heat flow is reciprocal.
double mutual_resistance_k_per_w(const Crosstalk& crosstalk, double distance_m, double r_a, double r_b);

/// Theta, K/W, symmetric, shape (heaters, heaters): rise of heater i over the die per watt in heater j;
/// Theta_ii = R_i, Theta_ij = mutual resistance. Sparse by the cut-off and found by cells, so the work grows
/// with heaters times neighbours. Throws Error for heaters on one spot, for more than 2^24 entries, and where
/// Theta is not positive definite (then powers exist that cool: too much crosstalk for the pitch, or a cut-off
/// that tears a long-ranged law off too early). Up to 3000 heaters that is certain; beyond, the smallest
/// Lanczos value after 80 steps decides.
SparseMatrix thermal_resistance_matrix(const HeaterArray& heaters, const Crosstalk& crosstalk);

/// The same at other places, K/W, shape (places, heaters) with one place per heater: rise of the reference arm
/// i per watt in heater j, counted with the resistance of heater i for the place. A place at (infinity,
/// infinity) sees nothing. Throws Error for a place on a heater or vectors of another length.
SparseMatrix reference_resistance_matrix(const HeaterArray& heaters, const Crosstalk& crosstalk,
                                         const Vector& x_m, const Vector& y_m);

/// The same for any number of places, K/W, shape (places, heaters), each counted as an arm whose own heater
/// would have `resistance_k_per_w`.
SparseMatrix place_resistance_matrix(const HeaterArray& heaters, const Crosstalk& crosstalk, const Vector& x_m,
                                     const Vector& y_m, double resistance_k_per_w);

}  // namespace optinc
