#pragma once

#include <array>
#include <span>
#include <vector>

#include "onn/link/detail/late_light.hpp"
#include "onn/link/detail/light_path.hpp"
#include "onn/link/detail/receivers.hpp"
#include "onn/link/unit_p.hpp"

// A unit as words pass through it: unit P, and then one stage after the other.

namespace optinc {

/// Instants at which receivers sample, s after their own: their own alone.
inline constexpr std::array<double, 1> own_instant = {0.0};

/// One stage of a unit: modulators at its inputs, a layer's meshes, the receivers behind them, and the neurons
/// whose outputs drive the modulators of the stages that read them. Here stands what may differ from stage to
/// stage: light (full scales, the receivers' oscillators), bandwidth, sampler and taps (receivers.in_time),
/// thresholds (path.bias) and converter. unit_stages() gives all of them the devices of UnitHardware.
template <class Real>
struct Stage {
  const LayerDesign& layer;
  MzmSettings modulator;            ///< one at each input that a receiver drives
  LayerPath<Real> path;             ///< effect of meshes and losses on light; gains and thresholds of receivers
  double oscillator_drift_rad;      ///< light against all oscillators of the layer, since these were set
  double oscillator_linewidth_rad;  ///< the same, drawn for every word: rms
  StageReceivers receivers;
  Eigen::VectorXd ceilings;  ///< (outputs) of real limiters; empty: hard ones at the network's ceiling
  double limiter_knee;       ///< of real limiters
  double full_scale_w;       ///< power that a modulator sends for the layer's largest output
  AdcSettings converter;     ///< of the servers that receive the layer

  /// Whether servers receive it, in place of neurons.
  bool at_servers() const { return layer.ending == LayerEnd::servers; }
  /// Whether light turns against the oscillators of its receivers.
  bool oscillators_turn() const {
    return layer.received() && (oscillator_drift_rad != 0 || oscillator_linewidth_rad > 0);
  }
  /// Whether anything depends on the quadrature of its light: the next layer, shot noise, or a receiver whose
  /// oscillator is out of phase.
  bool needs_quadrature() const {
    return !layer.received() || (receivers.noise.shot && path.quadrature_counts) || oscillators_turn() ||
           receivers.oscillator_rad.size() > 0;
  }
};

/// A fabricated unit, as one channel of a chip uses it. What `lit` refers to must outlive it.
template <class Real>
struct UnitStages {
  LitUnit lit;
  CombinerWeights combiners;  ///< of unit P
  LateLight late;             ///< of modulators that are late
  std::vector<Stage<Real>> stages;

  /// Whether its words are followed sample by sample.
  bool analogue() const { return stages.front().receivers.in_time.analogue.has_value(); }
};

/// The stages of a unit with what fabrication left of its electronics. `paths`: those of layer_paths(), whose
/// gains were calibrated for this noise or another. `noisy`: receivers that draw the unit's noise. Late light
/// is followed for receivers that sample at these instants, s after their own.
template <class Real>
UnitStages<Real> unit_stages(const LitUnit& unit, std::vector<LayerPath<Real>> paths,
                             const TransmissionSeed& seed, NoisyReceivers noisy,
                             std::span<const double> instants_s = own_instant);

/// Words before and after a word that reach it by interference, through all stages in series.
template <class Real>
Neighbours neighbours(const UnitStages<Real>& unit);

/// The same unit with words so slow that every value settles.
template <class Real>
UnitStages<Real> settled(UnitStages<Real> unit);

}  // namespace optinc
