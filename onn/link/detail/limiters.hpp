#pragma once

#include <cstdint>
#include <vector>

#include "onn/chip/chip_design.hpp"
#include "onn/hardware/unit_hardware.hpp"

// The limiters of neurons: soft, and unequal as fabrication leaves them.

namespace optinc {

/// Whether neurons' limiters depart from hard ceilings of the network's own values.
inline bool has_real_limiters(const LinkSettings& link) {
  return link.limiter_knee > 0 || link.sigma_limiter > 0;
}

/// Ceilings of the neurons of chip number `chip`, in values, [layer](outputs): those of the network, or, where
/// it has none, the full scale of the modulators that its neurons drive, each off by a normal of relative rms
/// sigma_limiter.
std::vector<Eigen::VectorXd> fabricated_ceilings(const ChipDesign& design, const LinkSettings& link,
                                                 std::uint64_t seed, std::uint32_t chip);

/// limited() of values (neurons, words), those below 0 rectified, each at its neuron's ceiling.
template <class Matrix, class Vector>
void limit(Matrix& values, const Vector& ceilings, typename Matrix::Scalar knee) {
  using Real = typename Matrix::Scalar;
  if (knee == 0) {
    values = values.cwiseMax(Real(0)).cwiseMin(ceilings.replicate(1, values.cols())).eval();
    return;
  }
  const auto ceiling = ceilings.replicate(1, values.cols()).array();
  const auto z = values.array().max(Real(0));
  const auto q = (-(z / ceiling).log().abs() / knee).exp();
  values = (z.min(ceiling) * (-knee * (Real(1) + q).log()).exp()).matrix().eval();
}

}  // namespace optinc
