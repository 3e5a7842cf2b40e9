#include "physics/mesh/fit.hpp"

#include <cmath>
#include <deque>

#include "physics/core/check.hpp"
#include "physics/devices/phase_shifter.hpp"
#include "physics/mesh/engine/mesh_engine.hpp"

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

/// The loss |U - target|_F^2 / N and its gradient.
class Loss {
 public:
  Loss(const MeshTopology& topology, const MeshErrors& errors, const Matrix& target, const FitOptions& options)
      : engine_(topology),
        errors_(errors),
        target_(target),
        in_phase_(options.in_phase),
        outputs_(options.outputs) {}

  double operator()(const Vector& phases, Vector& gradient) {
    const Eigen::Index n = target_.rows();
    engine_.settle(unpacked(phases, engine_.topology().mzi_count()), errors_, true);
    FieldBatch unit(Matrix(Matrix::Identity(n, n)));
    FieldBatch outputs = unit;
    engine_.propagate(outputs);
    Matrix difference = outputs.complex() - target_;
    if (in_phase_) difference.imag().setZero();
    if (outputs_ > 0) difference.bottomRows(n - outputs_).setZero();
    FieldBatch slope(Matrix(2.0 / static_cast<double>(n) * difference));
    const auto g = engine_.backward(unit, outputs, slope).parameters;
    gradient = packed(g.theta, g.phi, g.output_phase);
    return difference.squaredNorm() / static_cast<double>(n);
  }

 private:
  MeshEngine<double> engine_;
  const MeshErrors& errors_;
  const Matrix& target_;
  bool in_phase_;
  int outputs_;
};

struct Pair {
  Vector step, change;  ///< of phases and of the gradient
};

/// The two-loop recursion: minus the inverse Hessian that the pairs tell of, times the gradient.
Vector direction(const std::deque<Pair>& pairs, const Vector& gradient) {
  Vector q = -gradient;
  std::vector<double> weight(pairs.size());
  for (std::size_t i = pairs.size(); i-- > 0;) {
    weight[i] = pairs[i].step.dot(q) / pairs[i].step.dot(pairs[i].change);
    q -= weight[i] * pairs[i].change;
  }
  if (!pairs.empty()) q *= pairs.back().step.dot(pairs.back().change) / pairs.back().change.squaredNorm();
  for (std::size_t i = 0; i < pairs.size(); ++i)
    q += (weight[i] - pairs[i].change.dot(q) / pairs[i].step.dot(pairs[i].change)) * pairs[i].step;
  return q;
}

}  // namespace

FittedProgram fit_program(const MeshTopology& topology, const MeshErrors& errors, const Matrix& target,
                          const MeshProgram& start, const FitOptions& options) {
  validate(target.rows() == topology.ports && target.cols() == topology.ports,
           "target of {} x {} for a mesh of {} ports (one row and column each). Give a square one.",
           target.rows(), target.cols(), topology.ports);
  validate(options.outputs >= 0 && options.outputs <= topology.ports,
           "{} outputs of {} ports count (0 for all). Set a value in this range.", options.outputs,
           topology.ports);
  Loss loss(topology, errors, target, options);
  Vector phases = packed(start.theta, start.phi, start.output_phase), gradient;
  double value = loss(phases, gradient);
  std::deque<Pair> pairs;
  int steps = 0;
  for (; steps < options.steps && value > options.tolerance * options.tolerance; ++steps) {
    Vector along = direction(pairs, gradient);
    if (along.dot(gradient) >= 0) {  // the pairs tell nothing of use here
      pairs.clear();
      along = -gradient;
    }
    const double slope = along.dot(gradient);
    double length = 1.0, next_value = value;
    Vector next, next_gradient;
    constexpr int halvings = 40;
    int tries = 0;
    for (; tries < halvings; ++tries, length /= 2) {
      next = phases + length * along;
      next_value = loss(next, next_gradient);
      if (next_value <= value + 1e-4 * length * slope) break;
    }
    if (tries == halvings) break;  // no step lowers the loss: a minimum to rounding
    Pair pair{next - phases, next_gradient - gradient};
    if (pair.step.dot(pair.change) > 1e-12 * pair.step.norm() * pair.change.norm()) pairs.push_back(pair);
    if (pairs.size() > static_cast<std::size_t>(options.memory)) pairs.pop_front();
    phases = next;
    gradient = next_gradient;
    value = next_value;
  }
  return {unpacked(phases.unaryExpr(&wrap_phase), topology.mzi_count()), std::sqrt(value), steps};
}

}  // namespace optinc
