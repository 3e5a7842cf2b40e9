#pragma once

#include <functional>
#include <vector>

#include "onn/link/detail/stages.hpp"
#include "onn/task/codes.hpp"

// A block of words through a whole unit, one stage after the other.

namespace optinc {

inline constexpr Eigen::Index block_words = 512;
/// Streams of receiver noise of a block of words: one for all neurons, one for each of up to 126 servers, and
/// one for an observer.
inline constexpr std::uint32_t streams_per_block = 128;

/// Words of a block with their neighbours, the last word before the first; a row for every sample.
Codes in_succession(const Codes& codes, Eigen::Index first, Eigen::Index words, const Neighbours& around,
                    Eigen::Index samples);

/// Called with what the receivers of every layer take, without changing it. With `instants`, each layer is
/// received once more at each of them, with noise of its own, and the observer sees those values instead.
template <class Real>
struct Observer {
  using Plane = typename FieldBatchOf<Real>::Plane;
  std::vector<std::vector<StageInTime>> instants;  ///< [stage][instant]: the stage, sampled then
  /// received (ports, words): values with gain and bias; passed_on: behind rectifiers and limiters, servers'
  /// as received. instant: a place in a stage's `instants`, 0 without any.
  std::function<void(std::size_t layer, std::size_t instant, const Plane& received, const Plane& passed_on)>
      observe;
};

/// What a server receives of block number `block` of a call's words, (output digits, words), in digits, before
/// its converter: computed in Real, double or float, from unit P's light on. Columns are samples where words
/// are unclocked.
template <class Real>
Eigen::MatrixXd transmit_block(const UnitStages<Real>& unit, const Eigen::Ref<const Codes>& codes,
                               const TransmissionSeed& seed, std::uint32_t block,
                               const Observer<Real>* observer = nullptr);

}  // namespace optinc
