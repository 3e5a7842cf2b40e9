#include "experiments/models/mesh_trial.hpp"

#include <cmath>

#include "experiments/io/chip_file.hpp"
#include "experiments/io/matrix_file.hpp"
#include "experiments/io/phases_file.hpp"
#include "experiments/models/built_in_models.hpp"
#include "physics/core/units.hpp"
#include "physics/mesh/decomposition.hpp"
#include "physics/mesh/engine/mesh_engine.hpp"
#include "physics/mesh/fidelity.hpp"
#include "physics/variation/variant_errors.hpp"

namespace optinc {
namespace {

/// Adds the errors of a mesh to others of the same wiring.
void add(const MeshErrors& from, MeshErrors& to) {
  to.alpha += from.alpha;
  to.beta += from.beta;
  to.theta_offset += from.theta_offset;
  to.phi_offset += from.phi_offset;
  to.theta_arm_loss_db += from.theta_arm_loss_db;
  to.phi_arm_loss_db += from.phi_arm_loss_db;
  to.theta_other_loss_db += from.theta_other_loss_db;
  to.phi_other_loss_db += from.phi_other_loss_db;
  to.output_offset += from.output_offset;
  to.idle_arm_loss_db += from.idle_arm_loss_db;
}

/// The value of one metric of a mesh whose transfer matrix is `found`, losses included.
double measured(std::string_view metric, const MeshTrial& trial, const Matrix& found, int clipped) {
  const auto n = static_cast<double>(trial.topology.ports);
  const auto error = [&] { return Matrix(found / trial.nominal_factor - trial.target); };
  if (metric == "mesh_error") return error().norm() / std::sqrt(n);
  if (metric == "mesh_error_in_phase") return error().real().norm() / std::sqrt(n);
  if (metric == "fidelity") return fidelity(trial.target, found);
  if (metric == "insertion_loss") return -10 * std::log10(found.squaredNorm() / n);
  if (metric == "mesh_clipped") return clipped;
  return std::nan("");
}

}  // namespace

MeshTrial draw_mesh_trial(const StudyConfig& config, std::uint32_t trial, const StudyInputs& inputs) {
  const MeshAddress address{config.run.seed, trial, 0};
  MeshTrial drawn;
  drawn.kind = value_of_name<MziKind>(config.mesh.kind);
  drawn.topology = mesh_topology(config.mesh);
  drawn.target = mesh_target(config, trial, inputs.targets);
  drawn.ideal =
      config.mesh.topology == "reck" ? decompose_reck(drawn.target) : decompose_clements(drawn.target);
  drawn.errors =
      draw_variant_errors(drawn.topology, drawn.kind, config.chip, config.mesh.sigma_common_rad, address);
  drawn.measured = measured_errors(config, inputs.measured);
  add(drawn.measured, drawn.errors.mzis);
  if (!config.mesh.is_measured())
    drawn.known = estimate_splitters(drawn.errors, drawn.kind, config.calibration.sigma_estimate_rad, address);
  else  // what was measured is all that is known: [chip] draws how far the truth lies from it
    drawn.known = {drawn.measured.alpha, drawn.measured.beta, Vector::Zero(drawn.topology.mzi_count())};
  // calibration knows the mean loss of the design and of what was measured, not the draw of one mesh
  drawn.nominal_factor =
      std::pow(field_ratio_of_loss_db(2 * (mean_arm_loss_db(config.chip) + drawn.measured.idle_arm_loss_db)),
               drawn.topology.columns());
  return drawn;
}

CorrectedProgram programmed_mesh(const MeshTrial& trial, std::string_view variant, const ErrorModel& model) {
  const bool corrected = variant != "uncorrected";
  CorrectedProgram set{trial.ideal, 0};
  if (trial.kind != MziKind::standard) {
    const Vector none = Vector::Zero(trial.topology.mzi_count());
    set = program_blocks(trial.topology, trial.kind, trial.ideal,
                         corrected ? trial.known : KnownSplitters{none, none, none});
    if (!corrected) set.clipped = 0;  // a bar power of exactly 0 or 1 may miss it by rounding
  } else if (corrected) {
    set = correct_splitters(trial.topology, trial.ideal, trial.known.alpha, trial.known.beta,
                            variant == "corrected_nearest" ? Clipping::nearest : Clipping::quadrature);
  }
  if (corrected) {
    set.program.theta -= trial.measured.theta_offset;
    set.program.phi -= trial.measured.phi_offset;
  }
  set.program = quantise(set.program, model.dac_bits, dac_mode(model));
  return set;
}

Matrix found_matrix(const MeshTrial& trial, const MeshProgram& program) {
  // plain MZIs are the engine's own; their common phases it does not know
  if (trial.kind == MziKind::standard && trial.errors.common_offset.isZero(0.0))
    return transfer_matrix(trial.topology, program, trial.errors.mzis);
  MeshEngine<double> engine(trial.topology);
  engine.settle(mesh_blocks(trial.topology, trial.kind, program, trial.errors));
  return engine.transfer_matrix();
}

TrialModel mesh_model(const StudyConfig& config, const StudyInputs& inputs) {
  TrialModel model = model_layout(config, 0);
  model.run = [variants = measured_variants(config), quantities = model.quantities, inputs](
                  const StudyConfig& at_point, std::uint32_t number, std::span<double> record) {
    const MeshTrial trial = draw_mesh_trial(at_point, number, inputs);
    for (std::size_t v = 0; v < variants.size(); ++v) {
      const CorrectedProgram set = programmed_mesh(trial, variants[v], at_point.chip);
      const Matrix found = found_matrix(trial, set.program);
      for (const Quantity& q : quantities)
        record[q.offset + v] = measured(q.metric->name, trial, found, set.clipped);
    }
  };
  return model;
}

namespace {

/// What fabrication drew of a mesh, and what calibration takes its splitters for.
void write_errors(const Group& root, const MeshTrial& trial) {
  const Group errors = root.group("errors"), known = root.group("known_splitters");
  const auto write = [](const Group& group, std::string_view name, const Vector& values,
                        std::string_view meaning) {
    group.dataset(name, {"mzi"}, std::vector<double>(values.begin(), values.end()), "rad", meaning);
  };
  save_mesh_errors(errors, trial.errors.mzis);
  write(errors, "gamma", trial.errors.gamma, "error of the third splitter's angle, 0 where there is none");
  write(errors, "common_offset", trial.errors.common_offset, "phase offset of the MZI as a whole");
  known.counting_dimension("mzi", static_cast<std::size_t>(trial.known.alpha.size()),
                           "MZI in column order, top to bottom in a column");
  write(known, "alpha", trial.known.alpha, "error of the first splitter's angle as the correction knows it");
  write(known, "beta", trial.known.beta, "error of the second splitter's angle as the correction knows it");
  write(known, "gamma", trial.known.gamma, "error of the third splitter's angle as the correction knows it");
}

void write_mesh_trial(const Group& root, const StudyConfig& config, const StudyInputs& inputs,
                      std::uint32_t number) {
  const MeshTrial trial = draw_mesh_trial(config, number, inputs);
  write_errors(root, trial);
  save_matrix(root.group("target"), trial.target);
  for (const std::string& name : measured_variants(config)) {
    const CorrectedProgram set = programmed_mesh(trial, name, config.chip);
    const Group group = root.group(name);
    save_matrix(group, found_matrix(trial, set.program));
    const NamedMesh mesh{"mesh", trial.topology, set.program};
    save_phases(group.group("phases"), std::span(&mesh, 1));
  }
}

}  // namespace

StudyModel mesh_study_model() {
  return {
      .name = "mesh",
      .simulates = "one mesh",
      .trial = "mesh",
      .list = "meshes",
      .metrics = {metric("mesh_error", "1", "Relative error of the mesh's matrix (Frobenius norm)",
                         "relative mesh error", Better::lower),
                  metric("mesh_error_in_phase", "1", "Relative error of the real part of the mesh's matrix",
                         "relative mesh error in phase", Better::lower),
                  metric("fidelity", "1",
                         "Fidelity of the mesh: normalised overlap of its transfer matrix with the target",
                         "fidelity", Better::higher, MetricKind::share),
                  metric("insertion_loss", "dB", "Insertion loss of the mesh, from its mean power transmission",
                         "insertion loss", Better::lower),
                  metric("mesh_clipped", "1", "Number of MZIs that cannot reach their target bar power",
                         "clipped MZIs", Better::lower)},
      .variants = {{"uncorrected"}, {"corrected"}, {"corrected_nearest"}},
      .error_metric = "mesh_error",
      .reads = {"chip", "calibration.sigma_estimate_rad", "mesh"},
      .read_files =
          [](const std::vector<StudyConfig>& points, StudyInputs& inputs) {
            inputs.targets = read_mesh_targets(points);
            inputs.measured = read_measured_meshes(points);
          },
      .make = [](const StudyConfig& config, const StudyInputs& inputs,
                 const std::filesystem::path&) { return mesh_model(config, inputs); },
      .write_trial = write_mesh_trial};
}

}  // namespace optinc
