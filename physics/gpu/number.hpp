#pragma once

namespace optinc::gpu {

/// A complex number.
template <class Real>
struct alignas(2 * sizeof(Real)) Number {
  Real re, im;
};

/// One output of an MZI: its factors for the upper and the lower input.
template <class Real>
struct alignas(16) Row {
  Number<Real> upper, lower;
};

}  // namespace optinc::gpu
