// One target under libFuzzer, which brings main(): compiled with FUZZ_TARGET its name.

#include <cstddef>
#include <cstdint>

#include "tests/fuzz/targets.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  optinc::fuzz::FUZZ_TARGET({data, size});
  return 0;
}
