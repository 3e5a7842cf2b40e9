#include "physics/thermal/crosstalk.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include <Eigen/Eigenvalues>
#include <Eigen/SparseCholesky>

#include "physics/core/check.hpp"
#include "physics/core/units.hpp"

namespace optinc {
namespace {

using constants::pi;
using Index = Eigen::Index;

constexpr Index certain_up_to = 3000;    // heaters whose definiteness a Cholesky factorisation decides
constexpr Index most_entries = 1 << 24;  // 200 MB, and up to four such at once: below 1 GB

/// Heaters by square cells at least as wide as the cut-off: all within it lie in the 3 x 3 cells around.
class Cells {
 public:
  Cells(const Vector& x, const Vector& y, double cutoff_m) : x0_(x.minCoeff()), y0_(y.minCoeff()) {
    // No more than about one cell per heater, however far apart they lie.
    const double most = std::ceil(std::sqrt(static_cast<double>(x.size())));
    const auto number = [&](double extent) {
      return static_cast<Index>(std::clamp(std::floor(extent / cutoff_m), 1.0, most));
    };
    const double extent_x = x.maxCoeff() - x0_, extent_y = y.maxCoeff() - y0_;
    nx_ = number(extent_x);
    ny_ = number(extent_y);
    width_ = std::max(extent_x / static_cast<double>(nx_), cutoff_m);
    height_ = std::max(extent_y / static_cast<double>(ny_), cutoff_m);
    begin_.assign(static_cast<std::size_t>(nx_ * ny_ + 1), 0);
    for (Index i = 0; i < x.size(); ++i) ++begin_[cell(x[i], y[i]) + 1];
    for (std::size_t c = 1; c < begin_.size(); ++c) begin_[c] += begin_[c - 1];
    members_.resize(static_cast<std::size_t>(x.size()));
    auto next = begin_;
    for (Index i = 0; i < x.size(); ++i) members_[static_cast<std::size_t>(next[cell(x[i], y[i])]++)] = i;
    x_ = x(members_);
    y_ = y(members_);
  }

  /// Calls visit(i, dx, dy) for every heater in the cells around a place, so far from it.
  template <class Visit>
  void around(double x, double y, Visit visit) const {
    const Index cx = column(x), cy = row(y);
    for (Index r = std::max<Index>(cy - 1, 0); r <= std::min(cy + 1, ny_ - 1); ++r) {
      const auto cell = [&](Index c) { return static_cast<std::size_t>(r * nx_ + c); };
      const Index end = begin_[cell(std::min(cx + 1, nx_ - 1)) + 1];
      for (Index m = begin_[cell(std::max<Index>(cx - 1, 0))]; m < end; ++m)
        visit(members_[static_cast<std::size_t>(m)], x_[m] - x, y_[m] - y);
    }
  }

 private:
  // A place outside the heaters' box counts to the cell at its border: that is still at most one cell too near.
  Index column(double x) const { return std::clamp<Index>(Index(std::floor((x - x0_) / width_)), 0, nx_ - 1); }
  Index row(double y) const { return std::clamp<Index>(Index(std::floor((y - y0_) / height_)), 0, ny_ - 1); }
  std::size_t cell(double x, double y) const { return static_cast<std::size_t>(row(y) * nx_ + column(x)); }

  double x0_, y0_, width_ = 0, height_ = 0;
  Index nx_ = 1, ny_ = 1;
  std::vector<Index> begin_, members_;
  Vector x_, y_;  // of members_
};

double reach_m(const Crosstalk& c) {
  return c.law == CrosstalkLaw::sheet ? std::min(c.cutoff_m, c.sheet_radius_m) : c.cutoff_m;
}

/// Where a rise is asked for, the resistance that it counts with, and the heater that is itself there, or -1.
struct Place {
  double x_m, y_m, resistance_k_per_w;
  Index own;
};

/// What a place sees: calls visit(heater, K/W) with the rise there per watt in each heater, in any order.
template <class Visit>
void neighbours(const HeaterArray& h, const Crosstalk& c, const Cells& cells, const Place& place, Visit visit) {
  if (place.own >= 0) visit(place.own, place.resistance_k_per_w);
  if (c.law == CrosstalkLaw::none) return;
  const double reach_squared = 1.001 * reach_m(c) * reach_m(c);  // and more than any rounding of it
  cells.around(place.x_m, place.y_m, [&](Index i, double dx, double dy) {
    if (i == place.own || dx * dx + dy * dy > reach_squared) return;
    const double distance = std::hypot(dx, dy);
    if (distance > reach_m(c)) return;
    validate(distance > 0,
             "heater {} lies on the spot of another heater or arm, ({}, {}) m (x(d) of {} has no "
             "meaning at d = 0). Move one of them.",
             i, place.x_m, place.y_m, name_of(c.law));
    visit(i, mutual_resistance_k_per_w(c, distance, place.resistance_k_per_w, h.resistance_k_per_w[i]));
  });
}

/// One row per place (places, heaters), r the resistance it counts with.
SparseMatrix rows_of_places(const HeaterArray& h, const Crosstalk& c, const Vector& x, const Vector& y,
                            const Vector& r, bool on_heaters) {
  const Cells cells(h.x_m, h.y_m, reach_m(c));
  std::vector<SparseMatrix::StorageIndex> first = {0}, heaters;
  std::vector<double> values;
  for (Index j = 0; j < x.size(); ++j) {
    if (std::isfinite(x[j]))
      neighbours(h, c, cells, {x[j], y[j], r[j], on_heaters ? j : -1}, [&](Index i, double value) {
        heaters.push_back(static_cast<SparseMatrix::StorageIndex>(i));
        values.push_back(value);
      });
    const auto entries = static_cast<Index>(values.size());
    validate(entries <= most_entries,
             "crosstalk within cutoff_m = {} joins more than {} pairs of heaters (the matrix would fill the "
             "memory). Shorten cutoff_m, or the length it follows from (d0_m).",
             c.cutoff_m, most_entries);
    first.push_back(static_cast<SparseMatrix::StorageIndex>(entries));
  }
  // transposing sorts as it goes
  return Eigen::Map<const SparseMatrix>(h.count(), x.size(), first.back(), first.data(), heaters.data(),
                                        values.data())
      .transpose();
}

/// A smallest eigenvalue of the symmetric m, from above, by Lanczos without reorthogonalisation.
double lanczos_smallest(const SparseMatrix& m, int steps) {
  // Any start that is not orthogonal to what is sought: a sequence without the symmetries of a lattice.
  Vector v =
      Vector::NullaryExpr(m.rows(), [](Index i) { return std::sin(1.0 + 2.399963 * double(i) * double(i)); });
  v.normalize();
  Vector before = Vector::Zero(m.rows()), w(m.rows());
  Vector diagonal(steps), off(steps);
  double beta = 0;
  int k = 0;
  for (; k < steps; ++k) {
    w = m * v - beta * before;
    diagonal[k] = w.dot(v);
    w -= diagonal[k] * v;
    beta = w.norm();
    off[k] = beta;
    if (beta < 1e-12) {
      ++k;
      break;
    }
    before.swap(v);
    v = w / beta;
  }
  Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> ritz;
  ritz.computeFromTridiagonal(diagonal.head(k), off.head(k - 1), Eigen::EigenvaluesOnly);
  return ritz.eigenvalues().minCoeff();
}

void validate_places(const Vector& x_m, const Vector& y_m) {
  constexpr double far = std::numeric_limits<double>::infinity();
  for (Index i = 0; i < x_m.size(); ++i)
    validate((std::isfinite(x_m[i]) && std::isfinite(y_m[i])) || (x_m[i] == far && y_m[i] == far),
             "place {} of an arm at ({}, {}) is not finite (metres on the die; both infinite for one far from "
             "all heat). Give finite positions.",
             i, x_m[i], y_m[i]);
}

std::string what_to_lower(const Crosstalk& c) {
  if (c.law == CrosstalkLaw::exponential)
    return fmt::format("x0 = {} with d0_m = {} and cutoff_m = {}", c.x0, c.d0_m, c.cutoff_m);
  return fmt::format("{} crosstalk with conductivity_w_per_m_k = {} and cutoff_m = {}", name_of(c.law),
                     c.conductivity_w_per_m_k, c.cutoff_m);
}

void validate_positive_definite(const HeaterArray& h, const Crosstalk& c, const SparseMatrix& theta) {
  const Vector scale = h.resistance_k_per_w.cwiseSqrt().cwiseInverse();
  const SparseMatrix x = scale.asDiagonal() * theta * scale.asDiagonal();  // 1 on the diagonal, x(d) beside it
  double widest = 0;  // Gershgorin: off-diagonal sums below 1 settle it
  for (Index j = 0; j < x.cols(); ++j) {
    double sum = -1;
    for (SparseMatrix::InnerIterator it(x, j); it; ++it) sum += std::abs(it.value());
    widest = std::max(widest, sum);
  }
  if (widest < 1) return;
  const bool certain = x.rows() <= certain_up_to;
  const bool definite =
      certain ? Eigen::SimplicialLLT<SparseMatrix>(x).info() == Eigen::Success : lanczos_smallest(x, 80) > 0;
  validate(
      definite,
      "{}: the crosstalk of these {} heaters is not positive definite (smallest eigenvalue of the matrix of "
      "x(d) is {:.3g}, it must be > 0; sums of x(d) over the neighbours reach {:.3g}, below 1 is always "
      "safe). Lower the amplitude, space the heaters wider, or lengthen the cut-off.",
      what_to_lower(c), h.count(), lanczos_smallest(x, static_cast<int>(std::min<Index>(80, x.rows()))),
      widest);
}

}  // namespace

void validate_crosstalk(const Crosstalk& c) {
  validate(c.x0 >= 0 && c.x0 <= 1,
           "crosstalk x0 = {} (a share of the heater's own rise, 0 .. 1). Give 0 <= x0 <= 1.", c.x0);
  for (const auto& [name, value] :
       {std::pair{"d0_m", c.d0_m}, std::pair{"conductivity_w_per_m_k", c.conductivity_w_per_m_k},
        std::pair{"sheet_thickness_m", c.sheet_thickness_m}, std::pair{"sheet_radius_m", c.sheet_radius_m},
        std::pair{"cutoff_m", c.cutoff_m}})
    validate(std::isfinite(value) && value > 0, "crosstalk {} = {} (finite and > 0). Give a positive {}.", name,
             value, name);
}

std::vector<Warning> crosstalk_warnings(const Crosstalk& c) {
  std::vector<Warning> warnings;
  if (c.law != CrosstalkLaw::exponential) return warnings;
  if (c.x0 > 0.1)
    warnings.push_back(
        {"x0", fmt::format("x0 = {} is above 0.1, more than neighbours on a die are measured to get", c.x0)});
  if (c.d0_m < 20e-6 * (1 - 1e-9) || c.d0_m > 150e-6 * (1 + 1e-9))
    warnings.push_back(
        {"d0_m", fmt::format("d0_m = {} is outside 20e-6..150e-6 m, where measured lengths lie", c.d0_m)});
  return warnings;
}

double mutual_resistance_k_per_w(const Crosstalk& c, double distance_m, double r_a, double r_b) {
  if (distance_m > reach_m(c)) return 0.0;
  switch (c.law) {
    case CrosstalkLaw::none:
      return 0.0;
    case CrosstalkLaw::exponential:
      return std::sqrt(r_a * r_b) * c.x0 * std::exp(-distance_m / c.d0_m);
    case CrosstalkLaw::sheet:
      return std::log(c.sheet_radius_m / distance_m) /
             (2 * pi * c.conductivity_w_per_m_k * c.sheet_thickness_m);
    case CrosstalkLaw::half_space:
      return 1 / (2 * pi * c.conductivity_w_per_m_k * distance_m);
  }
  throw Error(fmt::format("crosstalk law {} (none of the enumeration). Name one.", static_cast<int>(c.law)));
}

SparseMatrix thermal_resistance_matrix(const HeaterArray& heaters, const Crosstalk& crosstalk) {
  validate_heaters(heaters);
  validate_crosstalk(crosstalk);
  SparseMatrix theta =
      rows_of_places(heaters, crosstalk, heaters.x_m, heaters.y_m, heaters.resistance_k_per_w, true);
  validate_positive_definite(heaters, crosstalk, theta);
  return theta;
}

SparseMatrix reference_resistance_matrix(const HeaterArray& heaters, const Crosstalk& crosstalk,
                                         const Vector& x_m, const Vector& y_m) {
  validate_heaters(heaters);
  validate_crosstalk(crosstalk);
  validate(x_m.size() == heaters.count() && y_m.size() == heaters.count(),
           "{} x and {} y positions of reference arms for {} heaters (one each). Give one place per heater.",
           x_m.size(), y_m.size(), heaters.count());
  validate_places(x_m, y_m);
  return rows_of_places(heaters, crosstalk, x_m, y_m, heaters.resistance_k_per_w, false);
}

SparseMatrix place_resistance_matrix(const HeaterArray& heaters, const Crosstalk& crosstalk, const Vector& x_m,
                                     const Vector& y_m, double resistance_k_per_w) {
  validate_heaters(heaters);
  validate_crosstalk(crosstalk);
  validate(x_m.size() == y_m.size(), "{} x and {} y positions of places (as many of both). Give pairs.",
           x_m.size(), y_m.size());
  validate_places(x_m, y_m);
  return rows_of_places(heaters, crosstalk, x_m, y_m, Vector::Constant(x_m.size(), resistance_k_per_w), false);
}

}  // namespace optinc
