#pragma once

#include "onn/chip.hpp"
#include "onn/codes.hpp"
#include "onn/link.hpp"

namespace optinc {

/// Which random numbers a transmission uses, and at which server it is received.
struct TransmissionSeed {
  std::uint64_t seed = 1;
  std::uint32_t chip = 0;
  std::uint32_t server = 0;   ///< T broadcasts the same light; each server's receiver adds noise of its own
  std::uint32_t instant = 0;  ///< when: noise is drawn anew at every instant of a chip's life, below 2048
};

/// Field at the inputs of layer `layer` of a signal of value 1, sqrt(W): sqrt(N launch power)/3 behind unit P,
/// sqrt(full scale)/(largest activation) behind a re-modulating receiver.
double field_per_unit_sqrt_w(const ChipDesign& design, const LinkSettings& link, std::size_t layer);

/// Sends words through the whole light path and returns the received outputs y, shape (M, words), in digits:
///
///   servers   PAM4 fields (d/3) sqrt(launch power), one phase-lock error per server and block of words
///   unit P    coherent N:1 combiner per digit lane
///   layers    complex transfer of the chip's meshes; homodyne receiver at every neuron (current, noise),
///             gain and threshold, ReLU, re-modulation at the layer's full scale
///   unit T    1:N splitter, homodyne receiver at the server
///
/// Gains are those of calibration on the design: they undo mean loss, fan-out, passive scale and the mean
/// visibility of the lock error, and know nothing of this chip's errors. Words are processed in blocks of 512,
/// in parallel; the result does not depend on the threads. Throws Error for settings, codes or a seed out of
/// range. Modulators have no ceiling here: noise may drive a
/// neuron above its full scale.
Eigen::MatrixXd transmit(const ChipDesign& design, const ChipState& chip, const LinkSettings& link,
                         const NoiseSwitches& noise, const Codes& codes, const TransmissionSeed& seed);

}  // namespace optinc
