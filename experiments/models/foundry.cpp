#include "experiments/models/foundry.hpp"

#include <algorithm>
#include <list>
#include <mutex>

#include "experiments/study/points.hpp"
#include "physics/core/check.hpp"

namespace optinc {
namespace {

constexpr std::size_t most_kept = 16;

bool from_wafers(const StudyConfig& config) { return config.fabrication.process == FabricationProcess::wafer; }

/// Bytes that a random field keeps, and that a draw takes beside them.
struct FieldBytes {
  double kept = 0.0, drawn = 0.0;
};
FieldBytes field_bytes(std::span<const MeshTopology> meshes, const StudyConfig& c) {
  constexpr double number = sizeof(double), pair = 2 * number;
  const FloorPlanSettings& layout = c.hardware.layout;
  double sites = 0.0, area_m2 = 0.0, length_m = 0.0;
  for (const MeshTopology& mesh : meshes) {
    const double along = mesh.columns() * layout.mzi_length_m + arm_length_m(layout);
    sites += 2.0 * mesh.mzi_count() + 2.0 * mesh.columns() * mesh.ports + mesh.ports;
    area_m2 += along * mesh.ports * layout.mzi_width_m / 2;
    length_m = std::max(length_m, along);
  }
  const double along_m = meshes.size() == 1 ? length_m : std::max(length_m, c.fabrication.wafer.die_length_m);
  if (sites <= static_cast<double>(FieldSettings{}.cholesky_sites))
    return {number * sites * sites, 2 * pair * sites};
  // the lattice of all devices (place_meshes), over the die at the most, padded as factorise_field pads it;
  // periods of smooth kernels grow once more by half
  const bool smooth = c.fabrication.shared.kernel == Kernel::gaussian;
  const double length = c.fabrication.shared.correlation_length_m;
  const auto padded = [&](double extent_m, double lattice_m) {
    const double step = smooth ? std::max(lattice_m, length / 32) : lattice_m;
    return 2 * std::max(extent_m, (smooth ? 5.0 : 5.5) * length) / step;
  };
  const double width_m = std::min(c.fabrication.wafer.die_width_m, 2 * area_m2 / length_m);
  const double nodes = std::min(
      (smooth ? 1.5 : 1.0) * padded(along_m, layout.mzi_length_m / 4) * padded(width_m, layout.mzi_width_m / 4),
      static_cast<double>(FieldSettings{}.max_grid_points));
  return {number * nodes + 5 * number * sites, 2 * pair * nodes + pair * sites};
}

bool sweeps_places(const StudyConfig& config) {
  for (const SweepAxis& axis : config.sweeps)
    for (const SweptKey& key : axis.keys)
      if (key.key.starts_with("fabrication.") || key.key.starts_with("layout.")) return true;
  return false;
}

}  // namespace

/// All that the places of devices and the factorised field depend on.
struct Foundry::DieKey {
  std::vector<MeshTopology> meshes;
  std::vector<double> lengths_m;
  Kernel kernel = Kernel::exponential;
  bool has_field = false;  // without one, none is factorised

  DieKey(std::span<const MeshTopology> of, const StudyConfig& c) : meshes(of.begin(), of.end()) {
    const FloorPlanSettings& layout = c.hardware.layout;
    const WaferMap& wafer = c.fabrication.wafer;
    lengths_m = {layout.mzi_length_m,    layout.mzi_width_m, layout.coupler_length_m,
                 layout.heater_length_m, wafer.radius_m,     wafer.edge_exclusion_m,
                 wafer.die_length_m,     wafer.die_width_m,  c.fabrication.shared.correlation_length_m};
    const ProcessModel& shared = c.fabrication.shared;
    kernel = shared.kernel;
    has_field = shared.width.field_m != 0.0 || shared.height.field_m != 0.0;
  }
  bool operator==(const DieKey&) const = default;
};

/// What was prepared, the last used first.
struct Foundry::Prepared {
  struct Entry {
    DieKey key;
    std::shared_ptr<const DieProcess> die;
  };
  std::mutex one_at_a_time;  // held while a field is factorised: others most likely wait for the same
  std::list<Entry> entries;
};

Foundry::Foundry(MeasuredChips chips)
    : prepared_(std::make_shared<Prepared>()),
      chips_(std::make_shared<const MeasuredChips>(std::move(chips))) {}

const ChipErrors* Foundry::measured(const StudyConfig& at_point) const {
  const MeasuredChip* chip = measured_chip(at_point, *chips_);
  return chip == nullptr ? nullptr : &chip->errors;
}

SharedVariation Foundry::variation(const std::vector<MeshTopology>& meshes, const StudyConfig& at_point) const {
  if (!from_wafers(at_point) || !varies(at_point.fabrication.shared)) return {};
  const FabricationSettings& made = at_point.fabrication;
  SharedVariation variation{nullptr, made.shared};
  variation.shared.wavelength_m = at_point.hardware.laser.wavelength_m;
  DieKey key(meshes, at_point);
  const std::lock_guard lock(prepared_->one_at_a_time);
  auto& entries = prepared_->entries;
  const auto found = std::ranges::find(entries, key, &Prepared::Entry::key);
  if (found != entries.end()) {
    entries.splice(entries.begin(), entries, found);
  } else {
    try {
      const DiePlan plan = placed_on_die(meshes, at_point.hardware.layout, made.wafer);
      entries.push_front({std::move(key), std::make_shared<const DieProcess>(
                                              prepare_die(meshes, plan.meshes, variation.shared, made.wafer))});
    } catch (const Error& error) {
      if (!error.field.empty()) throw Error(fmt::format("fabrication.{}", error.what()));
      throw Error(fmt::format("fabrication.correlation_length_m = {}: {}", made.shared.correlation_length_m,
                              error.what()));
    }
    if (entries.size() > most_kept) entries.pop_back();
  }
  variation.die = entries.front().die;
  return variation;
}

double field_memory_bytes(const StudyConfig& config, std::span<const MeshTopology> meshes, int threads) {
  std::vector<Foundry::DieKey> counted;
  double kept = 0.0, drawn = 0.0;
  const StudyPoints at(config);
  const std::size_t points = sweeps_places(config) ? at.size() : 1;
  for (std::size_t p = 0; p < points && counted.size() < most_kept; ++p) {
    const StudyConfig point = at[p];
    if (!from_wafers(point)) continue;
    Foundry::DieKey key(meshes, point);
    if (std::ranges::find(counted, key) != counted.end()) continue;
    counted.push_back(std::move(key));
    const FieldBytes bytes = field_bytes(meshes, point);
    kept += bytes.kept;
    drawn = std::max(drawn, bytes.drawn);
  }
  return kept + threads * drawn;
}

}  // namespace optinc
