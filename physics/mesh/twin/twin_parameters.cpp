#include "physics/mesh/twin/twin_parameters.hpp"

#include <array>

#include "physics/mesh/twin/twin_settings.hpp"

namespace optinc {
namespace {

/// A member of a twin that a kind of parameters moves, and by how much.
struct Part {
  Vector* member;
  double weight;
};

std::vector<Part> parts_of(TwinKind kind, MeshTwin& twin) {
  MeshErrors& e = twin.errors;
  switch (kind) {
    case TwinKind::alpha:
      return {{&e.alpha, 1}};
    case TwinKind::beta:
      return {{&e.beta, 1}};
    case TwinKind::theta_offset:
      return {{&e.theta_offset, 1}};
    case TwinKind::phi_offset:
      return {{&e.phi_offset, 1}};
    case TwinKind::theta_scale:
      return {{&twin.theta_scale, 1}};
    case TwinKind::phi_scale:
      return {{&twin.phi_scale, 1}};
    case TwinKind::mzi_loss:
      return {{&e.theta_arm_loss_db, 0.5},
              {&e.theta_other_loss_db, 0.5},
              {&e.phi_arm_loss_db, 0.5},
              {&e.phi_other_loss_db, 0.5}};
    case TwinKind::theta_imbalance:
      return {{&e.theta_arm_loss_db, 0.5}, {&e.theta_other_loss_db, -0.5}};
    case TwinKind::phi_imbalance:
      return {{&e.phi_arm_loss_db, 0.5}, {&e.phi_other_loss_db, -0.5}};
    case TwinKind::output_offset:
      return {{&e.output_offset, 1}};
    case TwinKind::input_gain:
      return {{&twin.input_gain_db, 1}};
    case TwinKind::output_gain:
      return {{&twin.output_gain_db, 1}};
  }
  return {};
}

bool is_of_port(TwinKind kind) {
  return kind == TwinKind::output_offset || kind == TwinKind::input_gain || kind == TwinKind::output_gain;
}

}  // namespace

std::vector<TwinKind> fitted_kinds(const TwinSettings& s, bool fields) {
  std::vector<TwinKind> kinds;
  const auto add = [&](bool fitted, std::initializer_list<TwinKind> more) {
    if (fitted) kinds.insert(kinds.end(), more);
  };
  add(s.splitters, {TwinKind::alpha, TwinKind::beta});
  add(s.offsets, {TwinKind::theta_offset, TwinKind::phi_offset});
  add(s.heaters, {TwinKind::theta_scale, TwinKind::phi_scale});
  add(s.losses == TwinLosses::mzi, {TwinKind::mzi_loss});
  add(s.losses == TwinLosses::arms, {TwinKind::theta_imbalance, TwinKind::phi_imbalance});
  add(s.offsets && fields, {TwinKind::output_offset});
  add(s.gains, {TwinKind::input_gain, TwinKind::output_gain});
  return kinds;
}

double prior_of(const TwinSettings& s, TwinKind kind) {
  switch (kind) {
    case TwinKind::alpha:
    case TwinKind::beta:
      return s.prior_splitter_rad;
    case TwinKind::theta_offset:
    case TwinKind::phi_offset:
    case TwinKind::output_offset:
      return s.prior_offset_rad;
    case TwinKind::theta_scale:
    case TwinKind::phi_scale:
      return 0.0;
    default:
      return s.prior_loss_db;
  }
}

TwinParameters::TwinParameters(const MeshTopology& topology, std::span<const TwinKind> kinds)
    : first_(names_of<TwinKind>().size(), -1) {
  for (const TwinKind kind : kinds) {
    blocks_.push_back({kind, size_, is_of_port(kind) ? topology.ports : topology.mzi_count()});
    first_[static_cast<std::size_t>(kind)] = size_;
    size_ += blocks_.back().count;
  }
}

void TwinParameters::add(const Vector& change, MeshTwin& to) const {
  for (const Block& block : blocks_)
    for (const auto& [member, weight] : parts_of(block.kind, to))
      *member += weight * change.segment(block.first, block.count);
}

MeshTwin TwinParameters::spread(const MeshTopology& topology, const Vector& values) const {
  MeshTwin twin = nominal_twin(topology);
  twin.theta_scale.setZero();
  twin.phi_scale.setZero();
  for (const Block& block : blocks_)
    for (const auto& [member, weight] : parts_of(block.kind, twin))
      *member = std::abs(weight) * values.segment(block.first, block.count);
  return twin;
}

}  // namespace optinc
