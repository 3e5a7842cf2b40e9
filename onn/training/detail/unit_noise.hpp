#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "onn/chip/chip_design.hpp"
#include "onn/link/noise.hpp"
#include "onn/training/detail/arrival.hpp"
#include "onn/training/detail/layers.hpp"

// The noise of a whole unit as training meets it: what transmit() adds to values, given the network as it is at
// every step.

namespace optinc::training {

/// Noise of the receivers behind one layer, in values. With v what light carries to a receiver, L the largest
/// value that enters the layer (full scale of the modulators before it; 1 at the first) and g the layer's gain,
/// its largest |sigma|:
///
///   noise = sqrt((dark L g)^2 + (shot v)^2) n + e (v + common_mode L g),
///
/// n normal, e normal of rms `rin` and common to all receivers of a word. Modulators and attenuators are
/// passive: a layer whose largest sigma or largest input grows puts less light per value on its receivers.
struct LayerNoise {
  float dark = 0;         ///< rms of amplifier noise and of the oscillator's shot noise where L = g = 1
  float shot = 0;         ///< rms of the signal's shot noise where v = 1
  float rin = 0;          ///< rms of the seed laser's relative intensity
  float common_mode = 0;  ///< value of what a pair of diodes does not reject of the oscillator, where L = g =
                          ///< 1; its sign alternates between receivers
};

/// How strong the noise of a layer is where it acts.
struct NoiseStrength {
  float scale = 1;       ///< of all rms
  float largest_in = 1;  ///< L, the largest input of the layer
  float gain = 1;        ///< g of the layer
};

/// Slopes of the noise of a layer, (outputs, words) each.
struct NoiseSlopes {
  MatrixF light;  ///< by what light carries, v, the value itself left out
  MatrixF gain;   ///< by the layer's gain g
};

/// Adds the noise of a layer to its `values` (outputs, words), whose light is `light`.
void add_noise(const LayerNoise& noise, const NoiseStrength& strength, const MatrixF& light, Stream& stream,
               MatrixF& values, NoiseSlopes& slopes);

/// Noise of a unit in training, of the sources that its switches leave on.
class UnitNoise {
 public:
  /// That of a unit of this hardware around `design`, whose chips lose what `chip` says.
  UnitNoise(const ChipDesign& design, const ErrorModel& chip, const UnitHardware& hardware,
            const NoiseSwitches& switches);

  /// What unit P hands on for these words of the task's enumeration, less input_shift, (digits, words). Each
  /// sum is shared out among the servers at random; every server's light meets a lock error of its own, times
  /// `scale`, and the combiners of chip number `chip` of `seed`.
  MatrixF inputs(std::span<const std::uint64_t> words, double scale, std::uint64_t seed, std::uint32_t chip,
                 Stream& stream) const;
  /// Noise and steps of the servers' converters, on digits (digits, words).
  void convert(MatrixF& digits, Stream& stream) const;

  /// Ceilings of hidden layers' neurons as one chip has them, their spread times `scale`, [layer](outputs);
  /// none where limiters are hard and equal.
  std::vector<VectorF> ceilings(const std::vector<Layer>& layers, float scale, Stream stream) const;
  /// Knee of all of them.
  float limiter_knee() const { return static_cast<float>(hardware_.link.limiter_knee); }
  /// Noise behind layer l.
  const LayerNoise& layer(std::size_t l) const { return layers_[l]; }
  /// How light reaches the values of all layers.
  const ArrivalModel& arrival() const { return arrival_; }
  /// Light of the first layer's input x, in values: x + input_light().
  float input_light() const { return input_light_; }

 private:
  Task task_;
  UnitHardware hardware_;
  NoiseSwitches switches_;
  double lock_rms_rad_ = 0.0;
  double lane_unit_ = 1.0;  // field of an average of value 1, as calibration sees it, sqrt(W)
  float input_light_ = 0.0f;
  std::vector<LayerNoise> layers_;
  ArrivalModel arrival_;
};

}  // namespace optinc::training
