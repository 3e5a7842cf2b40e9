#include "onn/calibration.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "physics/core/check_values.hpp"
#include "physics/core/names.hpp"
#include "physics/core/units.hpp"
#include "physics/mesh/decomposition.hpp"
#include "physics/mesh/fit.hpp"
#include "physics/mesh/reference_mesh.hpp"
#include "physics/random/stream.hpp"
#include "physics/variation/chip_errors.hpp"

namespace optinc {
namespace {

constexpr std::array<std::string_view, 4> names = {"none", "oracle", "noisy", "in-situ"};

/// Calls body(mesh errors, has a screen, stream) for every mesh of a chip, each with a stream of its own.
template <class Body>
void for_each_mesh(ChipErrors& errors, std::uint64_t seed, Purpose purpose, std::uint32_t chip, Body body) {
  std::uint32_t number = 0;
  for (auto& layer : errors.layers)
    for (BlockErrors& block : layer)
      for (MeshErrors* mesh : {&block.mesh, &block.attenuators}) {
        Stream stream(seed, purpose, chip, number++);
        body(*mesh, mesh == &block.mesh, stream);
      }
}

void add_normals(Vector& values, double rms, Stream& stream) {
  Vector drawn(values.size());
  stream.normals(std::span(drawn.data(), static_cast<std::size_t>(drawn.size())));
  values += rms * drawn;
}

void add_turns(Vector& offsets, Stream& stream) {
  for (double& offset : offsets) offset += 2 * constants::pi * stream.uniform();
}

/// What the target of a mesh becomes by the mean loss of its columns.
Matrix lossy_target(const BlockDesign& block, const ErrorModel& model) {
  const double column_factor = field_ratio_of_loss_db(2 * mean_arm_loss_db(model));
  return std::pow(column_factor, block.mesh.columns()) *
         reference_transfer_matrix(block.mesh, block.mesh_program, no_errors(block.mesh));
}

}  // namespace

std::string_view policy_name(CalibrationPolicy policy) { return names[static_cast<std::size_t>(policy)]; }

CalibrationPolicy policy_of_name(std::string_view name) {
  const auto found = std::find(names.begin(), names.end(), name);
  validate(found != names.end(), "calibration policy {} ({}). Did you mean {}?", name, join_names(names),
           nearest_name(name, names));
  return static_cast<CalibrationPolicy>(found - names.begin());
}

std::span<const std::string_view> policy_names() { return names; }

void validate_calibration(const CalibrationSettings& settings) {
  validate_not_negative("sigma_estimate_rad", settings.sigma_estimate_rad);
  validate(settings.in_situ_steps >= 0, "in_situ_steps = {} (0 or more). Try 20.", settings.in_situ_steps);
}

CalibratedChip calibrate(const ChipDesign& design, const ErrorModel& model, const CalibrationSettings& settings,
                         std::uint64_t seed, std::uint32_t chip) {
  validate_calibration(settings);
  const CalibrationPolicy policy = settings.policy;
  ErrorModel left = model;
  if (policy == CalibrationPolicy::oracle || policy == CalibrationPolicy::none) left.sigma_cal_rad = 0.0;
  CalibratedChip calibrated;
  calibrated.errors = fabricate(design, left, seed, chip);
  if (policy == CalibrationPolicy::none)
    for_each_mesh(calibrated.errors, seed, Purpose::static_phase, chip,
                  [](MeshErrors& mesh, bool screen, Stream& stream) {
                    for (Vector* offsets : {&mesh.theta_offset, &mesh.phi_offset}) add_turns(*offsets, stream);
                    if (screen) add_turns(mesh.output_offset, stream);
                  });
  calibrated.known = calibrated.errors;
  if (policy == CalibrationPolicy::none)
    for_each_mesh(calibrated.known, seed, Purpose::static_phase, chip, [](MeshErrors& mesh, bool, Stream&) {
      mesh.alpha.setZero();
      mesh.beta.setZero();
    });
  else if (policy != CalibrationPolicy::oracle && settings.sigma_estimate_rad > 0)
    for_each_mesh(calibrated.known, seed, Purpose::splitter_estimate, chip,
                  [&](MeshErrors& mesh, bool, Stream& stream) {
                    add_normals(mesh.alpha, settings.sigma_estimate_rad, stream);
                    add_normals(mesh.beta, settings.sigma_estimate_rad, stream);
                  });
  return calibrated;
}

ChipProgram program_calibrated(const ChipDesign& design, const CalibratedChip& chip, const ErrorModel& model,
                               Programming programming, const CalibrationSettings& settings) {
  if (settings.policy != CalibrationPolicy::in_situ)
    return program_chip(design, chip.known, model.dac_bits, programming);
  ChipProgram program = program_chip(design, chip.known, 0, programming);
  for (std::size_t l = 0; l < design.layers.size(); ++l)
    for (std::size_t b = 0; b < design.layers[l].blocks.size(); ++b) {
      const BlockDesign& block = design.layers[l].blocks[b];
      BlockProgram& phases = program.layers[l][b];
      const auto fitted = fit_program(block.mesh, chip.errors.layers[l][b].mesh, lossy_target(block, model),
                                      phases.mesh, {.steps = settings.in_situ_steps, .in_phase = true});
      phases.mesh = quantise(fitted.program, model.dac_bits);
      phases.attenuators = quantise(phases.attenuators, model.dac_bits);
    }
  return program;
}

}  // namespace optinc
