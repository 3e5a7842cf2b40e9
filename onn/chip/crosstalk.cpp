#include "onn/chip/crosstalk.hpp"

#include <array>

#include "onn/chip/crosstalk_settings_rows.hpp"
#include "physics/core/check_values.hpp"

namespace optinc {
namespace {

using Index = Eigen::Index;

/// Places one pitch below, where the lower arm of the same MZI runs.
Sites below(Sites sites, const FloorPlanSettings& plan) {
  sites.y_m.array() += plan.mzi_width_m / 2;
  return sites;
}

Sites idle_sites(const MeshTopology& topology, const MeshFloorPlan& plan) {
  const auto idle = idle_arms(topology);
  const auto count = static_cast<Index>(idle.size());
  Sites sites{Vector(2 * count), Vector(2 * count)};
  for (Index i = 0; i < count; ++i) {
    const auto& [column, port] = idle[static_cast<std::size_t>(i)];
    const Index arm = Index{column} * topology.ports + port;
    sites.x_m[2 * i] = plan.phi_arms.x_m[arm];
    sites.y_m[2 * i] = plan.phi_arms.y_m[arm];
    sites.x_m[2 * i + 1] = plan.theta_arms.x_m[arm];
    sites.y_m[2 * i + 1] = plan.theta_arms.y_m[arm];
  }
  return sites;
}

/// The first `kept` rows of a matrix, and 0 in as many more as make up `rows`.
SparseMatrix first_rows(const SparseMatrix& matrix, Index kept, Index rows) {
  SparseMatrix first(rows, matrix.cols());
  for (Index j = 0; j < matrix.cols(); ++j) {
    first.startVec(j);
    for (SparseMatrix::InnerIterator it(matrix, j); it && it.row() < kept; ++it)
      first.insertBack(it.row(), j) = it.value();
  }
  first.finalize();
  return first;
}

/// Heaters and what lies beside them. An attenuator has no screen, and no partner for its phi.
MeshCrosstalk mesh_crosstalk(const MeshTopology& topology, bool attenuators, const CrosstalkSettings& settings,
                             const FloorPlanSettings& layout) {
  const MeshFloorPlan plan = floor_plan(topology, layout);
  const Index mzis = topology.mzi_count();
  const Sites theta_below = below(plan.theta, layout), phi_below = below(plan.phi, layout);
  const Sites idle = idle_sites(topology, plan);
  const Sites heated = attenuators ? joined(std::array{&plan.theta, &plan.phi}) : heater_sites(plan);
  const Sites arms = joined(std::array{&theta_below, &phi_below, &idle});

  Crosstalk law;
  law.law = settings.x0 > 0 ? CrosstalkLaw::exponential : CrosstalkLaw::none;
  law.x0 = settings.x0;
  law.d0_m = settings.d0_m;
  law.cutoff_m = 8 * settings.d0_m;
  if (heated.x_m.size() == 0) return {};
  const HeaterArray heaters = uniform_heaters(heated.x_m, heated.y_m);
  const SparseMatrix rise =
      place_resistance_matrix(heaters, law, arms.x_m, arms.y_m, heaters.resistance_k_per_w[0]);
  const SparseMatrix references = first_rows(rise, attenuators ? mzis : 2 * mzis, heaters.count());
  MeshCrosstalk made{phase_response(heaters, law, references), {}, {}, 1 - settings.known};
  // A heater's own curve is measured with its reference arm beside it: what is not known are its neighbours.
  made.known = made.real;
  for (Index j = 0; j < heaters.count(); ++j)
    for (SparseMatrix::InnerIterator it(made.known.resistance_k_per_w, j); it; ++it)
      if (it.row() != j) it.valueRef() *= settings.known;
  made.arms_rad_per_w = made.real.rad_per_k[0] * rise;
  return made;
}

/// What heaters are asked for, in their order.
Vector phases_of(const MeshProgram& heaters) {
  Vector asked(heaters.theta.size() + heaters.phi.size() + heaters.output_phase.size());
  asked << heaters.theta, heaters.phi, heaters.output_phase;
  return asked;
}

/// Errors of the heaters' own phases and phases of the arms without heaters that are not known of.
struct Unwanted {
  Vector heaters_rad, arms_rad;
};
Unwanted unwanted(const MeshCrosstalk& crosstalk, const Vector& asked_rad) {
  const Vector power_w = invert_crosstalk(crosstalk.known, asked_rad).power_w;
  return {static_phase_errors_rad(crosstalk.real, power_w, asked_rad),
          crosstalk.unknown * (crosstalk.arms_rad_per_w * power_w)};
}

void add_to_mesh(const MeshTopology& topology, const MeshCrosstalk& crosstalk, const MeshProgram& heaters,
                 MeshErrors& errors) {
  const Index mzis = topology.mzi_count();
  const Unwanted found = unwanted(crosstalk, phases_of(heaters));
  const CommonPhases common = common_phases(topology, found.arms_rad);
  const Vector output = found.heaters_rad.tail(topology.ports) + common.output;
  errors.theta_offset += found.heaters_rad.head(mzis);
  errors.phi_offset += found.heaters_rad.segment(mzis, mzis) + common.phi;
  errors.output_offset.array() += output.array() - output.mean();
}

/// Light comes in at the upper arm alone: below theta runs what it meets again, and all it shares with that is
/// a phase against the oscillator.
void add_to_attenuators(const MeshCrosstalk& crosstalk, const MeshProgram& heaters, MeshErrors& errors) {
  const Index count = heaters.theta.size();
  Vector asked(2 * count);
  asked << heaters.theta, heaters.phi;
  const Unwanted found = unwanted(crosstalk, asked);
  const Vector phi = found.heaters_rad.tail(count) + found.arms_rad.head(count);
  errors.theta_offset += found.heaters_rad.head(count);
  errors.phi_offset.array() += phi.array() - phi.mean();
}

}  // namespace

void validate_crosstalk_settings(const CrosstalkSettings& s) {
  validate_rows(s);
  validate_field(s.known * s.x0 < 1, "known", "{} (less than 1 / x0). Try 1.", s.known);
}

std::vector<std::pair<int, int>> idle_arms(const MeshTopology& topology) {
  std::vector<std::pair<int, int>> idle;
  for (int c = 0; c < topology.columns(); ++c) {
    std::vector<char> busy(static_cast<std::size_t>(topology.ports), 0);
    for (const auto& [upper, lower] : topology.column(c))
      busy[static_cast<std::size_t>(upper)] = busy[static_cast<std::size_t>(lower)] = 1;
    for (int p = 0; p < topology.ports; ++p)
      if (!busy[static_cast<std::size_t>(p)]) idle.emplace_back(c, p);
  }
  return idle;
}

CommonPhases common_phases(const MeshTopology& topology, const Vector& arms_rad) {
  const Index mzis = topology.mzi_count();
  const auto idle = idle_arms(topology);
  validate(arms_rad.size() == 2 * (mzis + static_cast<Index>(idle.size())),
           "{} phases for {} MZIs and {} idle arms (two each). Give as many.", arms_rad.size(), mzis,
           idle.size());
  CommonPhases found{Vector(mzis), Vector::Zero(topology.ports)};
  Vector& so_far = found.output;  // of every port behind the columns done
  Index k = 0, i = 0;
  for (int c = 0; c < topology.columns(); ++c) {
    for (const auto& [upper, lower] : topology.column(c)) {
      found.phi[k] = so_far[upper] - so_far[lower];
      so_far[lower] += arms_rad[k] + arms_rad[mzis + k];
      so_far[upper] = so_far[lower];
      ++k;
    }
    for (; i < static_cast<Index>(idle.size()) && idle[static_cast<std::size_t>(i)].first == c; ++i)
      so_far[idle[static_cast<std::size_t>(i)].second] +=
          arms_rad[2 * (mzis + i)] + arms_rad[2 * (mzis + i) + 1];
  }
  return found;
}

ChipCrosstalk chip_crosstalk(const ChipDesign& design, const CrosstalkSettings& settings,
                             const UnitHardware& hardware) {
  validate_crosstalk_settings(settings);
  const auto made_for = [&](MeshTopology BlockDesign::*part, bool attenuators) {
    std::vector<std::shared_ptr<const MeshCrosstalk>> made;
    const auto mesh_of = [&](std::size_t l) -> const MeshTopology& {
      return design.layers[l].blocks.front().*part;
    };
    for (std::size_t l = 0; l < design.layers.size(); ++l) {
      std::size_t alike = 0;
      while (alike < l && mesh_of(alike) != mesh_of(l)) ++alike;
      made.push_back(alike < l ? made[alike]
                               : std::make_shared<const MeshCrosstalk>(
                                     mesh_crosstalk(mesh_of(l), attenuators, settings, hardware.layout)));
    }
    return made;
  };
  return {made_for(&BlockDesign::mesh, false), made_for(&BlockDesign::attenuators, true)};
}

void add_crosstalk(const ChipDesign& design, const ChipCrosstalk& crosstalk, const ChipProgram& heaters,
                   ChipErrors& errors) {
  for (std::size_t l = 0; l < crosstalk.meshes.size(); ++l)
    for (std::size_t b = 0; b < errors.layers[l].size(); ++b) {
      const BlockProgram& asked = heaters.layers[l][b];
      BlockErrors& block = errors.layers[l][b];
      add_to_mesh(design.layers[l].blocks[b].mesh, *crosstalk.meshes[l], asked.mesh, block.mesh);
      if (design.layers[l].blocks[b].attenuators.mzi_count() > 0)
        add_to_attenuators(*crosstalk.attenuators[l], asked.attenuators, block.attenuators);
    }
}

double add_heater_errors(const PhaseResponse& real, const PhaseResponse& known, const MeshProgram& heaters,
                         MeshErrors& errors) {
  const Vector asked = phases_of(heaters);
  const Vector power_w = invert_crosstalk(known, asked).power_w;
  const Vector found = static_phase_errors_rad(real, power_w, asked);
  const Index mzis = heaters.theta.size();
  errors.theta_offset += found.head(mzis);
  errors.phi_offset += found.segment(mzis, mzis);
  errors.output_offset += found.tail(heaters.output_phase.size());
  return power_w.sum();
}

}  // namespace optinc
