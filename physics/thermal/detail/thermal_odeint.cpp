// The two ways that need Boost.Odeint.

#include <algorithm>
#include <functional>
#include <vector>

#include <boost/numeric/odeint.hpp>

#include "physics/thermal/detail/stiff_step.hpp"
#include "physics/thermal/detail/thermal_steps.hpp"

namespace optinc {
namespace {

namespace odeint = boost::numeric::odeint;
using Index = Eigen::Index;

}  // namespace

void run_dopri5(const ThermalRun& run, double fastest_rate_per_s, Eigen::MatrixXd& out) {
  using State = std::vector<double>;
  const Index states = out.rows();
  const Vector per_capacity = run.system.capacity_j_per_k.cwiseInverse();
  Vector heat(states);  // scratch of the flow
  const auto flow = [&](const State& y, State& rate, double t) {
    const auto behind = std::upper_bound(run.times_s.begin() + 1, run.times_s.end() - 1, t);
    const auto k = static_cast<std::size_t>(behind - run.times_s.begin()) - 1;
    const double ambient = run.ambient_k[k] + run.slope_k_per_s(k) * (t - run.times_s[k]);
    heat.noalias() = -(run.system.conductance_w_per_k * Eigen::Map<const Vector>(y.data(), states));
    heat.head(states - 1) += run.power_w;
    heat[states - 1] += run.die_to_ambient_w_per_k * ambient;
    Eigen::Map<Vector>(rate.data(), states) = heat.cwiseProduct(per_capacity);
  };
  State y(out.col(0).begin(), out.col(0).end());
  Index k = 0;
  odeint::integrate_times(odeint::make_dense_output<odeint::runge_kutta_dopri5<State>>(1e-10, 1e-10),
                          std::cref(flow), y, run.times_s.begin(), run.times_s.end(), 1e-2 / fastest_rate_per_s,
                          [&](const State& s, double) {
                            if (k > 0) out.col(k) = Eigen::Map<const Vector>(s.data(), states);
                            ++k;
                          });
}

void run_rosenbrock4(const ThermalRun& run, Eigen::MatrixXd& out) {
  const Index states = out.rows(), die = states - 1;
  const Vector per_capacity = run.system.capacity_j_per_k.cwiseInverse();
  const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> rates =
      -(per_capacity.asDiagonal() * Eigen::MatrixXd(run.system.conductance_w_per_k));
  const double die_rate = run.die_to_ambient_w_per_k * per_capacity[die];
  Vector forcing = Vector::Zero(states), slope = Vector::Zero(states), y = out.col(0);
  forcing.head(die) = run.power_w.cwiseProduct(per_capacity.head(die));
  // From instant to instant: the ambient has kinks there, which a long step would not see.
  for (std::size_t k = 0; k + 1 < run.instants(); ++k) {
    forcing[die] = die_rate * run.ambient_k[k];
    slope[die] = die_rate * run.slope_k_per_s(k);
    rosenbrock4_linear(static_cast<std::size_t>(states), rates.data(), forcing.data(), slope.data(),
                       run.times_s[k + 1] - run.times_s[k], 1e-9, y.data());
    out.col(static_cast<Index>(k) + 1) = y;
  }
}

}  // namespace optinc
