#pragma once

#include <optional>
#include <vector>

#include "onn/hardware/unit_hardware.hpp"
#include "onn/training/detail/adam.hpp"
#include "physics/random/stream.hpp"

// How light reaches the values of a layer's receivers in training: against oscillators that are off phase, and,
// in clocked words, with interference and jitter.

namespace optinc::training {

/// What is the same for all receivers of a unit and for every step. With v what light carries to a receiver and
/// n a word of a share of the batch, the first after the last,
///
///   v_n  ->  v_n + scale (sum_m c_m s_{n-m} - v_n),   s_n = sum_k (h_k + late_n h'_k + late_n^2 h''_k / 2)
///   q_{n-k}, q_n = v_n cos(phase),
///
/// h, its derivatives and c of a ClockedChannel, late_n normal of rms jitter_s; settled words have s = q and c
/// = 1.
struct ArrivalModel {
  double oscillator_rad = 0.0;  ///< rms phase of each receiver's oscillator, constant for a share
  double dither_rad = 0.0;      ///< amplitude of its dither, whose instant is drawn for a share
  /// What differs from layer to layer.
  struct Layer {
    std::optional<ClockedChannel> channel;  ///< none: settled
    double walk_rad = 0.0;                  ///< rms phase that every word draws for all receivers of the layer
    double jitter_s = 0.0;                  ///< rms of its clocked receivers' sampling instants
  };
  std::vector<Layer> layers = {};

  /// Whether all light arrives as it was sent.
  bool plain() const;
};

/// One share's arrival at the receivers of one layer. The model must outlive it.
class Arrival {
 public:
  /// Draws phases and instants for so many receivers and words.
  Arrival(const ArrivalModel& model, std::size_t layer, Eigen::Index receivers, Eigen::Index words, float scale,
          Stream& stream);

  /// Values (receivers, words) of light that carries these.
  MatrixF values(const MatrixF& light) const;
  /// Slopes of a loss by the light, from those by the values: the transpose of values().
  MatrixF slopes(const MatrixF& by_values) const;

 private:
  const ArrivalModel::Layer* layer_;
  float scale_;
  MatrixF cosine_;  // of phases, (receivers, words); empty: 1
  MatrixF late_s_;  // of samples; empty: 0
};

}  // namespace optinc::training
