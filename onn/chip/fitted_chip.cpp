#include "onn/chip/fitted_chip.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "physics/core/parallel.hpp"
#include "physics/core/units.hpp"
#include "physics/mesh/fit.hpp"
#include "physics/mesh/reference_mesh.hpp"

namespace optinc {
namespace {

bool has_attenuators(const BlockDesign& block) { return block.attenuators.mzi_count() > 0; }

/// Field factor of so many columns by the mean loss of an arm: the model's, and what was measured beyond it.
double columns_factor(int columns, const ErrorModel& model, double measured_arm_loss_db) {
  return field_ratio_of_loss_db(2 * (mean_arm_loss_db(model) + measured_arm_loss_db) * columns);
}
double mesh_factor(const BlockDesign& block, const ErrorModel& model) {
  return columns_factor(block.mesh.columns(), model, block.measured_arm_loss_db);
}

/// What an error of each row of a mesh counts: (ports). Attenuations squared, and a little, so that a row that
/// is hardly read can be read at all.
Vector row_weights(const BlockDesign& block) {
  const Eigen::Index outputs = block.attenuation.size();
  Vector weights = Vector::Zero(block.mesh.ports);
  const Vector squares = block.attenuation.cwiseAbs2();
  weights.head(outputs) = squares.array() + std::max(0.01 * squares.mean(), 1e-12);
  return weights / weights.head(outputs).mean();
}

/// Attenuators bring rows to one scale, receivers a layer of one mesh; several meshes have to agree.
FitScale scale_of(const LayerDesign& layer) {
  if (has_attenuators(layer.blocks.front())) return FitScale::rows;
  return layer.blocks.size() == 1 ? FitScale::common : FitScale::fixed;
}

FittedProgram fitted_mesh(const BlockDesign& block, const MeshProgram& start, const MeshErrors& errors,
                          const ErrorModel& model, const ChipFit& fit, FitScale scale) {
  const Matrix target = mesh_factor(block, model) *
                        reference_transfer_matrix(block.mesh, block.mesh_program, no_errors(block.mesh));
  return fit_program(block.mesh, errors, target, start,
                     {.steps = fit.steps,
                      .memory = 40,
                      .in_phase = true,
                      .oscillator_rad = fit.oscillator_rad,
                      .scale = scale,
                      .noise = fit.noise,
                      .start_rad = fit.start_rad,
                      .row_weight = row_weights(block)});
}

/// What the attenuators of these errors pass in phase.
Vector passed(const MeshProgram& attenuators, const MeshErrors& errors) {
  Vector found(attenuators.theta.size());
  for (Eigen::Index i = 0; i < found.size(); ++i)
    found[i] = mzi(attenuators.mzi(static_cast<int>(i)), errors.mzi(static_cast<int>(i)))(0, 0).real();
  return found;
}

/// What the attenuators of a block pass when they are as open as they go.
Vector most_passed(const BlockDesign& block, const MeshErrors& errors) {
  const Vector open = Vector::Constant(block.attenuators.mzi_count(), attenuator_headroom);
  return passed(program_attenuators(block, open, errors, Programming::corrected).attenuators, errors);
}

/// Attenuators that pass `transmission`, their own losses included: what is missing is asked for on top.
MeshProgram attenuated(const BlockDesign& block, const Vector& transmission, const MeshErrors& errors) {
  const Vector gain = most_passed(block, errors) / attenuator_headroom;
  Vector asked = transmission.cwiseQuotient(gain);
  MeshProgram column = program_attenuators(block, asked, errors, Programming::corrected).attenuators;
  for (int round = 0; round < 3; ++round) {
    asked += (transmission - passed(column, errors)).cwiseQuotient(gain);
    asked = asked.cwiseMax(-attenuator_headroom).cwiseMin(attenuator_headroom);
    column = program_attenuators(block, asked, errors, Programming::corrected).attenuators;
  }
  return column;
}

/// What every attenuator of a block must pass for the layer to pass as much as by its mean loss, where row r of
/// the mesh passes scale_r of what it would.
Vector wanted(const LayerDesign& layer, const BlockDesign& block, const Vector& scale,
              const ErrorModel& model) {
  const double layer_factor = columns_factor(layer.columns(), model, layer.measured_arm_loss_db);
  return layer_factor / mesh_factor(block, model) *
         block.attenuation.cwiseQuotient(scale.head(block.attenuation.size()));
}

/// The most of that which all attenuators of a layer can pass.
double common_scale(const LayerDesign& layer, const std::vector<Vector>& scale,
                    const std::vector<BlockErrors>& errors, const ErrorModel& model) {
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t b = 0; b < layer.blocks.size(); ++b) {
    const BlockDesign& block = layer.blocks[b];
    const Vector most = most_passed(block, errors[b].attenuators);
    const Vector asked = wanted(layer, block, scale[b], model);
    for (Eigen::Index i = 0; i < asked.size(); ++i)
      if (asked[i] != 0) least = std::min(least, most[i] / std::abs(asked[i]));
  }
  return std::isfinite(least) ? least : 1.0;
}

}  // namespace

ChipProgram fit_chip(const ChipDesign& design, ChipProgram start, const ChipErrors& errors,
                     const ErrorModel& model, const ChipFit& fit) {
  struct Place {
    std::size_t layer, block;
  };
  std::vector<Place> places;
  std::vector<std::vector<Vector>> scale(design.layers.size());
  for (std::size_t l = 0; l < design.layers.size(); ++l) {
    scale[l].resize(design.layers[l].blocks.size());
    for (std::size_t b = 0; b < design.layers[l].blocks.size(); ++b) places.push_back({l, b});
  }
  parallel_for(places.size(), [&](std::size_t i) {
    const auto [l, b] = places[i];
    const LayerDesign& layer = design.layers[l];
    FittedProgram found = fitted_mesh(layer.blocks[b], start.layers[l][b].mesh, errors.layers[l][b].mesh, model,
                                      fit, scale_of(layer));
    start.layers[l][b].mesh = std::move(found.program);
    scale[l][b] = std::move(found.scale);
  });
  start.headroom_db.assign(design.layers.size(), 0.0);
  for (std::size_t l = 0; l < design.layers.size(); ++l) {
    const LayerDesign& layer = design.layers[l];
    const bool attenuates = has_attenuators(layer.blocks.front());
    const double t = attenuates ? common_scale(layer, scale[l], errors.layers[l], model) : scale[l].front()[0];
    start.headroom_db[l] = loss_db_of_power_ratio(t * t);
    if (!attenuates) continue;
    for (std::size_t b = 0; b < layer.blocks.size(); ++b)
      start.layers[l][b].attenuators =
          attenuated(layer.blocks[b], t * wanted(layer, layer.blocks[b], scale[l][b], model),
                     errors.layers[l][b].attenuators);
  }
  return start;
}

}  // namespace optinc
