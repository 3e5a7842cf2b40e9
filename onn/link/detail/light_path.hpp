#pragma once

#include <vector>

#include "onn/chip/chip.hpp"
#include "onn/link/noise.hpp"
#include "physics/core/field.hpp"

// How light goes from layer to layer of a chip: what transmit() sends words along.

namespace optinc {

/// Transfer matrix as two real planes. Here and below, `Real` is what a block of words is computed in.
template <class Real>
struct TransferPlanes {
  Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic> re, im;
};

/// Fields behind a layer. Without a modulator's leak, re-modulated light is in phase with the seed and only
/// unit P's output has two quadratures. Of what leaves, receivers see the quadrature by its shot noise alone:
/// `whole` asks for it. An empty plane `in.im` is one of zeros.
template <class Real>
FieldBatchOf<Real> apply_transfer(const TransferPlanes<Real>& transfer, const FieldBatchOf<Real>& in,
                                  bool whole);

/// What a layer does to light that all words share.
template <class Real>
struct LayerPath {
  TransferPlanes<Real> transfer;  ///< of the chip's meshes and all passive losses up to its receivers
  double passed = 1.0;  ///< field ratio from behind the meshes to the receivers, in `transfer` already
  double gain = 1.0;    ///< from current to value
  VectorOf<Real> bias;  ///< what receivers add: the network's, and what signed levels leave out
  std::vector<double> lane_full_scale;  ///< (inputs): largest field of its modulator behind its losses, sqrt(W)
  std::vector<double> lane_factor;      ///< (inputs): split, and dimmed to the weakest lane's field per unit
  std::vector<bool> lane_driven;  ///< (inputs): a receiver drives its modulator; else it is light passed on
  bool undimmed = true;           ///< every read of its outputs takes a modulator's drive as it is
  /// The inputs are all outputs of one layer (or of unit P), in order, undimmed, and what modulators send is
  /// their drive.
  bool inputs_unchanged = false;
  /// Whether the shot noise of light in quadrature is computed. Always in double, and of light that is passed
  /// on or leaks. Of a layer that reads drives alone it is left out in float where it changes the noise of no
  /// receiver by more than a thousandth (of late light, by a few per cent of that more).
  bool quadrature_counts = true;
};

/// Whether single precision can follow the light: not where a digit arrives so weak (some 300 dB below another)
/// that its square is 0.
bool single_precision_follows(const LitUnit& unit);

/// Of every layer. With lock errors among the noise, gains undo their mean. Receivers behind neurons read
/// |q_j| <= sum_i |Im T_ji| E in quadrature, E a modulator's full scale, which raises their variance by the
/// factor 1 + per_watt_a2 |q_j|^2 / dark_a2 at most (ReceiverVariance).
template <class Real>
std::vector<LayerPath<Real>> layer_paths(const LitUnit& unit);

/// Fields at the inputs of a layer, from unit P's lanes and what stands behind the layers before it: light, or
/// the drives of modulators (`re` alone) where it is received, incoherent averages too. A modulator dims its
/// lane by its drive: limit, sine and leak are those of the level it sends.
template <class Real>
FieldBatchOf<Real> gathered(const LayerDesign& layer, const LayerPath<Real>& path,
                            const FieldBatchOf<Real>& unit_p_lanes,
                            const std::vector<FieldBatchOf<Real>>& behind, const MzmSettings& modulator);

}  // namespace optinc
