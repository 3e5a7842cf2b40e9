#include "experiments/files/chips/chip_file.hpp"

#include <algorithm>
#include <cmath>

#include "experiments/files/hdf5/provenance.hpp"
#include "experiments/files/hdf5/stored_values.hpp"
#include "experiments/files/readers/mesh_rows.hpp"
#include "physics/core/check.hpp"
#include "physics/variation/error_model_rows.hpp"

namespace optinc {
namespace {

/// One dataset per MZI of a mesh: where it lies, and what a file says of it.
struct MziErrorField {
  Vector MeshErrors::*member;
  std::string_view name, unit, meaning;
};

constexpr MziErrorField mzi_fields[] = {
    {&MeshErrors::alpha, "alpha", "rad", "error of the first splitter's angle"},
    {&MeshErrors::beta, "beta", "rad", "error of the second splitter's angle"},
    {&MeshErrors::theta_offset, "theta_offset", "rad", "offset of the internal phase"},
    {&MeshErrors::phi_offset, "phi_offset", "rad", "offset of the external phase"},
    {&MeshErrors::theta_arm_loss_db, "theta_arm_loss", "dB", "loss of the arm with the internal heater"},
    {&MeshErrors::phi_arm_loss_db, "phi_arm_loss", "dB", "loss of the arm with the external heater"},
    {&MeshErrors::theta_other_loss_db, "theta_other_loss", "dB", "loss of the arm beside the internal heater"},
    {&MeshErrors::phi_other_loss_db, "phi_other_loss", "dB", "loss of the arm beside the external heater"},
};

bool is_without_heater(const MziErrorField& field) {
  return field.member == &MeshErrors::theta_other_loss_db || field.member == &MeshErrors::phi_other_loss_db;
}

std::vector<double> values_of(const Vector& vector) { return {vector.begin(), vector.end()}; }

Vector vector_of(const std::vector<double>& values) {
  return Eigen::Map<const Vector>(values.data(), static_cast<Eigen::Index>(values.size()));
}

void require_losses(const Group& group, std::string_view name, const Vector& losses_db) {
  validate((losses_db.array() >= 0.0).all(),
           "{}: a loss of {} dB (losses are >= 0: light is not amplified). Set a value in this range.",
           group.where(name), losses_db.size() == 0 ? 0.0 : losses_db.minCoeff());
}

ErrorModel load_model(const Group& group) {
  ErrorModel model;
  visit_rows(model, [&](const Row& info, auto& member) {
    FieldValue value = to_field_value(member);
    const Attributes attributes = group.attributes();
    if (std::holds_alternative<std::string>(value))
      value = std::string(present_name(attributes.text(info.key), info.former));
    else if (std::holds_alternative<bool>(value))  // a switch that older files do not know is off
      value = attributes.has(info.key) && attributes.integer(info.key) != 0;
    else if (std::holds_alternative<std::int64_t>(value))
      value = attributes.integer(info.key);
    else
      value = attributes.number(info.key);
    check_row(fmt::format("{}: attribute {}", group.where(), info.key), info, value);
    from_field_value(member, value);
  });
  return model;
}

/// `blocks`: of every layer; `meshes`: of all blocks, as meshes_of() numbers them.
void require_meshes(const std::vector<std::size_t>& blocks, const std::vector<MeshTopology>& meshes,
                    const ChipErrors& errors, std::string_view where) {
  validate(errors.layers.size() == blocks.size(),
           "{}: {} layers where {} are expected (the chip was fabricated for another network). Give the chip "
           "of this one.",
           where, errors.layers.size(), blocks.size());
  auto mesh = meshes.begin();
  for (std::size_t l = 0; l < errors.layers.size(); ++l) {
    validate(errors.layers[l].size() == blocks[l],
             "{}: layer{} has {} blocks where {} are expected (the chip was fabricated for another network). "
             "Give the chip of this one.",
             where, l, errors.layers[l].size(), blocks[l]);
    for (std::size_t b = 0; b < blocks[l]; ++b) {
      const std::string at = fmt::format("{}: layer{}/block{}", where, l, b);
      require_fit(*mesh++, errors.layers[l][b].mesh, at + "/mesh");
      require_fit(*mesh++, errors.layers[l][b].attenuators, at + "/attenuators");
    }
  }
}

}  // namespace

MeshErrors load_mesh_errors(const Group& group) {
  MeshErrors errors;
  errors.output_offset =
      vector_of(finite_values(group, "output_offset", {stored_length(group, "output_offset", most_ports)}));
  // older files hold one loss of all arms without heater
  const bool older = group.exists("other_arm_loss");
  const std::string_view idle = older ? "other_arm_loss" : "idle_arm_loss";
  errors.idle_arm_loss_db = group.read<double>(idle, {}).front();
  validate(std::isfinite(errors.idle_arm_loss_db) && errors.idle_arm_loss_db >= 0.0,
           "{}: {} dB (a loss is finite and >= 0). Set a value in this range.", group.where(idle),
           errors.idle_arm_loss_db);
  const bool any = std::any_of(std::begin(mzi_fields), std::end(mzi_fields),
                               [&](const MziErrorField& field) { return group.exists(field.name); });
  const std::size_t count = any ? stored_length(group, "alpha", most_mzis) : 0;
  for (const auto& field : mzi_fields) {
    Vector& values = errors.*field.member;
    if (older && is_without_heater(field))
      values.setConstant(static_cast<Eigen::Index>(count), errors.idle_arm_loss_db);
    else if (any)
      values = vector_of(finite_values(group, field.name, {count}));
    if (field.unit == "dB") require_losses(group, field.name, values);
  }
  return errors;
}

void save_mesh_errors(const Group& group, const MeshErrors& errors) {
  group.counting_dimension("port", static_cast<std::size_t>(errors.output_offset.size()),
                           "waveguide, top to bottom");
  group.dataset("output_offset", {"port"}, values_of(errors.output_offset), "rad",
                "phase offset of the output screen");
  group.dataset("idle_arm_loss", {}, std::vector<double>{errors.idle_arm_loss_db}, "dB",
                "loss of a dummy arm, two of which a waveguide without an MZI passes per column");
  if (errors.alpha.size() == 0) return;  // a bare waveguide; HDF5 dimensions have at least one value
  group.counting_dimension("mzi", static_cast<std::size_t>(errors.alpha.size()),
                           "MZI in column order, top to bottom in a column");
  for (const auto& field : mzi_fields)
    group.dataset(field.name, {"mzi"}, values_of(errors.*field.member), field.unit, field.meaning);
}

void save_chip(const Group& group, const ChipErrors& errors, const ErrorModel& model) {
  visit_rows(model, [attributes = group.attributes()](const Row& info, const auto& member) {
    set_field(attributes, info, to_field_value(member));
  });
  save_chip_errors(group, errors);
}

void save_chip_errors(const Group& group, const ChipErrors& errors) {
  group.attributes().set("layers", static_cast<std::int64_t>(errors.layers.size()));
  for (std::size_t l = 0; l < errors.layers.size(); ++l) {
    const Group layer = group.group(fmt::format("layer{}", l));
    layer.attributes().set("blocks", static_cast<std::int64_t>(errors.layers[l].size()));
    for (std::size_t b = 0; b < errors.layers[l].size(); ++b) {
      save_mesh_errors(layer.group(fmt::format("block{}/mesh", b)), errors.layers[l][b].mesh);
      save_mesh_errors(layer.group(fmt::format("block{}/attenuators", b)), errors.layers[l][b].attenuators);
    }
  }
}

StoredChip load_chip(const Group& group) {
  const bool drawn = group.attributes().has("preset");  // a measured chip comes from no statistics
  return {load_chip_errors(group), drawn ? load_model(group) : ErrorModel{}};
}

ChipErrors load_chip_errors(const Group& group) {
  constexpr std::int64_t most_layers = 1000, most_blocks = 4096;  // as in network files
  ChipErrors errors;
  const std::int64_t layers = stored_count(group, "layers", most_layers);
  for (std::int64_t l = 0; l < layers; ++l) {
    const Group layer = group.open(fmt::format("layer{}", l));
    const std::int64_t blocks = stored_count(layer, "blocks", most_blocks);
    auto& loaded = errors.layers.emplace_back();
    for (std::int64_t b = 0; b < blocks; ++b)
      loaded.push_back({load_mesh_errors(layer.open(fmt::format("block{}/mesh", b))),
                        load_mesh_errors(layer.open(fmt::format("block{}/attenuators", b)))});
  }
  return errors;
}

StoredChip read_chip(const std::filesystem::path& path) {
  const File file = File::open(path);
  refuse_newer_schema(file);
  return load_chip(file.root().open("chip"));
}

void require_fit(const MeshTopology& topology, const MeshErrors& errors, std::string_view where) {
  validate(errors.alpha.size() == topology.mzi_count() && errors.output_offset.size() == topology.ports,
           "{}: {} MZIs on {} ports where {} on {} are expected (the chip was fabricated for another network). "
           "Give the chip of this one.",
           where, errors.alpha.size(), errors.output_offset.size(), topology.mzi_count(), topology.ports);
}

void require_fit(const ChipDesign& design, const ChipErrors& errors, std::string_view where) {
  std::vector<std::size_t> blocks;
  for (const LayerDesign& layer : design.layers) blocks.push_back(layer.blocks.size());
  require_meshes(blocks, meshes_of(design), errors, where);
}

void require_fit(const Network& shape, const ChipErrors& errors, std::string_view where) {
  std::vector<std::size_t> blocks;
  for (const SigmaULayer& layer : shape.layers) blocks.push_back(static_cast<std::size_t>(layer.blocks()));
  require_meshes(blocks, meshes_of(shape), errors, where);
}

}  // namespace optinc
