#include "experiments/models/mesh_trial.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "experiments/files/chips/chip_file.hpp"
#include "experiments/files/chips/matrix_file.hpp"
#include "experiments/files/chips/phases_file.hpp"
#include "experiments/models/built_in_models.hpp"
#include "experiments/models/recorder.hpp"
#include "experiments/study/points.hpp"
#include "onn/chip/calibration.hpp"
#include "onn/chip/crosstalk.hpp"
#include "onn/chip/environment.hpp"
#include "onn/chip/mesh_delays.hpp"
#include "physics/core/check.hpp"
#include "physics/core/units.hpp"
#include "physics/mesh/decomposition.hpp"
#include "physics/mesh/engine/mesh_engine.hpp"
#include "physics/mesh/fidelity.hpp"
#include "physics/mesh/wiring.hpp"
#include "physics/variation/variant_errors.hpp"

namespace optinc {
namespace {

/// Adds to the splitters of the only mesh on a die what it shares with them. Static phases are found up to
/// chip.sigma_cal_rad, which the errors have already; heaters make up for them.
void add_variation(const SharedVariation& variation, const StudyConfig& config, MeshTrial& drawn) {
  if (variation.die == nullptr) return;
  const FabricatedMesh made =
      fabricate_die(variation, config.chip, config.run.seed, drawn.address.chip).front();
  drawn.errors.mzis.alpha = made.errors.alpha;
  drawn.errors.mzis.beta = made.errors.beta;
  drawn.static_phases = {made.errors.theta_offset, made.errors.phi_offset, made.errors.output_offset};
}

/// The mean of all splitters in place of each.
KnownSplitters mean_of_die(KnownSplitters known, MziKind kind) {
  std::vector<Vector*> angles = {&known.alpha, &known.beta};
  if (has_third_splitter(kind)) angles.push_back(&known.gamma);
  double sum = 0.0;
  for (const Vector* of : angles) sum += of->sum();
  for (Vector* of : angles)
    of->setConstant(sum / std::max(1.0, static_cast<double>(angles.size()) * static_cast<double>(of->size())));
  return known;
}

/// What calibration `number` takes its splitters for. What was measured is all that is known: [chip] draws how
/// far the truth lies from it.
KnownSplitters known_splitters(const MeshTrial& trial, const StudyConfig& config, std::uint32_t number) {
  KnownSplitters known = {trial.measured.alpha, trial.measured.beta, Vector::Zero(trial.topology.mzi_count())};
  if (!config.mesh.is_measured())
    known = estimate_splitters(trial.errors, trial.kind, config.calibration.sigma_estimate_rad, trial.address,
                               number);
  return config.calibration.splitters == KnownAngles::die_mean ? mean_of_die(std::move(known), trial.kind)
                                                               : known;
}

/// What the transfer matrix of a mesh says, losses included.
void record_mesh(const Recorder& record, std::size_t v, const MeshTrial& trial, const Matrix& found) {
  const auto n = static_cast<double>(trial.topology.ports);
  const Matrix error = found / trial.nominal_factor - trial.target;
  record.put("mesh_error", v, error.norm() / std::sqrt(n));
  record.put("mesh_error_in_phase", v, error.real().norm() / std::sqrt(n));
  record.put("fidelity", v, fidelity(trial.target, found));
  record.put("insertion_loss", v, -10 * std::log10(found.squaredNorm() / n));
}

}  // namespace

MeshTrial draw_mesh_trial(const StudyConfig& config, std::uint32_t trial, const StudyInputs& inputs,
                          const Foundry& foundry) {
  const MeshAddress address{config.run.seed, trial, 0};
  MeshTrial drawn;
  drawn.address = address;
  drawn.kind = value_of_name<MziKind>(config.mesh.kind);
  drawn.topology = mesh_topology(config.mesh);
  drawn.target = mesh_target(config, trial, inputs.targets);
  drawn.ideal = program_of_wiring(drawn.topology, drawn.target).program;
  drawn.errors =
      draw_variant_errors(drawn.topology, drawn.kind, config.chip, config.mesh.sigma_common_rad, address);
  add_variation(foundry.variation({drawn.topology}, config), config, drawn);
  const MeshMeasurement measured = measured_mesh(config, inputs.measured);
  drawn.measured = measured.errors;
  add_errors(drawn.measured, drawn.errors.mzis);
  if (auto heaters = measured_heaters(config, measured, inputs.crosstalks))
    drawn.heaters = std::make_shared<const PhaseResponse>(std::move(*heaters));
  drawn.known = known_splitters(drawn, config, 0);
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
                            variant == "corrected" ? Clipping::nearest : Clipping::quadrature);
  }
  if (corrected) {
    set.program.theta -= trial.measured.theta_offset;
    set.program.phi -= trial.measured.phi_offset;
  }
  set.program = quantise(set.program, model.dac_bits, dac_mode(model));
  return set;
}

MeshProgram heaters_of(const MeshTrial& trial, const MeshProgram& program, const StudyConfig& config) {
  if (config.mesh.is_measured()) return program;
  return trial.static_phases ? trimmed(program, *trial.static_phases) : trimmed(program, true, trial.address);
}

MeshTrial calibrated_again(MeshTrial trial, const StudyConfig& config, std::uint32_t number) {
  trial.known = known_splitters(trial, config, number);
  trial.errors.mzis = with_residual(std::move(trial.errors.mzis), true, config.chip, trial.address, number);
  return trial;
}

std::optional<double> add_measured_heat(MeshTrial& trial, const MeshProgram& program, std::string_view variant,
                                        const StudyConfig& config) {
  if (trial.heaters == nullptr) return {};
  const PhaseResponse designed =
      measured_response(Vector::Constant(trial.heaters->count(), config.hardware.heater.p_pi_w), {});
  try {
    return add_heater_errors(*trial.heaters, variant == "uncorrected" ? designed : *trial.heaters,
                             heaters_of(trial, program, config), trial.errors.mzis);
  } catch (const Error& error) {
    const MeshSettings& m = config.mesh;
    throw Error(m.has_measured_crosstalk()
                    ? fmt::format("mesh.measured_crosstalk = {}: {}", m.measured_crosstalk, error.what())
                    : fmt::format("mesh.measured = {}: {}", m.measured, error.what()));
  }
}

namespace {

/// Its errors under such phases in any environment.
MeshVariantErrors errors_at(const Environment& change, const MeshTrial& trial, const MeshProgram& program,
                            const StudyConfig& config) {
  if (change == Environment{}) return trial.errors;
  const SensitivitySettings& settings = config.drift.sensitivity;
  return errors_in(change, trial.errors, trial.kind, heaters_of(trial, program, config),
                   draw_mesh_imbalance(trial.topology, settings, trial.address), settings, config.hardware);
}

}  // namespace

MeshVariantErrors errors_in_use(const MeshTrial& trial, const MeshProgram& program, const StudyConfig& config,
                                double detuned_m) {
  Environment change = config.environment;
  change.wavelength_m += detuned_m;
  return errors_at(change, trial, program, config);
}

Matrix found_matrix(const MeshTrial& trial, const MeshProgram& program) {
  return found_matrix(trial, program, trial.errors);
}

Matrix found_matrix(const MeshTrial& trial, const MeshProgram& program, const MeshVariantErrors& errors) {
  // plain MZIs are the engine's own; their common phases it does not know
  if (trial.kind == MziKind::standard && errors.common_offset.isZero(0.0))
    return transfer_matrix(trial.topology, program, errors.mzis);
  MeshEngine<double> engine(trial.topology);
  engine.settle(mesh_blocks(trial.topology, trial.kind, program, errors));
  return engine.transfer_matrix();
}

void read_mesh_files(const std::vector<StudyConfig>& points, StudyInputs& inputs) {
  inputs.targets = read_mesh_targets(points);
  inputs.measured = read_measured_meshes(points);
  inputs.crosstalks = read_measured_crosstalks(points);
}

PathDelays delays_in_use(const MeshTrial& trial, const MeshProgram& program, const StudyConfig& config) {
  const auto in = [&](const Environment& change) {
    return found_matrix(trial, program, errors_at(change, trial, program, config));
  };
  return mesh_delays(in, config.environment, trial.topology, config.hardware);
}

TrialModel mesh_model(const StudyConfig& config, const StudyInputs& inputs) {
  TrialModel model = model_layout(config, 0);
  const bool timed = model.find("group_delay") != nullptr || model.find("group_delay_spread") != nullptr;
  model.run = [variants = measured_variants(config), layout = model, timed, inputs, foundry = Foundry()](
                  const StudyConfig& at_point, std::uint32_t number, std::span<double> cells) {
    const Recorder record(layout, cells);
    const MeshTrial drawn = draw_mesh_trial(at_point, number, inputs, foundry);
    for (std::size_t v = 0; v < variants.size(); ++v) {
      MeshTrial trial = drawn;
      const CorrectedProgram set = programmed_mesh(trial, variants[v], at_point.chip);
      add_measured_heat(trial, set.program, variants[v], at_point);
      const Matrix found = found_matrix(trial, set.program, errors_in_use(trial, set.program, at_point));
      record_mesh(record, v, trial, found);
      record.put("mesh_clipped", v, set.clipped);
      if (!timed) continue;
      const PathDelays delays = delays_in_use(trial, set.program, at_point);
      record.put("group_delay", v, delays.mean_s);
      record.put("group_delay_spread", v, delays.spread_s);
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

/// Beside the matrix of the mesh.
void write_delays(const Group& group, const Eigen::MatrixXd& delay_s) {
  const Eigen::MatrixXd by_column = delay_s.transpose();  // row-major, as files are
  group.dataset("group_delay", {"output", "input"},
                std::vector<double>(by_column.data(), by_column.data() + by_column.size()), "s",
                "group delay of the path");
}

/// The mesh of most ports at any point of a study.
MeshTopology largest_mesh(const StudyConfig& config) {
  MeshSettings largest = config.mesh;
  const StudyPoints points(config);
  for (std::size_t p = 0; p < points.size(); ++p)
    if (const MeshSettings mesh = points[p].mesh; mesh.ports > largest.ports) largest = mesh;
  return mesh_topology(largest);
}

/// Meshes that have no place on a die, or whose errors the wafer is in already.
void validate_mesh_fabrication(const StudyConfig& config) {
  if (config.fabrication.process != FabricationProcess::wafer) return;
  validate_field(!has_third_splitter(value_of_name<MziKind>(config.mesh.kind)), "process",
                 "\"wafer\" with mesh.kind = \"{}\" (the floor plan has no place for a third splitter). Set "
                 "mesh.kind = \"standard\".",
                 config.mesh.kind);
  validate_field(!config.mesh.is_measured(), "process",
                 "\"wafer\" with mesh.measured = \"{}\" (what was measured has the wafer in it). Set process = "
                 "\"independent\", or mesh.measured = \"none\".",
                 config.mesh.measured);
  const MeshTopology mesh = mesh_topology(config.mesh);
  placed_on_die(std::span(&mesh, 1), config.hardware.layout, config.fabrication.wafer);
}

std::vector<StudyWarning> mesh_warnings(const StudyConfig& config) {
  std::vector<StudyWarning> all;
  if (config.fabrication.process != FabricationProcess::wafer) return all;
  const MeshTopology mesh = mesh_topology(config.mesh);
  for (const Warning& w :
       die_plan_warnings(placed_on_die(std::span(&mesh, 1), config.hardware.layout, config.fabrication.wafer)))
    all.push_back({"fabrication.process", w.text, std::string(w.field)});
  return all;
}

void write_mesh_trial(const Group& root, const StudyConfig& config, const StudyInputs& inputs,
                      std::uint32_t number) {
  const MeshTrial trial = draw_mesh_trial(config, number, inputs);
  write_errors(root, trial);
  save_matrix(root.group("target"), trial.target);
  for (const std::string& name : measured_variants(config)) {
    MeshTrial lit = trial;
    const CorrectedProgram set = programmed_mesh(lit, name, config.chip);
    add_measured_heat(lit, set.program, name, config);
    const Group group = root.group(name);
    save_matrix(group, found_matrix(lit, set.program, errors_in_use(lit, set.program, config)));
    write_delays(group, delays_in_use(lit, set.program, config).delay_s);
    const NamedMesh mesh{"mesh", lit.topology, set.program};
    save_phases(group.group("phases"), std::span(&mesh, 1));
  }
}

}  // namespace

double mesh_memory_bytes(const StudyConfig& config, int threads) {
  // target, decomposition, errors, programs, engines and matrices, in complex matrices of the mesh's size
  constexpr double matrices = 26;
  const MeshTopology mesh = largest_mesh(config);
  return field_memory_bytes(config, std::span(&mesh, 1), threads) +
         threads * matrices * sizeof(Complex) * mesh.ports * mesh.ports;
}

StudyModel mesh_study_model() {
  return {.name = "mesh",
          .simulates = "one mesh",
          .trial = "mesh",
          .list = "meshes",
          .metrics = {{"mesh_error", "1", "Relative error of the mesh's matrix (Frobenius norm)",
                       "relative mesh error", Better::lower},
                      {"mesh_error_in_phase", "1", "Relative error of the real part of the mesh's matrix",
                       "relative mesh error in phase", Better::lower},
                      {"fidelity", "1",
                       "Fidelity of the mesh: normalised overlap of its transfer matrix with the target",
                       "fidelity", Better::higher, MetricKind::share},
                      {"insertion_loss", "dB", "Insertion loss of the mesh, from its mean power transmission",
                       "insertion loss", Better::lower},
                      {"group_delay", "s", "Group delay of the mesh: mean over its paths, weighted by power",
                       "group delay", Better::lower},
                      {"group_delay_spread", "s",
                       "RMS spread of the group delay over the mesh's paths, weighted by power",
                       "spread of group delay", Better::lower},
                      {"mesh_clipped", "1", "Number of MZIs that cannot reach their target bar power",
                       "clipped MZIs", Better::lower}},
          .variants = {{"uncorrected"}, {"corrected_quadrature"}, {"corrected"}},
          .error_metric = "mesh_error",
          .reads = {"chip", "!chip.measured", "calibration.sigma_estimate_rad", "calibration.splitters", "mesh",
                    "heater", "fabrication", "!fabrication.heater_power_spread", "environment",
                    "drift.imbalance_m", "drift.heater_per_k", "drift.splitter_rad_per_m", "laser.wavelength_m",
                    "layout.mzi_length_m", "layout.mzi_width_m", "layout.coupler_length_m"},
          .validate = validate_mesh_fabrication,
          .validated = "fabrication",
          .warnings = mesh_warnings,
          .read_files = read_mesh_files,
          .make = [](const StudyConfig& config, const StudyInputs& inputs,
                     const std::filesystem::path&) { return mesh_model(config, inputs); },
          .memory_bytes = mesh_memory_bytes,
          .write_trial = write_mesh_trial};
}

}  // namespace optinc
