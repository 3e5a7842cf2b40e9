#pragma once

#include <array>
#include <functional>
#include <vector>

#include "onn/link/detail/electronics.hpp"
#include "onn/link/detail/late_light.hpp"
#include "onn/link/detail/light_path.hpp"
#include "onn/link/detail/receivers.hpp"
#include "onn/link/noise.hpp"
#include "onn/link/unit_p.hpp"
#include "onn/task/codes.hpp"

// A block of words through the whole light path, one layer after the other.

namespace optinc {

inline constexpr Eigen::Index block_words = 512;
// of one block of words: the neurons', one for each server, and the last for whoever looks on
inline constexpr std::uint32_t streams_per_block = 128;

/// A receiver's own, alone.
inline constexpr std::array<double, 1> own_instant = {0.0};

/// What fabrication left of a chip's electronics.
struct Fabricated {
  CombinerWeights combiners;
  std::vector<Eigen::VectorXd> ceilings;        ///< of neurons; empty where they are hard and the network's own
  std::vector<Eigen::VectorXd> oscillator_rad;  ///< of receivers; empty where all are in phase
  std::vector<Eigen::VectorXd> offset_a;        ///< of receivers; empty where they have none
  std::vector<double> oscillator_walk_rad;      ///< (layers) rms, drawn for every word
  StageInTime stage;                            ///< alike for all
  LateLight late;                               ///< of modulators
};

/// That of a channel of a chip; late light for receivers that sample at these instants, s after their own.
Fabricated fabricated_electronics(const LitUnit& unit, const TransmissionSeed& seed,
                                  std::span<const double> instants_s = own_instant);

/// Layers behind which receivers stand.
Eigen::Index received_layers(const ChipDesign& design);

/// Words of a block with their neighbours, the last word before the first; a row for every sample.
Codes in_succession(const Codes& codes, Eigen::Index first, Eigen::Index words, const Neighbours& around,
                    Eigen::Index samples);

/// Looks on: told what every layer's receivers make of its light. With `instants`, each layer is received once
/// more for each of them, with noise of its own.
template <class Real>
struct Onlooker {
  using Plane = typename FieldBatchOf<Real>::Plane;
  std::vector<StageInTime> instants;
  /// received (ports, words): values with gain and bias; passed_on: behind rectifiers and ceilings, servers'
  /// as they are. instant: a place in `instants`, 0 without any.
  std::function<void(std::size_t layer, std::size_t instant, const Plane& received, const Plane& passed_on)>
      see;
};

/// What a server receives of a block of words, (output digits, words), in digits, before its converter:
/// computed in Real, double or float, from unit P's light on.
template <class Real>
Eigen::MatrixXd transmit_block(const LitUnit& unit, const Fabricated& fabricated,
                               const std::vector<LayerPath<Real>>& paths, const Eigen::Ref<const Codes>& codes,
                               const TransmissionSeed& seed, std::uint32_t block, NoisyReceivers receivers,
                               const Onlooker<Real>* onlooker = nullptr);

}  // namespace optinc
