#include <cmath>

#include "experiments/models/built_in_models.hpp"
#include "experiments/models/drifting_chip.hpp"
#include "experiments/models/mesh_trial.hpp"
#include "experiments/models/recorder.hpp"
#include "experiments/models/trial_model.hpp"
#include "onn/chip/calibration.hpp"
#include "onn/chip/heater_power.hpp"
#include "physics/mesh/fidelity.hpp"

namespace optinc {
namespace {

/// A mesh as a calibration leaves it.
struct CalibratedMesh {
  MeshTrial trial;  ///< without phase noise
  MeshProgram program, heaters;
  double heater_power_w = 0.0;
};

CalibratedMesh programmed(MeshTrial trial, const StudyConfig& config) {
  CalibratedMesh mesh{std::move(trial), {}, {}, 0.0};
  mesh.program = programmed_mesh(mesh.trial, "corrected_quadrature", config.chip).program;
  mesh.heaters = heaters_of(mesh.trial, mesh.program, config);
  const auto measured_w = add_measured_heat(mesh.trial, mesh.program, "corrected_quadrature", config);
  mesh.heater_power_w = measured_w.value_or(heater_power_w(mesh.heaters, config.hardware.heater.p_pi_w));
  return mesh;
}

/// One mesh and all that will act on it.
struct DriftingMesh {
  CalibratedMesh first;
  MeshTrial exact;  ///< without what calibration leaves
  MeshImbalance imbalance;
  DriftHistory history;
};

DriftingMesh drifting_mesh(const StudyConfig& config, const StudyInputs& inputs, std::uint32_t number) {
  StudyConfig still = config;
  still.chip.sigma_phase_rad = 0.0;
  DriftingMesh mesh;
  mesh.first = programmed(draw_mesh_trial(still, number, inputs), config);
  still.chip.sigma_cal_rad = 0.0;
  mesh.exact = draw_mesh_trial(still, number, inputs);
  mesh.imbalance = draw_mesh_imbalance(mesh.exact.topology, config.drift.sensitivity, mesh.exact.address);
  mesh.history =
      drift_history(config.drift, config.hardware.die, mesh.first.heater_power_w, config.run.seed, number);
  return mesh;
}

double phase_change_rms(const MeshErrors& a, const MeshErrors& b) {
  const auto count = static_cast<double>(a.theta_offset.size() + a.phi_offset.size());
  return std::sqrt(
      ((a.theta_offset - b.theta_offset).squaredNorm() + (a.phi_offset - b.phi_offset).squaredNorm()) / count);
}

void run_mesh_drift(const TrialModel& layout, const StudyInputs& inputs, const StudyConfig& config,
                    std::uint32_t number, std::span<double> cells) {
  const Recorder record(layout, cells);
  const DriftingMesh mesh = drifting_mesh(config, inputs, number);
  const std::vector<std::string> variants = measured_variants(config);
  for (std::size_t v = 0; v < variants.size(); ++v) {
    const auto calibrated = calibrated_at(config, variants[v] == "recalibrated");
    const auto calibration = calibration_numbers(calibrated);
    record.put("mesh_heater_power", v, mesh.first.heater_power_w);
    CalibratedMesh at = mesh.first;
    for (std::size_t k = 0; k < calibrated.size(); ++k) {
      const auto put = [&](std::string_view metric, double value) {
        const auto where = record.cells(metric, v);
        if (!where.empty()) where[k] = value;
      };
      if (calibrated[k] == k && k > 0)
        at = programmed(calibrated_again(mesh.exact, config, static_cast<std::uint32_t>(calibration[k])),
                        config);
      const MeshTrial& trial = at.trial;
      MeshVariantErrors now = errors_in(mesh.history.between(calibrated[k], k), trial.errors, trial.kind,
                                        at.heaters, mesh.imbalance, config.drift.sensitivity, config.hardware);
      put("mesh_phase_drift", phase_change_rms(now.mzis, trial.errors.mzis));
      now.mzis = with_phase_noise(std::move(now.mzis), true, config.chip, trial.address,
                                  static_cast<std::uint32_t>(k));
      const Matrix found = found_matrix(trial, at.program, now);
      put("instant_mesh_error", (found / trial.nominal_factor - trial.target).norm() /
                                    std::sqrt(static_cast<double>(trial.topology.ports)));
      put("instant_fidelity", fidelity(trial.target, found));
      put("mesh_die_temperature", mesh.history.die_k[static_cast<Eigen::Index>(k)]);
    }
  }
}

std::vector<ModelAxis> time_axis(const StudyConfig& config, std::size_t) {
  std::vector<double> times;
  for (int k = 0; k < config.drift.instants; ++k) times.push_back(k * config.drift.interval_s);
  return {{"time", "s", "time since the first calibration", std::move(times)}};
}

}  // namespace

TrialModel mesh_drift_model(const StudyConfig& config, const StudyInputs& inputs) {
  TrialModel model = model_layout(config, 0);
  model.run = [layout = model, inputs](const StudyConfig& at_point, std::uint32_t number,
                                       std::span<double> cells) {
    run_mesh_drift(layout, inputs, at_point, number, cells);
  };
  return model;
}

StudyModel mesh_drift_study_model() {
  const auto over_time = [](std::string_view name, std::string_view unit, std::string_view long_name,
                            std::string_view label, Better better, MetricKind kind = MetricKind::number) {
    return Metric{name, unit, long_name, label, better, kind, {}, {"variant", "time"}};
  };
  return {.name = "mesh_drift",
          .simulates = "one mesh that drifts over time",
          .trial = "mesh",
          .list = "meshes",
          .metrics = {over_time("instant_mesh_error", "1", "Relative error of the mesh's matrix at this time",
                                "relative mesh error", Better::lower),
                      over_time("instant_fidelity", "1", "Fidelity of the mesh at this time", "fidelity",
                                Better::higher, MetricKind::share),
                      over_time("mesh_phase_drift", "rad",
                                "RMS change of the mesh's phases since the last calibration",
                                "rms phase change", Better::lower),
                      over_time("mesh_die_temperature", "K",
                                "Die temperature relative to the mean ambient temperature",
                                "die over mean ambient", Better::neither),
                      {"mesh_heater_power", "W",
                       "Electrical power of the mesh's heaters, with static phase offsets trimmed",
                       "power of all heaters", Better::lower}},
          .variants = {{"drifting"}, {"recalibrated"}},
          .error_metric = "instant_mesh_error",
          .reads = {"chip", "!chip.measured", "calibration.sigma_estimate_rad", "calibration.splitters", "mesh",
                    "drift", "heater", "die", "laser.wavelength_m"},
          .read_files = read_mesh_files,
          .axes = time_axis,
          .make = [](const StudyConfig& config, const StudyInputs& inputs,
                     const std::filesystem::path&) { return mesh_drift_model(config, inputs); },
          .memory_bytes = mesh_memory_bytes};
}

}  // namespace optinc
