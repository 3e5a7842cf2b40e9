#pragma once

#include <memory>
#include <span>
#include <vector>

#include "experiments/models/measured_chips.hpp"
#include "experiments/study/study_config.hpp"
#include "physics/mesh/topology.hpp"

namespace optinc {

/// Where the chips of a study are made, or come from as they were measured. Copies share what was prepared, so
/// that a random field is factorised once for all trials and threads. The 16 fields used last are kept: beyond,
/// one is factorised again.
class Foundry {
 public:
  /// Nothing prepared yet. `chips`: those that chip.measured names.
  explicit Foundry(MeasuredChips chips = {});

  /// The measured chip that this point names, null where it names none. Throws Error as measured_chip() does.
  const ChipErrors* measured(const StudyConfig& at_point) const;

  /// What the devices of a chip of these meshes share at this point: nothing under fabrication.process =
  /// "independent", and where every spread is 0. The same whatever was prepared before. Throws Error as
  /// placed_on_die() and prepare_die() do, the keys named.
  SharedVariation variation(const std::vector<MeshTopology>& meshes, const StudyConfig& at_point) const;

  struct DieKey;  ///< what a prepared die depends on

 private:
  struct Prepared;
  std::shared_ptr<Prepared> prepared_;
  std::shared_ptr<const MeasuredChips> chips_;
};

/// Bytes of the random fields that the points of a study keep over these meshes, and of those that trials on so
/// many threads draw at once. 0 where no chip comes from a wafer.
double field_memory_bytes(const StudyConfig& config, std::span<const MeshTopology> meshes, int threads);

}  // namespace optinc
