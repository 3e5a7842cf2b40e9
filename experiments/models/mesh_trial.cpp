#include <cmath>

#include "experiments/models/trial_model.hpp"
#include "physics/core/units.hpp"
#include "physics/mesh/correction.hpp"
#include "physics/mesh/decomposition.hpp"
#include "physics/mesh/propagation.hpp"
#include "physics/random/haar.hpp"
#include "physics/variation/chip_errors.hpp"

namespace optinc {
namespace {

Matrix target_of(const StudyConfig& config, std::uint32_t trial) {
  Stream stream(config.run.seed, Purpose::haar, trial);
  if (config.mesh.target == "orthogonal") return haar_orthogonal(config.mesh.ports, stream).cast<Complex>();
  return haar_unitary(config.mesh.ports, stream);
}

CorrectedProgram programmed(std::string_view variant, const MeshTopology& topology, const MeshProgram& ideal,
                            const MeshErrors& errors) {
  if (variant == "uncorrected") return {ideal, 0};
  return correct_splitters(topology, ideal, errors.alpha, errors.beta,
                           variant == "corrected_nearest" ? Clipping::nearest : Clipping::quadrature);
}

/// The value of one metric of a mesh that should be `target` (N, N) and is `found`, losses included.
double measured(std::string_view metric, const Matrix& found, const Matrix& target, double nominal_factor,
                int clipped) {
  const auto n = static_cast<double>(target.rows());
  if (metric == "mesh_error") return (found / nominal_factor - target).norm() / std::sqrt(n);
  if (metric == "mesh_error_in_phase") return (found / nominal_factor - target).real().norm() / std::sqrt(n);
  if (metric == "fidelity")
    return std::norm((target.conjugate().cwiseProduct(found)).sum()) / (n * found.squaredNorm());
  if (metric == "insertion_loss") return -10 * std::log10(found.squaredNorm() / n);
  if (metric == "mesh_clipped") return clipped;
  return std::nan("");
}

}  // namespace

TrialModel mesh_model(const StudyConfig& config) {
  TrialModel model = model_layout(config, 0);
  model.run = [variants = measured_variants(config), quantities = model.quantities](
                  const StudyConfig& at_point, std::uint32_t trial, std::span<double> record) {
    const MeshTopology topology = clements_topology(at_point.mesh.ports);
    const Matrix target = target_of(at_point, trial);
    const MeshProgram ideal = decompose_clements(target);
    const MeshErrors errors = draw_mesh_errors(topology, at_point.chip, {at_point.run.seed, trial, 0});
    // calibration knows the design's mean loss, not the draw of one mesh
    const double nominal =
        std::pow(field_ratio_of_loss_db(2 * mean_arm_loss_db(at_point.chip)), topology.columns());
    for (std::size_t v = 0; v < variants.size(); ++v) {
      const CorrectedProgram set = programmed(variants[v], topology, ideal, errors);
      const Matrix found =
          transfer_matrix(topology, settle(quantise(set.program, at_point.chip.dac_bits), errors));
      for (const Quantity& q : quantities)
        record[q.offset + v] = measured(q.metric->name, found, target, nominal, set.clipped);
    }
  };
  return model;
}

}  // namespace optinc
