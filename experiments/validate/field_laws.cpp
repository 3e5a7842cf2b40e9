#include <algorithm>
#include <cmath>

#include "experiments/validate/laws.hpp"
#include "experiments/validate/measure.hpp"
#include "physics/variation/random_field.hpp"

// Random fields of fabrication: both samplers, both kernels, 20 x 20 sites a fifth of the correlation length
// apart.

namespace optinc {
namespace {

constexpr int side = 20, steps_per_length = 5;
constexpr double length_m = 1e-3;

struct Sampler {
  Kernel kernel;
  FieldMethod method;

  bool smooth() const { return kernel == Kernel::gaussian; }
  std::string name() const {
    return std::string(smooth() ? "gaussian" : "exponential") +
           (method == FieldMethod::cholesky ? ", Cholesky" : ", circulant");
  }
  double covariance(double d) const { return std::exp(smooth() ? -d * d : -d); }

  RandomField factorised() const {
    Sites sites = {Vector(side * side), Vector(side * side)};
    for (int i = 0; i < side * side; ++i) {
      const int row = i / side, column = i % side;
      sites.x_m[i] = column * length_m / steps_per_length;
      sites.y_m[i] = row * length_m / steps_per_length;
    }
    FieldSettings settings;
    settings.method = method;
    return factorise_field(sites, kernel, length_m, settings);
  }
};

Vector draw(const RandomField& field, const LawTrial& trial) {
  Stream stream = trial.stream(Purpose::process_field);
  return draw_field(field, stream);
}

/// Mean over all pairs of sites `steps` apart along x or y of f f'.
double pair_mean(const Vector& values, int steps) {
  double sum = 0.0;
  const int across = side - steps;
  for (int i = 0; i < side; ++i)
    for (int j = 0; j < across; ++j)
      sum += values[side * i + j] * values[side * i + j + steps] +
             values[side * j + i] * values[side * (j + steps) + i];
  return sum / (2.0 * side * across);
}

Measured covariance_at(const Sampler& sampler, double distance, const Effort& effort) {
  const RandomField field = sampler.factorised();
  return over_trials(Statistic::mean, [&](double d, const LawTrial& trial) {
    return pair_mean(draw(field, trial), static_cast<int>(std::lround(steps_per_length * d)));
  })(distance, effort);
}

/// Over all pairs of sites the largest |cov - C|, in units of its standard deviation sqrt((1 + C^2)/R).
Measured worst_pair(const Sampler& sampler, const Effort& effort) {
  const RandomField field = sampler.factorised();
  Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(side * side, side * side);
  constexpr int batch = 100;
  Eigen::MatrixXd draws(side * side, batch);
  int count = 0;
  for (std::uint32_t first = 0; count < effort.trials; first += batch) {
    const int here = std::min(batch, effort.trials - count);
    run_trials(
        [&](double, const LawTrial& trial) {
          draws.col(trial.number) = draw(field, {trial.seed, first + trial.number});
          return 0.0;
        },
        0, {here, effort.seed, effort.trial_done});
    sum.selfadjointView<Eigen::Lower>().rankUpdate(draws.leftCols(here));
    count += here;
  }
  double worst = 0.0;
  for (int i = 0; i < side * side; ++i)
    for (int j = 0; j <= i; ++j) {
      const double c =
          sampler.covariance(std::hypot(i % side - j % side, i / side - j / side) / steps_per_length);
      const double off = std::abs(sum(i, j) / count - c) * std::sqrt(count / (1 + c * c));
      if (std::isnan(off)) return {off, 0.0, {}};
      worst = std::max(worst, off);
    }
  return {worst, 0.0, {}};
}

Law covariance_law(Sampler sampler) {
  return {.row = "22",
          .name = "field covariance, " + sampler.name(),
          .kind = LawKind::monte_carlo,
          .formula = sampler.smooth() ? "exp(-(d/l)^2)" : "exp(-d/l)",
          .quantity = "covariance at a distance",
          .sample = "mean over pairs of sites of one field",
          .expected = [=](double d) { return sampler.covariance(d); },
          .absolute_tolerance = 0.03,
          .measure = [=](double d, const Effort& effort) { return covariance_at(sampler, d, effort); },
          .axis = {"d", "1", "distance in units of the correlation length"},
          .points = {{0, 8000}, {0.2, 8000}, {0.6, 8000}, {1, 8000}, {2, 8000}}};
}

Law worst_pair_law(Sampler sampler) {
  return {.row = "22",
          .name = "worst pair of a field, " + sampler.name(),
          .kind = LawKind::analytic,
          .formula = "max |cov - C| below 6 standard deviations, 400 sites, R = 4000",
          .quantity = "largest |cov - C| / sqrt((1 + C^2)/R)",
          .expected = constant(0),
          .absolute_tolerance = 6,
          .measure = [=](double, const Effort& effort) { return worst_pair(sampler, effort); },
          .points = {{0, 4000}}};
}

}  // namespace

std::vector<Law> field_laws() {
  std::vector<Law> list;
  for (const Kernel kernel : {Kernel::gaussian, Kernel::exponential})
    for (const FieldMethod method : {FieldMethod::cholesky, FieldMethod::circulant}) {
      list.push_back(covariance_law({kernel, method}));
      list.push_back(worst_pair_law({kernel, method}));
    }
  return list;
}

}  // namespace optinc
