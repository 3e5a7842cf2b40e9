#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace optinc {

/// SIMD targets that the kernels were compiled for and that this machine has, best first ("AVX3", "AVX2", ..).
std::vector<std::string> simd_targets();

/// Makes every kernel use the named target from now on, or the best one for an empty name. For tests, which hold
/// every target against the reference, and benchmarks. Throws std::invalid_argument for one that is not in
/// simd_targets().
void use_simd_target(std::string_view name);

}  // namespace optinc
