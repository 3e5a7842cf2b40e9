#include "physics/mesh/fit.hpp"

#include <algorithm>
#include <cmath>
#include <deque>

#include "physics/core/check.hpp"
#include "physics/core/units.hpp"
#include "physics/devices/phase_shifter.hpp"
#include "physics/mesh/correction.hpp"
#include "physics/mesh/engine/mesh_engine.hpp"
#include "physics/random/stream.hpp"

namespace optinc {
namespace {

/// All phases of a program behind one another.
Vector packed(const Vector& theta, const Vector& phi, const Vector& output) {
  Vector all(theta.size() + phi.size() + output.size());
  all << theta, phi, output;
  return all;
}

MeshProgram unpacked(const Vector& all, Eigen::Index mzis) {
  return {all.head(mzis), all.segment(mzis, mzis), all.tail(all.size() - 2 * mzis)};
}

/// E^2 of fit_program() and its gradient.
class Loss {
 public:
  Loss(const MeshTopology& topology, const MeshErrors& errors, const Matrix& target, const FitOptions& options)
      : engine_(topology),
        errors_(errors),
        target_(target),
        free_(options.scale),
        quadrature_(options.in_phase ? options.oscillator_rad * options.oscillator_rad : 1.0),
        weight_(options.row_weight.size() > 0 ? options.row_weight : Vector::Ones(target.rows())),
        scale_(Vector::Ones(target.rows())),
        seen_(scale_) {
    if (options.in_phase) target_.imag().setZero();
    added_ = options.noise * options.noise * target_.rowwise().squaredNorm();
  }

  double operator()(const Vector& phases, Vector& gradient) {
    const Eigen::Index n = target_.rows();
    engine_.settle(unpacked(phases, engine_.topology().mzi_count()), errors_, true);
    FieldBatch unit(Matrix(Matrix::Identity(n, n)));
    FieldBatch outputs = unit;
    engine_.propagate(outputs);
    if (free_ != FitScale::fixed) {
      scale_ = best_scale(outputs, added_);
      seen_ = best_scale(outputs, Vector::Zero(n));
    }
    const Vector per_unit = scale_.cwiseInverse();
    Matrix difference = per_unit.asDiagonal() * outputs.complex();
    difference -= target_;
    const double value = weight_.dot(difference.real().rowwise().squaredNorm() +
                                     quadrature_ * difference.imag().rowwise().squaredNorm() +
                                     added_.cwiseProduct(per_unit.cwiseAbs2())) /
                         static_cast<double>(n);
    // the best scale has no slope of its own
    difference.imag() *= quadrature_;
    const Vector slope = 2.0 / static_cast<double>(n) * weight_.cwiseProduct(per_unit);
    FieldBatch gradients(Matrix(slope.asDiagonal() * difference));
    const auto g = engine_.backward(unit, outputs, gradients).parameters;
    gradient = packed(g.theta, g.phi, g.output_phase);
    return value;
  }

  /// Of the last phases: what receivers see of each row, whatever they add to it.
  const Vector& scale() const { return seen_; }

 private:
  /// (|T_r|_q^2 + noise) / <T_r, U_r>_q of every row or of all; as large as what is passed where nothing wanted
  /// is.
  Vector best_scale(const FieldBatch& outputs, const Vector& added) const {
    Vector passed =
               outputs.re.rowwise().squaredNorm() + quadrature_ * outputs.im.rowwise().squaredNorm() + added,
           wanted = outputs.re.cwiseProduct(target_.real()).rowwise().sum() +
                    quadrature_ * outputs.im.cwiseProduct(target_.imag()).rowwise().sum();
    if (free_ == FitScale::common) {
      const double passed_by_all = weight_.dot(passed), wanted_by_all = weight_.dot(wanted);
      passed.setConstant(passed_by_all / weight_.sum());
      wanted.setConstant(wanted_by_all / weight_.sum());
    }
    constexpr double least_cosine = 0.1;
    return passed.binaryExpr(wanted, [](double p, double w) {
      const double least = least_cosine * std::sqrt(p);
      return p > 0 ? p / std::max(w, least) : 1.0;
    });
  }

  MeshEngine<double> engine_;
  const MeshErrors& errors_;
  Matrix target_;
  FitScale free_;
  double quadrature_;
  Vector weight_, scale_, seen_, added_;
};

struct Pair {
  Vector step, change;  ///< of phases and of the gradient
  double along;         ///< their scalar product
};

/// The two-loop recursion: minus the inverse Hessian that the pairs tell of, times the gradient.
Vector direction(const std::deque<Pair>& pairs, const Vector& gradient) {
  Vector q = -gradient;
  std::vector<double> weight(pairs.size());
  for (std::size_t i = pairs.size(); i-- > 0;) {
    weight[i] = pairs[i].step.dot(q) / pairs[i].along;
    q -= weight[i] * pairs[i].change;
  }
  if (!pairs.empty()) q *= pairs.back().along / pairs.back().change.squaredNorm();
  for (std::size_t i = 0; i < pairs.size(); ++i)
    q += (weight[i] - pairs[i].change.dot(q) / pairs[i].along) * pairs[i].step;
  return q;
}

}  // namespace

FittedProgram fit_program(const MeshTopology& topology, const MeshErrors& errors, const Matrix& target,
                          const MeshProgram& start, const FitOptions& options) {
  validate(target.rows() == topology.ports && target.cols() == topology.ports,
           "target of {} x {} for a mesh of {} ports (one row and column each). Give a square one.",
           target.rows(), target.cols(), topology.ports);
  validate(options.row_weight.size() == 0 || options.row_weight.size() == topology.ports,
           "{} weights of rows of a mesh of {} ports (one each, or none). Give as many.",
           options.row_weight.size(), topology.ports);
  Loss loss(topology, errors, target, options);
  Vector phases = packed(start.theta, start.phi, start.output_phase), gradient;
  if (options.start_rad > 0) {
    Stream stream(1, Purpose::fit_start);
    for (double& phase : phases) phase += options.start_rad * stream.normal();
  }
  double value = loss(phases, gradient);
  constexpr double least_lowered = 1e-15;  // of the loss: a step past a saddle lowers it by 1e-13
  std::deque<Pair> pairs;
  int steps = 0;
  while (steps < options.steps && value > options.tolerance * options.tolerance && !gradient.isZero(0)) {
    ++steps;
    Vector along = direction(pairs, gradient);
    if (along.dot(gradient) >= 0) {  // the pairs tell nothing of use here
      pairs.clear();
      along = -gradient;
    }
    constexpr double longest_rad = 1.0;  // of any phase: pairs of rounding promise minima at any distance
    along *= std::min(1.0, longest_rad / along.cwiseAbs().maxCoeff());
    const double slope = along.dot(gradient);
    double length = 1.0, next_value = value;
    Vector next, next_gradient;
    constexpr int halvings = 40;
    for (int tries = 0; tries < halvings; ++tries, length /= 2) {
      next = phases + length * along;
      next_value = loss(next, next_gradient);
      if (next_value <= value + 1e-4 * length * slope) break;
    }
    if (value - next_value <= least_lowered * value) {
      if (pairs.empty()) break;  // a minimum to rounding
      pairs.clear();             // which may have led astray
      continue;
    }
    Pair pair{next - phases, next_gradient - gradient, 0.0};
    pair.along = pair.step.dot(pair.change);
    if (pair.along > 1e-12 * pair.step.norm() * pair.change.norm()) pairs.push_back(pair);
    if (pairs.size() > static_cast<std::size_t>(options.memory)) pairs.pop_front();
    phases = next;
    gradient = next_gradient;
    value = next_value;
  }
  if (options.scale != FitScale::fixed) loss(phases, gradient);  // the line search tried others since
  return {unpacked(phases.unaryExpr(&wrap_phase), topology.mzi_count()), std::sqrt(value), steps, loss.scale()};
}

FittedRealProgram fit_real_program(const MeshTopology& topology, const MeshProgram& ideal,
                                   const MeshErrors& errors, double oscillator_rad, int steps) {
  const Matrix target = transfer_matrix(topology, ideal, no_errors(topology));
  constexpr double real_to = 1e-6;
  validate(target.imag().cwiseAbs().maxCoeff() < real_to,
           "a matrix with an imaginary part of {:.2g} (homodyne receivers see real ones). Give a real one, or "
           "correct splitters alone.",
           target.imag().cwiseAbs().maxCoeff());
  validate_errors(topology, errors);
  MeshProgram start =
      correct_splitters(topology, ideal, errors.alpha, errors.beta, Clipping::quadrature).program;
  start.theta -= errors.theta_offset;
  start.phi -= errors.phi_offset;
  start.output_phase -= errors.output_offset;
  FittedProgram fitted = fit_program(topology, errors, target, start,
                                     {.steps = steps,
                                      .memory = 40,
                                      .in_phase = true,
                                      .oscillator_rad = oscillator_rad,
                                      .scale = FitScale::common,
                                      .start_rad = 0.02});
  double mean_db = 0.0;
  for (const Vector* arms : {&errors.theta_arm_loss_db, &errors.phi_arm_loss_db, &errors.theta_other_loss_db,
                             &errors.phi_other_loss_db})
    mean_db += 2 * arms->mean() / 4 * topology.columns();
  return {std::move(fitted.program), fitted.error,
          loss_db_of_power_ratio(std::pow(fitted.scale[0], 2)) - mean_db};
}

}  // namespace optinc
