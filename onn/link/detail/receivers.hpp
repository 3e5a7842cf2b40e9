#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <vector>

#include "onn/hardware/unit_hardware.hpp"
#include "onn/link/noise.hpp"
#include "physics/core/field.hpp"
#include "physics/random/stream.hpp"

// What the receivers of one layer make of its light: settled, or of words in succession.

namespace optinc {

/// Values (ports, words) of a block.
template <class Real>
using PlaneOf = typename FieldBatchOf<Real>::Plane;

/// From the modulators of one layer to the rectifiers of the next, without a clock.
struct AnalogueStage {
  std::array<Lowpass, 2> stage;  ///< modulator, receiver
  double step_s = 0.0;           ///< from sample to sample
  Eigen::Index delay = 0;        ///< samples that a level comes later, which all lanes wait for
  double noise_gain = 1.0;       ///< rms that the receiver makes of white samples of rms 1
};

/// That of a unit whose words are unclocked; otherwise none.
std::optional<AnalogueStage> analogue_stage(const UnitHardware& u);

/// How a stage takes words in succession; settled where neither is there.
struct StageInTime {
  std::optional<ClockedChannel> clocked;
  std::optional<AnalogueStage> analogue;
  /// 0: no light is late, and receivers get words. Otherwise the planes that clocked receivers get, side by
  /// side: samples, and, with jitter, their slopes and curvatures, all with interference in them.
  int late_parts = 0;
};

/// out[p, n] = sum_k taps_k in[p, n - k], k from -before on; words beyond the first and last count as 0.
template <class Plane>
Plane along_words(const Plane& in, const std::vector<double>& taps, int before) {
  Plane out = Plane::Zero(in.rows(), in.cols());
  for (std::size_t at = 0; at < taps.size(); ++at) {
    const Eigen::Index k = static_cast<Eigen::Index>(at) - before, words = in.cols() - std::abs(k);
    if (words <= 0) continue;
    out.middleCols(std::max<Eigen::Index>(k, 0), words) +=
        static_cast<typename Plane::Scalar>(taps[at]) * in.middleCols(std::max<Eigen::Index>(-k, 0), words);
  }
  return out;
}

/// Words before and after a word that reach it by interference.
struct Neighbours {
  Eigen::Index earlier = 0, later = 0;
};

/// Those of a stage of the unit.
Neighbours neighbours(const StageInTime& stage, const UnitHardware& hardware);

/// The receivers of one stage: their devices, what fabrication and phase control left of each, how they take
/// words in succession, and the noise that acts.
struct StageReceivers {
  ReceiverSettings device;  ///< light of the oscillator, bandwidth, overload
  LaserSettings laser;      ///< seed of their light and of their oscillators
  double jitter_s = 0.0;    ///< rms of clocked receivers' sampling instants
  NoiseSwitches noise;
  StageInTime in_time;             ///< sampler, bandwidth and taps
  Eigen::VectorXd oscillator_rad;  ///< (ports) of local oscillators against their light; empty: all in phase
  Eigen::VectorXd offset_a;        ///< (ports) at front ends; empty: none
};

/// Homodyne currents (ports, words), A, of fields, with the receivers' noise. Columns of fields are words, or
/// samples where the stage is analogue; those before the first count as dark. An empty plane `im` is one
/// without light; receivers with phases of their own need it. `in_time`: the receivers' own, or the same stage
/// sampled at another instant.
template <class Real>
PlaneOf<Real> detect(const FieldBatchOf<Real>& fields, const StageReceivers& receivers,
                     const StageInTime& in_time, Stream& stream);

}  // namespace optinc
