#pragma once
// One body of a test on every SIMD target. That no target is missing is held by
// tests/physics/simd/targets.test.cpp.

#include "physics/simd/detail/targets.hpp"

#include "tests/support/catch.hpp"

namespace optinc::testing {

/// Runs `body` once for every SIMD target of this machine; the best one is chosen again afterwards, also when a
/// REQUIRE leaves early.
template <class Body>
void on_every_target(Body body) {
  struct Restore {
    ~Restore() { use_simd_target(""); }
  } restore;
  for (const auto& target : simd_targets()) {
    use_simd_target(target);
    INFO("SIMD target " << target);
    body();
  }
}

}  // namespace optinc::testing
