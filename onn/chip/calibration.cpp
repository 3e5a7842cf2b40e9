#include "onn/chip/calibration.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "onn/chip/calibration_settings_rows.hpp"
#include "onn/chip/fitted_chip.hpp"
#include "physics/core/check.hpp"
#include "physics/core/check_values.hpp"
#include "physics/core/units.hpp"
#include "physics/devices/phase_shifter.hpp"
#include "physics/mesh/decomposition.hpp"
#include "physics/random/stream.hpp"
#include "physics/variation/chip_errors.hpp"

namespace optinc {
namespace {

/// Calls body(mesh errors, has a screen, stream) for every mesh of a chip, each with a stream of its own in
/// every drawing.
template <class Body>
void for_each_mesh(ChipErrors& errors, std::uint64_t seed, Purpose purpose, std::uint32_t chip,
                   std::uint32_t drawing, Body body) {
  std::uint32_t number = 0;
  for (auto& layer : errors.layers)
    for (BlockErrors& block : layer)
      for (MeshErrors* mesh : {&block.mesh, &block.attenuators}) {
        Stream stream(seed, purpose, chip, number++, drawing);
        body(*mesh, mesh == &block.mesh, stream);
      }
}

void add_normals(Vector& values, double rms, Stream& stream) {
  Vector drawn(values.size());
  stream.normals(std::span(drawn.data(), static_cast<std::size_t>(drawn.size())));
  drawn *= rms;  // rounded before it is added, as draw_mesh_errors() does
  values += drawn;
}

/// Adds to every phase offset of a mesh, in the order in which draw_mesh_errors() draws them.
void add_to_phases(MeshErrors& mesh, bool screen, double rms, Stream& stream) {
  add_normals(mesh.theta_offset, rms, stream);
  add_normals(mesh.phi_offset, rms, stream);
  if (screen) add_normals(mesh.output_offset, rms, stream);
}

void add_turns(Vector& offsets, Stream& stream) {
  for (double& offset : offsets) offset += 2 * constants::pi * stream.uniform();
}

/// A number for every phase of a mesh, in the order of heater_sites().
MeshProgram per_phase(const Vector& values, Eigen::Index mzis) {
  return {values.head(mzis), values.segment(mzis, mzis), values.tail(values.size() - 2 * mzis)};
}

/// Fabricates the die of a chip that has one: adds to splitters what they share, and keeps what the process
/// left of phases and heaters.
void add_variation(const SharedVariation& variation, const ErrorModel& model, std::uint64_t seed,
                   std::uint32_t chip, CalibratedChip& made) {
  if (variation.die == nullptr) return;
  const std::vector<FabricatedMesh> meshes = fabricate_die(variation, model, seed, chip);
  auto mesh = meshes.begin();
  const auto take = [&](MeshErrors& errors, MeshProgram& static_phases, MeshProgram& power) {
    validate(mesh != meshes.end() && mesh->errors.alpha.size() == errors.alpha.size(),
             "a die of {} meshes that are not those of the chip (each has its place). Prepare the die of "
             "meshes_of() the design.",
             meshes.size());
    errors.alpha = mesh->errors.alpha;
    errors.beta = mesh->errors.beta;
    static_phases = {mesh->errors.theta_offset, mesh->errors.phi_offset, mesh->errors.output_offset};
    power = per_phase(mesh->heater_power, errors.alpha.size());
    ++mesh;
  };
  for (auto& layer : made.errors.layers) {
    auto& phases = made.static_phases.layers.emplace_back(layer.size());
    auto& powers = made.heater_power.layers.emplace_back(layer.size());
    for (std::size_t b = 0; b < layer.size(); ++b) {
      take(layer[b].mesh, phases[b].mesh, powers[b].mesh);
      take(layer[b].attenuators, phases[b].attenuators, powers[b].attenuators);
      phases[b].attenuators.output_phase.setZero();  // there is no output screen behind them
    }
  }
}

/// Leaves the static phases in the offsets: nobody looked for them.
void add_static_phases(std::uint64_t seed, std::uint32_t chip, CalibratedChip& made) {
  if (made.static_phases.layers.empty()) {
    for_each_mesh(made.errors, seed, Purpose::static_phase, chip, 0,
                  [](MeshErrors& mesh, bool screen, Stream& stream) {
                    for (Vector* offsets : {&mesh.theta_offset, &mesh.phi_offset}) add_turns(*offsets, stream);
                    if (screen) add_turns(mesh.output_offset, stream);
                  });
    return;
  }
  const auto add = [](const MeshProgram& phases, MeshErrors& errors) {
    errors.theta_offset += phases.theta;
    errors.phi_offset += phases.phi;
    errors.output_offset += phases.output_phase;
  };
  for (std::size_t l = 0; l < made.errors.layers.size(); ++l)
    for (std::size_t b = 0; b < made.errors.layers[l].size(); ++b) {
      add(made.static_phases.layers[l][b].mesh, made.errors.layers[l][b].mesh);
      add(made.static_phases.layers[l][b].attenuators, made.errors.layers[l][b].attenuators);
    }
}

/// Calls body(mesh of `from`, mesh of `to`) for every mesh of two chips. Throws Error where they differ in
/// shape.
template <class Body>
void for_each_pair(const ChipErrors& from, ChipErrors& to, Body body) {
  bool same = from.layers.size() == to.layers.size();
  for (std::size_t l = 0; same && l < to.layers.size(); ++l) {
    same = from.layers[l].size() == to.layers[l].size();
    for (std::size_t b = 0; same && b < to.layers[l].size(); ++b)
      for (const auto mesh : {&BlockErrors::mesh, &BlockErrors::attenuators}) {
        const MeshErrors& given = from.layers[l][b].*mesh;
        MeshErrors& own = to.layers[l][b].*mesh;
        same = same && given.alpha.size() == own.alpha.size() &&
               given.output_offset.size() == own.output_offset.size();
        if (same) body(given, own);
      }
  }
  validate(same,
           "a measured chip that has other meshes than the design (errors are by MZI). Give the chip of this "
           "design.");
}

/// Loss of an arm that receivers make up for: that of the dummies, or the mean of all arms where no dummy was
/// measured.
double known_arm_loss_db(const MeshErrors& mesh) {
  if (mesh.idle_arm_loss_db > 0.0 || mesh.theta_arm_loss_db.size() == 0) return mesh.idle_arm_loss_db;
  return (mesh.theta_arm_loss_db + mesh.phi_arm_loss_db + mesh.theta_other_loss_db + mesh.phi_other_loss_db)
             .mean() /
         4;
}

/// Adds what was measured of a chip to what the model drew, and keeps its known losses.
void add_measured(const ChipErrors& measured, CalibratedChip& made) {
  for_each_pair(measured, made.errors, [](const MeshErrors& from, MeshErrors& to) { add_errors(from, to); });
  made.losses = known_losses(measured);
}

/// Of an arm along the columns of a block. Where mesh and attenuators are alike, it is theirs to the bit.
double arm_loss_db(const BlockDesign& block, const BlockLosses& losses) {
  const int attenuators = block.attenuators.columns(), columns = block.mesh.columns() + attenuators;
  return losses.mesh_db + (losses.attenuators_db - losses.mesh_db) * attenuators / std::max(columns, 1);
}

/// Puts the mean of all splitters of the chip in place of each.
void know_the_mean(ChipErrors& known) {
  double sum = 0.0;
  Eigen::Index count = 0;
  const auto each = [&](auto body) {
    for (auto& layer : known.layers)
      for (BlockErrors& block : layer)
        for (MeshErrors* mesh : {&block.mesh, &block.attenuators})
          for (Vector* angles : {&mesh->alpha, &mesh->beta}) body(*angles);
  };
  each([&](const Vector& angles) {
    sum += angles.sum();
    count += angles.size();
  });
  each(
      [&](Vector& angles) { angles.setConstant(sum / static_cast<double>(std::max<Eigen::Index>(count, 1))); });
}

/// Whether the policy estimates splitters and leaves phases a residual.
bool estimates_splitters(const CalibrationSettings& settings) {
  return settings.policy == CalibrationPolicy::noisy || settings.policy == CalibrationPolicy::in_situ ||
         settings.policy == CalibrationPolicy::twin;
}

/// What a digital twin knows of losses and phases: the latter to what calibration made of them.
void know_the_twin(ChipErrors& known, const CalibrationSettings& settings, const CalibrationNumber& of) {
  for_each_mesh(known, of.seed, Purpose::loss_estimate, of.chip, of.number,
                [&](MeshErrors& mesh, bool, Stream& stream) {
                  for (Vector* losses : {&mesh.theta_arm_loss_db, &mesh.phi_arm_loss_db,
                                         &mesh.theta_other_loss_db, &mesh.phi_other_loss_db}) {
                    add_normals(*losses, settings.sigma_loss_estimate_db, stream);
                    *losses = losses->cwiseMax(0.0);
                  }
                  for (Vector* offsets : {&mesh.theta_offset, &mesh.phi_offset, &mesh.output_offset})
                    offsets->setZero();
                });
}

/// What the policy knows of the errors that a calibrated chip has.
ChipErrors known_errors(ChipErrors known, const CalibrationSettings& settings, const CalibrationNumber& of,
                        const ChipErrors* measured) {
  if (settings.policy == CalibrationPolicy::none) {
    for_each_mesh(known, of.seed, Purpose::static_phase, of.chip, 0, [](MeshErrors& mesh, bool, Stream&) {
      mesh.alpha.setZero();
      mesh.beta.setZero();
    });
    return known;
  }
  if (measured != nullptr && estimates_splitters(settings))
    for_each_pair(*measured, known, [](const MeshErrors& found, MeshErrors& mesh) {
      mesh.alpha = found.alpha;
      mesh.beta = found.beta;
    });
  if (estimates_splitters(settings) && settings.sigma_estimate_rad > 0)
    for_each_mesh(known, of.seed, Purpose::splitter_estimate, of.chip, of.number,
                  [&](MeshErrors& mesh, bool, Stream& stream) {
                    add_normals(mesh.alpha, settings.sigma_estimate_rad, stream);
                    add_normals(mesh.beta, settings.sigma_estimate_rad, stream);
                  });
  if (settings.policy == CalibrationPolicy::twin) know_the_twin(known, settings, of);
  if (settings.splitters == KnownAngles::die_mean) know_the_mean(known);
  return known;
}

}  // namespace

void validate_calibration(const CalibrationSettings& settings) { validate_rows(settings); }

CalibratedChip calibrate(const ChipDesign& design, const ErrorModel& model, const CalibrationSettings& settings,
                         const CalibrationNumber& of, const SharedVariation& variation,
                         const ChipErrors* measured) {
  validate_calibration(settings);
  const bool recalibrated = estimates_splitters(settings) && of.number > 0;
  ErrorModel left = model;
  left.sigma_phase_rad = 0.0;  // noise in time: what is measured is its mean
  if (!estimates_splitters(settings) || recalibrated) left.sigma_cal_rad = 0.0;
  CalibratedChip calibrated;
  calibrated.errors = fabricate(design, left, of.seed, of.chip);
  add_variation(variation, left, of.seed, of.chip, calibrated);
  if (measured != nullptr) add_measured(*measured, calibrated);
  if (recalibrated)
    for_each_mesh(calibrated.errors, of.seed, Purpose::recalibration, of.chip, of.number,
                  [&](MeshErrors& mesh, bool screen, Stream& stream) {
                    add_to_phases(mesh, screen, model.sigma_cal_rad, stream);
                  });
  if (settings.policy == CalibrationPolicy::none) add_static_phases(of.seed, of.chip, calibrated);
  calibrated.known = known_errors(calibrated.errors, settings, of, measured);
  return calibrated;
}

KnownLosses known_losses(const ChipErrors& measured) {
  KnownLosses losses;
  for (const auto& layer : measured.layers) {
    auto& blocks = losses.emplace_back();
    for (const BlockErrors& block : layer)
      blocks.push_back({known_arm_loss_db(block.mesh), known_arm_loss_db(block.attenuators)});
  }
  return losses;
}

ChipDesign with_known_losses(ChipDesign design, const KnownLosses& losses) {
  for (std::size_t l = 0; l < losses.size(); ++l) {
    LayerDesign& layer = design.layers[l];
    std::vector<double> arm_db;
    for (std::size_t b = 0; b < losses[l].size(); ++b)
      arm_db.push_back(arm_loss_db(layer.blocks[b], losses[l][b]));
    double beyond = 0.0;  // where all are alike, their mean is one of them to the bit
    for (const double loss_db : arm_db) beyond += loss_db - arm_db.front();
    const bool attenuated = layer.blocks.front().attenuators.mzi_count() > 0;
    layer.measured_arm_loss_db =
        attenuated ? std::ranges::max(arm_db) : arm_db.front() + beyond / static_cast<double>(arm_db.size());
    for (std::size_t b = 0; b < losses[l].size(); ++b) {
      layer.blocks[b].measured_arm_loss_db = losses[l][b].mesh_db;
      layer.blocks[b].dimming =
          field_ratio_of_loss_db(2 * (layer.measured_arm_loss_db - arm_db[b]) * layer.columns());
    }
  }
  return design;
}

MeshProgram trimmed(MeshProgram program, bool screen, const MeshAddress& address) {
  Stream stream(address.seed, Purpose::static_phase, address.chip, address.mesh);
  const auto trim = [&](Vector& phases) {
    Vector static_phase = Vector::Zero(phases.size());
    add_turns(static_phase, stream);
    phases = (phases - static_phase).unaryExpr([](double phase) { return wrap_phase(phase); });
  };
  trim(program.theta);
  trim(program.phi);
  if (screen) trim(program.output_phase);
  return program;
}

ChipProgram trimmed(ChipProgram program, std::uint64_t seed, std::uint32_t chip) {
  std::uint32_t number = 0;
  for (auto& layer : program.layers)
    for (BlockProgram& block : layer)
      for (MeshProgram* mesh : {&block.mesh, &block.attenuators})
        *mesh = trimmed(std::move(*mesh), mesh == &block.mesh, {seed, chip, number++});
  return program;
}

MeshProgram trimmed(MeshProgram program, const MeshProgram& static_phases) {
  const auto trim = [](Vector& phases, const Vector& static_phase) {
    phases = (phases - static_phase).unaryExpr([](double phase) { return wrap_phase(phase); });
  };
  trim(program.theta, static_phases.theta);
  trim(program.phi, static_phases.phi);
  trim(program.output_phase, static_phases.output_phase);
  return program;
}

ChipProgram trimmed(ChipProgram program, const ChipProgram& static_phases) {
  for (std::size_t l = 0; l < program.layers.size(); ++l)
    for (std::size_t b = 0; b < program.layers[l].size(); ++b) {
      BlockProgram& block = program.layers[l][b];
      const BlockProgram& own = static_phases.layers[l][b];
      block.mesh = trimmed(std::move(block.mesh), own.mesh);
      block.attenuators = trimmed(std::move(block.attenuators), own.attenuators);
    }
  return program;
}

MeshErrors with_phase_noise(MeshErrors errors, bool screen, const ErrorModel& model, const MeshAddress& address,
                            std::uint32_t instant) {
  Stream stream(address.seed, Purpose::phase_noise, address.chip, address.mesh, instant);
  if (model.sigma_phase_rad > 0) add_to_phases(errors, screen, model.sigma_phase_rad, stream);
  return errors;
}

MeshErrors with_residual(MeshErrors errors, bool screen, const ErrorModel& model, const MeshAddress& address,
                         std::uint32_t number) {
  Stream stream(address.seed, Purpose::recalibration, address.chip, address.mesh, number);
  add_to_phases(errors, screen, model.sigma_cal_rad, stream);
  return errors;
}

ChipErrors with_phase_noise(ChipErrors errors, const ErrorModel& model, std::uint64_t seed, std::uint32_t chip,
                            std::uint32_t instant) {
  if (model.sigma_phase_rad > 0)
    for_each_mesh(errors, seed, Purpose::phase_noise, chip, instant,
                  [&](MeshErrors& mesh, bool screen, Stream& stream) {
                    add_to_phases(mesh, screen, model.sigma_phase_rad, stream);
                  });
  return errors;
}

ChipProgram program_calibrated(const ChipDesign& design, const CalibratedChip& chip, const ErrorModel& model,
                               Programming programming, const CalibrationSettings& settings,
                               double oscillator_rad) {
  const bool in_situ = settings.policy == CalibrationPolicy::in_situ;
  if (!in_situ && settings.policy != CalibrationPolicy::twin)
    return program(design, chip.known, model.dac_bits, programming, dac_mode(model));
  constexpr double off_the_saddle_rad = 0.02;  // what is wrong with the phases of a chip moves it off by itself
  const ChipFit fit = {.steps = in_situ ? settings.in_situ_steps : settings.twin_steps,
                       .oscillator_rad = oscillator_rad,
                       .start_rad = in_situ ? 0.0 : off_the_saddle_rad};
  ChipProgram heaters = fit_chip(design, program(design, chip.known, 0, programming),
                                 in_situ ? chip.errors : chip.known, model, fit);
  for (auto& layer : heaters.layers)
    for (BlockProgram& block : layer)
      for (MeshProgram* phases : {&block.mesh, &block.attenuators})
        *phases = quantise(*phases, model.dac_bits, dac_mode(model));
  return heaters;
}

}  // namespace optinc
