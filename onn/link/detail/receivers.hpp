#pragma once

#include <array>
#include <optional>

#include "onn/hardware/unit_hardware.hpp"
#include "onn/link/noise.hpp"
#include "physics/core/field.hpp"
#include "physics/random/stream.hpp"

// What the receivers of one layer make of its light: settled, or of words in succession.

namespace optinc {

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
};

/// Words before and after a word that reach it by interference.
struct Neighbours {
  Eigen::Index earlier = 0, later = 0;
};

/// Those of a unit of so many stages in series.
Neighbours neighbours(const StageInTime& stage, const UnitHardware& hardware, Eigen::Index stages);

/// Homodyne currents (ports, words), A, of fields against local oscillators of these phases (none: in phase),
/// with the noise that is switched on. Columns are words, or samples where the stage is analogue; those before
/// the first count as dark.
template <class Real>
typename FieldBatchOf<Real>::Plane detect(const FieldBatchOf<Real>& fields, const UnitHardware& hardware,
                                          const Eigen::VectorXd* phase_rad, const StageInTime& stage,
                                          const NoiseSwitches& noise, Stream& stream);

}  // namespace optinc
