#pragma once

#include <span>
#include <vector>

#include "onn/link/detail/light_path.hpp"
#include "onn/link/detail/receivers.hpp"
#include "onn/link/unit_p.hpp"
#include "onn/task/codes.hpp"

// Light of modulators that are late. Each lane's is followed as what its receivers will sample of it, since
// lanes that meet in a mesh have answers of their own. A laser's linewidth therefore turns samples of late
// light, but words of light on time, before they interfere.

namespace optinc {

/// What receivers sample of light, as sums over the words about a word. A modulator's samples stand in as many
/// planes, side by side, as there are parts.
struct LateLight {
  /// One of the planes: out_n = sum_k taps_k in_{n-k}, k from -before on.
  struct Part {
    std::vector<double> taps;
    int before = 0;  ///< of the taps, those of later words
  };
  using Modulator = std::vector<Part>;
  std::vector<std::vector<Modulator>> servers;  ///< [server][digit lane]
  std::vector<std::vector<Modulator>> layers;   ///< [layer][output]; empty where no modulators follow

  /// Whether all modulators are on time.
  bool none() const { return servers.empty(); }
  /// Planes of every lane.
  Eigen::Index parts() const { return none() ? 1 : static_cast<Eigen::Index>(servers[0][0].size()); }
};

/// That of a unit whose words come in time. Clocked: for each of the instants, s after a receiver's own, its
/// samples, and, with jitter, their slopes (1/s) and curvatures (1/s^2). Unclocked: one plane of samples
/// between which levels are interpolated. Of `stage`, sets what belongs to late light.
LateLight late_light(const LitUnit& unit, const TransmissionSeed& seed, StageInTime& stage,
                     std::span<const double> instants_s);

/// unit_p() of servers that are late: (digits, parts x words).
FieldBatch late_unit_p(const Task& task, const UnitHardware& hardware, const CombinerWeights& weights,
                       const Eigen::Ref<const Codes>& codes, std::span<const double> phase_rad,
                       const LateLight& late);

/// Fields at a layer's inputs, (inputs, parts x words), from those that modulators on time would send: of lanes
/// that are driven; others are late already.
template <class Real>
void make_late(FieldBatchOf<Real>& fields, const LayerDesign& layer, const LayerPath<Real>& path,
               const LateLight& late);

}  // namespace optinc
