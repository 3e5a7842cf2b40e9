#include "physics/variation/fabrication.hpp"

#include <array>
#include <cmath>

#include "physics/core/check.hpp"
#include "physics/variation/arm_phases.hpp"

namespace optinc {
namespace {

/// Sites of one mesh in the order of the random field.
std::array<const Sites*, 5> field_parts(const MeshFloorPlan& plan) {
  return {&plan.alpha, &plan.beta, &plan.phi_arms, &plan.theta_arms, &plan.output};
}

void add_normals(Stream& stream, double sigma, Vector& values) {
  Vector normals(values.size());
  stream.normals(std::span(normals.data(), static_cast<std::size_t>(normals.size())));
  values += sigma * normals;
}

/// What one dimension of a die has everywhere: the polynomial of its wafer and its offset.
struct DieLevel {
  double constant = 0, x_per_m = 0, y_per_m = 0, square_per_m2 = 0;  // about the die's corner
};

DieLevel draw_level(const DimensionSpread& spread, const DiePosition& corner, double radius_m, Stream& wafer,
                    Stream& die) {
  const double bow = spread.wafer_bow_m * wafer.normal();
  const double tilt_x = spread.wafer_tilt_m * wafer.normal(), tilt_y = spread.wafer_tilt_m * wafer.normal();
  const double offset = spread.die_m * die.normal();
  const double square = 2 * bow / (radius_m * radius_m);
  // (x0 + x)^2 + .. = x0^2 + 2 x0 x + x^2 + ..
  return {offset - bow + square * (corner.x_m * corner.x_m + corner.y_m * corner.y_m) +
              (tilt_x * corner.x_m + tilt_y * corner.y_m) / radius_m,
          2 * square * corner.x_m + tilt_x / radius_m, 2 * square * corner.y_m + tilt_y / radius_m, square};
}

Vector dimension(const DieLevel& level, const Sites& sites, double sigma,
                 const Eigen::Ref<const Vector>& field) {
  const auto x = sites.x_m.array(), y = sites.y_m.array();
  return level.constant + level.x_per_m * x + level.y_per_m * y +
         level.square_per_m2 * (x.square() + y.square()) + sigma * field.array();
}

/// Everything of a mesh that its neighbours do not share; `width` and `height`: changes at field_parts.
FabricatedMesh finish_mesh(const MeshTopology& topology, const MeshFloorPlan& plan, const ProcessModel& model,
                           const MeshAddress& address, Vector width, Vector height) {
  const Eigen::Index mzis = topology.mzi_count(), arms = plan.phi_arms.count(), ports = topology.ports;
  // white splitter errors and losses are those of the model without places
  ErrorModel white;
  white.sigma_eta_rad = model.sigma_eta_white_rad;
  white.rho_ab = model.rho_white;
  white.mzi_loss_db = model.mzi_loss_db;
  white.arm_loss_spread_db = model.arm_loss_spread_db;
  FabricatedMesh mesh;
  mesh.errors = draw_mesh_errors(topology, white, address);
  for (Eigen::Index k = 0; k < mzis; ++k) {
    mesh.errors.alpha[k] += eta_change_rad(model, width[k], height[k]);
    mesh.errors.beta[k] += eta_change_rad(model, width[mzis + k], height[mzis + k]);
  }

  const Eigen::Index waveguides = 2 * arms + ports;
  width = width.tail(waveguides).eval();
  height = height.tail(waveguides).eval();
  if (model.width.roughness_m != 0.0 || model.height.roughness_m != 0.0) {
    Stream roughness(address.seed, Purpose::arm_roughness, address.chip, address.mesh);
    const double longer = std::sqrt(model.roughness_length_m / plan.arm_length_m);
    add_normals(roughness, model.width.roughness_m * longer, width);
    add_normals(roughness, model.height.roughness_m * longer, height);
  }
  const Vector phases = phase_change_rad(model, plan.arm_length_m, 1.0, 0.0) * width +
                        phase_change_rad(model, plan.arm_length_m, 0.0, 1.0) * height;
  set_offsets(topology, {phases.head(arms), phases.segment(arms, arms), phases.tail(ports)}, mesh.errors);

  Stream heaters(address.seed, Purpose::heater_spread, address.chip, address.mesh);
  for (const auto& [values, spread] : {std::pair{&mesh.heater_power, model.heater_power_spread},
                                       {&mesh.heater_resistance, model.heater_resistance_spread}}) {
    values->setOnes(2 * mzis + ports);
    add_normals(heaters, spread, *values);
    *values = values->cwiseMax(0.1);  // a heater needs some power and has some resistance
  }
  return mesh;
}

/// Levels of width and height, and fields of unit variance (sites, 2), of one chip.
struct DieDraw {
  DieLevel width, height;
  Eigen::MatrixXd field;
};

template <class Process>
DieDraw draw_die(const Process& process, const ProcessModel& model, const MeshAddress& first) {
  const ChipOrigin origin = chip_origin(process.dies, first.chip);
  Stream wafer(first.seed, Purpose::wafer_variation, origin.wafer);
  Stream die(first.seed, Purpose::die_variation, first.chip);
  DieDraw drawn;
  drawn.width = draw_level(model.width, origin.corner, process.wafer_radius_m, wafer, die);
  drawn.height = draw_level(model.height, origin.corner, process.wafer_radius_m, wafer, die);
  drawn.field = Eigen::MatrixXd::Zero(process.field.sites, 2);
  if (model.width.field_m != 0.0 || model.height.field_m != 0.0) {
    Stream stream(first.seed, Purpose::process_field, first.chip, first.mesh);
    drawn.field = draw_field_pair(process.field, stream);
  }
  return drawn;
}

/// All meshes; mesh i has the streams of mesh first_mesh + i.
std::vector<FabricatedMesh> fabricate(const DieProcess& process, const ProcessModel& model,
                                      const MeshAddress& first) {
  const DieDraw drawn = draw_die(process, model, first);
  std::vector<FabricatedMesh> meshes;
  Eigen::Index begin = 0;
  for (std::size_t i = 0; i < process.plans.size(); ++i) {
    const MeshFloorPlan& plan = process.plans[i];
    const Sites sites = joined(field_parts(plan));
    const Eigen::Index count = sites.count();
    const MeshAddress address{first.seed, first.chip, first.mesh + static_cast<std::uint32_t>(i)};
    meshes.push_back(finish_mesh(
        process.topologies[i], plan, model, address,
        dimension(drawn.width, sites, model.width.field_m, drawn.field.col(0).segment(begin, count)),
        dimension(drawn.height, sites, model.height.field_m, drawn.field.col(1).segment(begin, count))));
    begin += count;
  }
  return meshes;
}

}  // namespace

PlaceProcess prepare_places(Sites sites, const ProcessModel& model, const WaferMap& wafer,
                            const FieldSettings& field) {
  validate_process(model);
  PlaceProcess process{std::move(sites), model, dies_on_wafer(wafer), wafer.radius_m, {}};
  if (model.width.field_m != 0.0 || model.height.field_m != 0.0)
    process.field = factorise_field(process.sites, model.kernel, model.correlation_length_m, field);
  process.field.sites = process.sites.count();
  return process;
}

Eigen::MatrixXd dimension_changes(const PlaceProcess& process, std::uint64_t seed, std::uint32_t chip) {
  const ProcessModel& model = process.model;
  const DieDraw drawn = draw_die(process, model, {seed, chip, 0});
  Eigen::MatrixXd changes(process.sites.count(), 2);
  changes.col(0) = dimension(drawn.width, process.sites, model.width.field_m, drawn.field.col(0));
  changes.col(1) = dimension(drawn.height, process.sites, model.height.field_m, drawn.field.col(1));
  return changes;
}

DieProcess prepare_die(std::vector<MeshTopology> topologies, std::vector<MeshFloorPlan> plans,
                       const ProcessModel& model, const WaferMap& wafer, const FieldSettings& field) {
  validate_process(model);
  validate(topologies.size() == plans.size() && !plans.empty(),
           "{} topologies with {} floor plans (one plan for each, at least one). Give as many.",
           topologies.size(), plans.size());
  std::vector<Sites> sites;
  std::vector<const Sites*> parts;
  for (std::size_t i = 0; i < plans.size(); ++i) {
    const MeshTopology& t = topologies[i];
    validate_topology(t);
    validate(plans[i].alpha.count() == t.mzi_count() && plans[i].output.count() == t.ports &&
                 plans[i].phi_arms.count() == t.columns() * t.ports,
             "floor plan {} has {} MZIs and {} ports (its mesh has {} and {}). Give the plan made from this "
             "topology.",
             i, plans[i].alpha.count(), plans[i].output.count(), t.mzi_count(), t.ports);
    sites.push_back(joined(field_parts(plans[i])));
  }
  for (const Sites& s : sites) parts.push_back(&s);
  DieProcess process;
  process.dies = dies_on_wafer(wafer);
  process.wafer_radius_m = wafer.radius_m;
  process.model = model;
  const bool varies = model.width.field_m != 0.0 || model.height.field_m != 0.0;
  const Sites all = joined(parts);
  if (varies) process.field = factorise_field(all, model.kernel, model.correlation_length_m, field);
  process.field.sites = all.count();
  process.topologies = std::move(topologies);
  process.plans = std::move(plans);
  return process;
}

std::vector<FabricatedMesh> fabricate_die(const DieProcess& process, std::uint64_t seed, std::uint32_t chip) {
  return fabricate(process, process.model, {seed, chip, 0});
}

std::vector<FabricatedMesh> fabricate_die(const DieProcess& process, const ProcessModel& model,
                                          std::uint64_t seed, std::uint32_t chip) {
  validate_process(model);
  validate(
      model.kernel == process.model.kernel && model.correlation_length_m == process.model.correlation_length_m,
      "correlation_length_m = {} on a die prepared for {} (its random field is factorised for one kernel and "
      "length). Prepare a die for this process.",
      model.correlation_length_m, process.model.correlation_length_m);
  const bool factorised = process.field.cholesky.size() > 0 || !process.field.amplitude.empty();
  validate(factorised || (model.width.field_m == 0.0 && model.height.field_m == 0.0),
           "field_m = {} of width and {} of height on a die prepared without a random field (none was "
           "factorised). Prepare a die for this process.",
           model.width.field_m, model.height.field_m);
  return fabricate(process, model, {seed, chip, 0});
}

FabricatedMesh fabricate_mesh(const DieProcess& process, const MeshAddress& address) {
  validate(process.plans.size() == 1,
           "a die of {} meshes (fabricate_mesh draws a die of one). Use fabricate_die.", process.plans.size());
  return std::move(fabricate(process, process.model, address).front());
}

MeshErrors calibrated_errors(const FabricatedMesh& mesh, const Calibration& calibration,
                             const MeshAddress& address) {
  ErrorModel residual;
  residual.sigma_cal_rad = calibration.sigma_cal_rad;
  residual.sigma_phase_rad = calibration.sigma_phase_rad;
  validate_errors(residual);
  MeshErrors errors = mesh.errors;
  MeshTopology shape;  // of which draw_mesh_errors needs the sizes alone
  shape.ports = static_cast<int>(errors.output_offset.size());
  shape.mzis.resize(static_cast<std::size_t>(errors.alpha.size()));
  const MeshErrors drawn = draw_mesh_errors(shape, residual, address);
  errors.theta_offset = drawn.theta_offset;
  errors.phi_offset = drawn.phi_offset;
  errors.output_offset = drawn.output_offset;
  return errors;
}

MeshErrors fabricate_mesh(const MeshTopology& topology, const MeshFloorPlan& plan, const ProcessModel& model,
                          const MeshAddress& address, const Calibration& calibration) {
  const DieProcess process = prepare_die({topology}, {plan}, model);
  return calibrated_errors(fabricate_mesh(process, address), calibration, address);
}

}  // namespace optinc
