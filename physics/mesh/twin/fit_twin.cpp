#include "physics/mesh/twin/fit_twin.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "physics/core/check.hpp"
#include "physics/mesh/twin/detail/twin_problem.hpp"
#include "physics/mesh/twin/identifiability.hpp"
#include "physics/mesh/twin/twin_settings_rows.hpp"

namespace optinc {
namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();

/// Settings that the fit sees, and the others.
struct Split {
  std::vector<std::size_t> fitted, held_out;
};

Split split_of(std::size_t settings, double held_out) {
  Split split;
  const auto every =
      held_out > 0.0 ? static_cast<std::size_t>(std::max(2.0, std::round(1 / held_out))) : settings + 1;
  for (std::size_t s = 0; s < settings; ++s)
    (s % every == every - 1 ? split.held_out : split.fitted).push_back(s);
  return split;
}

/// Standard deviation of the bulk, 1.4826 times the median of |r|: a Gaussian's, whatever a few outliers are.
double bulk_deviation(const Eigen::MatrixXd& residuals) {
  std::vector<double> sizes;
  for (const double r : residuals.reshaped())
    if (!std::isnan(r)) sizes.push_back(std::abs(r));
  if (sizes.empty()) return 0.0;
  const auto middle = sizes.begin() + static_cast<std::ptrdiff_t>(sizes.size() / 2);
  std::nth_element(sizes.begin(), middle, sizes.end());
  return 1.4826 * *middle;
}

/// Where Huber's loss bends; residuals far from the end of the fit are no outliers.
double bend_of(const TwinSettings& settings, const Eigen::MatrixXd& residuals) {
  const bool known = settings.noise > 0.0 || settings.noise_relative > 0.0;
  return settings.outlier * std::max(known ? 1.0 : 1e-300, bulk_deviation(residuals));
}

TwinError error_of(const TwinProblem& in_noise, const TwinProblem& in_units, const MeshTwin& twin, bool known) {
  const auto rms = [](const Eigen::MatrixXd& residuals, std::int64_t& count) {
    double sum = 0.0;
    count = 0;
    for (const double r : residuals.reshaped())
      if (!std::isnan(r)) sum += r * r, ++count;
    return count > 0 ? std::sqrt(sum / static_cast<double>(count)) : none;
  };
  TwinError error;
  error.rms = rms(in_units.residuals(twin), error.readings);
  error.sigma = known ? rms(in_noise.residuals(twin), error.readings) : none;
  return error;
}

/// The search: a twin, and how far its parameters have come.
class Search {
 public:
  Search(const TwinProblem& problem, const TwinSettings& settings, const TwinParameters& parameters,
         const MeshTwin& start)
      : problem_(problem),
        settings_(settings),
        parameters_(parameters),
        start_(start),
        twin(start),
        values(Vector::Zero(parameters.size())),
        prior_(Vector::Zero(parameters.size())) {
    for (const auto& block : parameters.blocks())
      if (const double rms = prior_of(settings, block.kind); rms > 0.0)
        prior_.segment(block.first, block.count).setConstant(1 / (rms * rms));
  }

  /// Ends with the normal equations of where it ends, or of some tenth of a standard error beside it.
  void run() {
    double damping = 1e-4;
    set_up(true);
    while (!converged && iterations < settings_.iterations && damping < 1e8) {
      Eigen::MatrixXd damped = normal_.matrix;
      damped.diagonal() += prior_scaled();
      damped.diagonal() += damping * damped.diagonal().cwiseMax(1e-12 * damped.diagonal().maxCoeff());
      const Eigen::LLT<Eigen::MatrixXd, Eigen::Lower> factor(damped);
      const bool moved = factor.info() == Eigen::Success && steps(factor);
      damping = moved ? std::max(1e-10, damping / 30) : 10 * damping;
      if (moved && !converged) set_up(true);
    }
  }

  /// Residuals and normal equations here.
  void set_up(bool matrix) {
    residuals = problem_.residuals(twin);
    bend = bend_of(settings_, residuals);
    normal_ = problem_.normal(twin, residuals, bend, matrix);
    iterations += matrix;
  }

  const NormalEquations& normal() const { return normal_; }
  /// Information of the prior in units of the normal equations: the noise may be unknown.
  Vector prior_scaled() const {
    const double scatter =
        settings_.noise > 0.0 || settings_.noise_relative > 0.0 ? 1.0 : bend / settings_.outlier;
    return prior_ * scatter * scatter;
  }

 private:
  double loss(const Eigen::MatrixXd& at_residuals, const Vector& at) const {
    return TwinProblem::loss(at_residuals, bend) + (prior_scaled().array() * at.array().square()).sum() / 2;
  }

  /// Steps with one factor while each comes nearer by more than a third. False: not even the first one helped.
  bool steps(const Eigen::LLT<Eigen::MatrixXd, Eigen::Lower>& factor) {
    const double scatter = bend / settings_.outlier, enough = 1e-4 * scatter * scatter;
    double here = loss(residuals, values), before = std::numeric_limits<double>::infinity();
    Vector gradient = normal_.gradient;
    const double little = 1e-2 * static_cast<double>(parameters_.size()) * scatter * scatter;
    double first = std::numeric_limits<double>::infinity();
    for (bool moved = false;; moved = true) {
      const Vector slope = gradient - prior_scaled().cwiseProduct(values);
      const Vector step = factor.solve(slope);
      const double gain = slope.dot(step) / 2;
      if (!moved) first = gain;
      const bool there = gain <= enough || step.cwiseAbs().maxCoeff() < 1e-13;
      if (there && (!moved || first <= little)) converged = true;  // by normal equations of next to here
      if (there || gain > before / 2) return true;
      const Vector next = values + step;
      MeshTwin moved_twin = start_;
      parameters_.add(next, moved_twin);
      const Eigen::MatrixXd next_residuals = problem_.residuals(moved_twin);
      const double value = loss(next_residuals, next);
      if (!(value < here)) return moved;
      twin = std::move(moved_twin);
      values = next;
      residuals = next_residuals;
      here = value;
      before = gain;
      gradient = problem_.normal(twin, residuals, bend, false).gradient;
    }
  }

  const TwinProblem& problem_;
  const TwinSettings& settings_;
  const TwinParameters& parameters_;
  const MeshTwin& start_;

 public:
  MeshTwin twin;
  Vector values;
  Eigen::MatrixXd residuals;
  double bend = 0.0;
  int iterations = 0;
  bool converged = false;

 private:
  Vector prior_;
  NormalEquations normal_;
};

/// Variance of an estimate over that of the weighted normal equations: with psi = r up to the bend and +-bend
/// beyond, w its weights, mean(w) mean(psi^2) / mean(psi')^2. The mean of psi^2 is taken over the degrees of
/// freedom.
double scatter_of(const Search& search, Eigen::Index freedoms_less, double& outliers) {
  double weights = 0.0, squares = 0.0, inside = 0.0, count = 0.0;
  for (const double r : search.residuals.reshaped()) {
    if (std::isnan(r)) continue;
    const double size = std::abs(r), psi = std::min(size, search.bend);
    weights += size <= search.bend ? 1.0 : search.bend / size;
    squares += psi * psi;
    inside += size <= search.bend;
    ++count;
  }
  outliers = 1 - inside / count;
  const double freedoms = count - static_cast<double>(freedoms_less);
  if (freedoms < 1.0) return 1.0;  // the prior alone says how sure this is
  return (weights / count) * (squares / freedoms) / std::pow(inside / count, 2);
}

}  // namespace

std::vector<TwinKindReport> reports_of(const TwinParameters& parameters, const Vector& share,
                                       const Vector& variance) {
  std::vector<TwinKindReport> reports;
  for (const auto& [kind, first, count] : parameters.blocks()) {
    TwinKindReport report{kind, count, 0, share.segment(first, count).sum(), none};
    double sum = 0.0;
    for (Eigen::Index p = first; p < first + count; ++p)
      if (share[p] <= told_share) sum += variance[p], ++report.told;
    if (report.told > 0) report.standard_error = std::sqrt(sum / static_cast<double>(report.told));
    reports.push_back(report);
  }
  return reports;
}

TwinFit fit_twin(const TwinData& data, const TwinSettings& settings, const MeshTwin& start) {
  validate_rows(settings);
  validate_twin_data(data);
  const TwinParameters parameters(data.topology, fitted_kinds(settings, !data.fields.empty()));
  validate(parameters.size() > 0,
           "nothing to fit (all of splitters, offsets, heaters, losses and gains are off). "
           "Set one of them.");
  const Split split = split_of(data.settings.size(), settings.held_out);
  const TwinProblem problem(data, settings, parameters, split.fitted);
  Search search(problem, settings, parameters, start);
  search.run();
  validate((search.residuals.array().isFinite()).any(),
           "no reading of the fitted settings is a number. Give some.");

  TwinFit fit;
  Eigen::MatrixXd information = search.normal().matrix;
  Identifiability told = identifiability(information, 2 * data.topology.ports);
  fit.unseen = told.unseen.cols();
  const Vector share = told.unseen_share(), prior = search.prior_scaled();
  if (prior.maxCoeff() > 0.0) {
    information.diagonal() += prior;
    told = identifiability(information, 2 * data.topology.ports);
  }
  const double scatter = scatter_of(search, parameters.size() - fit.unseen, fit.outliers);
  fit.twin = search.twin;
  fit.values = search.values;
  const Vector variance = told.variance * scatter, unknown = told.unseen_share();
  fit.kinds = reports_of(parameters, share, variance);
  fit.deviation =
      (unknown.array() > told_share).select(std::numeric_limits<double>::infinity(), variance.cwiseSqrt());
  fit.standard_error = parameters.spread(data.topology, fit.deviation);
  fit.parameters = parameters.size();
  fit.iterations = search.iterations;
  fit.converged = search.converged;

  TwinSettings plain = settings;
  plain.noise = plain.noise_relative = 0.0;
  const bool known = settings.noise > 0.0 || settings.noise_relative > 0.0;
  const auto error = [&](const std::vector<std::size_t>& used) {
    return error_of({data, settings, parameters, used}, {data, plain, parameters, used}, fit.twin, known);
  };
  fit.fitted = error(split.fitted);
  fit.held_out = error(split.held_out);
  if (settings.losses != TwinLosses::none) raise_losses(data.topology, fit.twin);
  return fit;
}

}  // namespace optinc
