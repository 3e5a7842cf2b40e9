#include <cmath>
#include <limits>

#include "experiments/validate/closed_forms.hpp"
#include "experiments/validate/laws.hpp"
#include "experiments/validate/trained_blocks.hpp"
#include "experiments/validate/variant_mesh.hpp"
#include "physics/mesh/correction.hpp"
#include "physics/mesh/engine/mesh_engine.hpp"
#include "physics/variation/chip_errors.hpp"

// Do the laws of Haar-random matrices hold for the matrices that training makes? The expected values are the
// same closed forms. A single matrix of 64 ports strays from the mean over all by some 6 % at 0.01 rad (few of
// its MZIs stand near cross, and they make all of the error), one of 128 by 3 %; the tolerances leave room for
// four of them.

namespace optinc {
namespace {

const LawAxis sigma_eta = {"sigma", "rad", "rms error of the splitters"};

std::string task_name(TrainedTask task) { return task == TrainedTask::eight_bit ? "8-bit" : "4-bit"; }

/// A law's fields that depend on the network alone.
Law law_of(TrainedTask task, std::string row, const std::string& name, const std::string& formula) {
  const bool large = task == TrainedTask::eight_bit;
  Law law;
  law.row = std::move(row);
  law.name = name + ", trained " + task_name(task);
  law.formula = formula + ", N = " + std::to_string(trained_ports(task));
  law.in_quick_run = !large;
  law.stated_seconds = large ? 10 : 1;
  return law;
}

/// What one programmed mesh with errors in its splitters is against its target.
struct Deviation {
  double whole = 0.0;     ///< E
  double in_phase = 0.0;  ///< of the real part alone
};
Deviation deviation(const TrainedBlock& block, bool correct, double sigma, const LawTrial& trial) {
  const int n = static_cast<int>(block.target.rows());
  const MeshTopology topology = clements_topology(n);
  const MeshErrors errors = draw_mesh_errors(topology, splitter_errors(sigma),
                                             {trial.seed, trial.number, static_cast<std::uint32_t>(n)});
  const MeshProgram program =
      correct ? correct_splitters(topology, block.program, errors.alpha, errors.beta).program : block.program;
  const Matrix off = transfer_matrix(topology, program, errors) - block.target;
  return {off.norm() / std::sqrt(n), off.real().norm() / std::sqrt(n)};
}

/// rms over trials, which take the blocks in turn; NaN where the network was not trained to the end.
Measure over_blocks(TrainedTask task, bool correct, double Deviation::*part) {
  return [=](double sigma, const Effort& effort) -> Measured {
    const auto& blocks = trained_blocks(task);
    if (blocks.empty()) return {std::numeric_limits<double>::quiet_NaN(), 0.0, {}};
    return over_trials(Statistic::rms, [&](double s, const LawTrial& trial) {
      return deviation(blocks[trial.number % blocks.size()], correct, s, trial).*part;
    })(sigma, effort);
  };
}

Law rms_law(Law law, double tolerance, std::function<double(double)> expected, Measure measure,
            std::vector<LawPoint> points) {
  law.kind = LawKind::monte_carlo;
  law.quantity = "rms error E over chips";
  law.sample = "E of one mesh, the network's largest blocks in turn";
  law.expected = std::move(expected);
  law.relative_tolerance = tolerance;
  law.measure = std::move(measure);
  law.axis = sigma_eta;
  law.points = std::move(points);
  return law;
}

/// Largest E over the blocks, balanced three-splitter MZIs corrected; NaN where one clips.
Law balanced_law(TrainedTask task) {
  Law law = law_of(task, "13b", "balanced MZIs exact", "0 clips and E = 0, sigma = 0.05");
  law.quantity = "largest E";
  law.expected = constant(0);
  law.absolute_tolerance = 1e-11;
  law.measure = [=](double x, const Effort& effort) -> Measured {
    const auto& blocks = trained_blocks(task);
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    if (blocks.empty()) return {nan, 0.0, {}};
    return largest_of([&](double, const LawTrial& trial) {
      const CorrectedVariant c =
          corrected_variant(MziKind::balanced, blocks[trial.number % blocks.size()].target, 0.05, trial);
      return c.clipped > 0 ? nan : c.error;
    })(x, effort);
  };
  law.points = {{0, 8}};
  return law;
}

}  // namespace

std::vector<Law> trained_laws() {
  std::vector<Law> list;
  for (const TrainedTask task : {TrainedTask::four_bit, TrainedTask::eight_bit}) {
    const double n = trained_ports(task);
    const bool large = task == TrainedTask::eight_bit;
    const std::vector<LawPoint> points = large ? std::vector<LawPoint>{{0.005, 400}, {0.01, 200}, {0.02, 200}}
                                               : std::vector<LawPoint>{{0.01, 800}, {0.02, 400}, {0.03, 400}};
    const std::vector<LawPoint> weak = large ? std::vector<LawPoint>{{0.0025, 100}, {0.005, 100}, {0.01, 100}}
                                             : std::vector<LawPoint>{{0.005, 400}, {0.01, 400}, {0.02, 400}};
    const auto corrected = [n](double sigma) { return corrected_orthogonal_error(n, sigma); };
    const double tolerance = large ? 0.08 : 0.12;
    list.push_back(rms_law(law_of(task, "10", "Ec corrected", "about 0.800 N^(3/4) sigma^(3/2)"), tolerance,
                           corrected, over_blocks(task, true, &Deviation::whole), points));
    list.push_back(rms_law(
        law_of(task, "10b", "in phase, uncorrected", "sqrt(3) sigma^2 (N-1)"), 0.05,
        [n](double sigma) { return std::sqrt(3.0) * sigma * sigma * (n - 1); },
        over_blocks(task, false, &Deviation::in_phase), weak));
    list.push_back(rms_law(law_of(task, "10b", "in phase, corrected", "about 0.800 N^(3/4) sigma^(3/2)"),
                           tolerance, corrected, over_blocks(task, true, &Deviation::in_phase), points));
    list.push_back(balanced_law(task));
  }
  return list;
}

}  // namespace optinc
