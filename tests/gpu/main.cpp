// The tests of what computes on a GPU: skipped, with status 77, where there is none.
#if __has_include(<catch2/catch_session.hpp>)
#include <catch2/catch_session.hpp>
#else
#define CATCH_CONFIG_RUNNER
#include <catch2/catch.hpp>
#endif

#include <cstdio>

#include "physics/gpu/mesh_gpu.hpp"

int main(int argc, char** argv) {
  if (optinc::gpu_name().empty()) {
    std::puts("skipped: no GPU");
    return 77;
  }
  std::printf("on %s\n", optinc::gpu_name().c_str());
  return Catch::Session().run(argc, argv);
}
