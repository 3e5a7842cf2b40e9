// Tests over SIMD targets hold nothing when a target is left out; here is the one place that says which must be
// there.

#include "physics/simd/detail/targets.hpp"

#include <algorithm>
#include <stdexcept>

#include "tests/support/catch.hpp"
#include "tests/support/simd.hpp"

using namespace optinc;
using namespace optinc::testing;

// fails when targets.cpp is compiled for one machine (-march=native), so that fewer targets are listed than
// exist
TEST_CASE("kernels run on every SIMD target the machine offers") {
  const auto targets = simd_targets();
  const auto ran = [&](const char* name) {
    return std::find(targets.begin(), targets.end(), name) != targets.end();
  };
#if defined(__x86_64__)
  CHECK(ran("SSE4"));  // every x86-64 machine of the last fifteen years
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) CHECK(ran("AVX2"));
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl"))
    CHECK(ran("AVX3"));
#endif
  CHECK_FALSE(targets.empty());
}

TEST_CASE("a SIMD target that is not there is refused, and on_every_target chooses each of the list once") {
  CHECK_THROWS_AS(use_simd_target("AVX9000"), std::invalid_argument);
  std::vector<std::string> chosen;  // as the kernels' own dispatch says
  on_every_target([&] { chosen.push_back(chosen_simd_target()); });
  CHECK(chosen == simd_targets());
}
