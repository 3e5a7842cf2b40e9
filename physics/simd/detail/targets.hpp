#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace optinc {

/// SIMD targets that were compiled in and that this machine has, best first ("AVX3", "AVX2", ..). Every kernel
/// is compiled for all of them and takes the best one at run time.
std::vector<std::string> simd_targets();

/// Makes every kernel use the named target from now on, or the best one for an empty name; for tests, which
/// hold every target against the reference. Throws std::invalid_argument for one that is not in simd_targets().
void use_simd_target(std::string_view name);

/// Name of the target that kernels use now.
std::string chosen_simd_target();

/// Numbers, float or double, that one of its registers holds.
template <class Real>
std::size_t simd_lanes();
template <>
std::size_t simd_lanes<float>();
template <>
std::size_t simd_lanes<double>();

}  // namespace optinc
