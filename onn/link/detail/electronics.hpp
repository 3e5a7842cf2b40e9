#pragma once

#include <vector>

#include "onn/chip/chip_design.hpp"
#include "onn/link/noise.hpp"

// What fabrication and phase control leave of a chip's electronics: limiters soft and unequal, oscillators off
// phase, receivers with offsets.

namespace optinc {

/// Ceilings of the neurons of a chip's channel, in values, [layer](outputs): the network's, or the full scale
/// of the modulators that the layer drives where that is lower, each off by a normal of relative rms
/// sigma_limiter; empty vectors where limiters are ideal.
std::vector<Eigen::VectorXd> fabricated_ceilings(const ChipDesign& design, const LinkSettings& link,
                                                 const TransmissionSeed& seed);

/// Phases that receivers' local oscillators have against their light for all words of a call, rad,
/// [layer](outputs), those at the servers of `seed.server`: what phase control leaves, and, with noise.lock,
/// where in its dither each lock is (a sine, far slower than words). Empty vectors where all are in phase.
std::vector<Eigen::VectorXd> oscillator_phases(const ChipDesign& design, const LinkSettings& link,
                                               const NoiseSwitches& noise, const TransmissionSeed& seed);

/// Offset currents of the receivers of a chip's channel, A, [layer](outputs), those at the servers of
/// `seed.server`: normal of rms receiver.offset_a. Empty vectors where there are none.
std::vector<Eigen::VectorXd> receiver_offsets_a(const ChipDesign& design, const ReceiverSettings& receiver,
                                                const TransmissionSeed& seed);

/// limited() of values (neurons, words), those below 0 rectified, each at its neuron's ceiling.
template <class Matrix, class Vector>
void limit(Matrix& values, const Vector& ceilings, typename Matrix::Scalar knee) {
  using Real = typename Matrix::Scalar;
  const auto apply = [&](auto z, const auto& ceiling) {  // z: values that stand together in memory
    if (knee == 0) {
      z = z.max(Real(0)).min(ceiling);
      return;
    }
    const auto q = ((z.max(Real(0)) / ceiling).log().abs() * (Real(-1) / knee)).exp();
    z = z.max(Real(0)).min(ceiling) * (-knee * (Real(1) + q).log()).exp();
  };
  if constexpr (Matrix::IsRowMajor)
    for (Eigen::Index j = 0; j < values.rows(); ++j) apply(values.row(j).array(), ceilings[j]);
  else
    for (Eigen::Index w = 0; w < values.cols(); ++w) apply(values.col(w).array(), ceilings.array());
}

}  // namespace optinc
