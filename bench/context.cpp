#include "bench/context.hpp"

#include <fstream>
#include <string>

#include <Eigen/Core>
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "physics/simd/processor.hpp"

#include "optinc_version.hpp"

namespace optinc::bench {
namespace {

/// "model name" as Linux knows it; elsewhere, and where it says nothing, "unknown".
std::string processor() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("model name")) {
      const auto colon = line.find(": ");
      if (colon != std::string::npos) return line.substr(colon + 2);
    }
  return "unknown";
}

std::string compiler() {
#if defined(__clang__)
  return fmt::format("clang {}.{}.{}", __clang_major__, __clang_minor__, __clang_patchlevel__);
#elif defined(__GNUC__)
  return fmt::format("gcc {}.{}.{}", __GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__);
#else
  return "unknown";
#endif
}

}  // namespace

void add_context(const Peaks& peaks) {
  const auto add = [](const char* key, const std::string& value) { benchmark::AddCustomContext(key, value); };
  add("cpu", processor());
  add("compiler", compiler());
  add("build_type", BENCH_BUILD_TYPE);
  add("flags", BENCH_FLAGS);
  add("revision", OPTINC_GIT_REVISION);
  add("simd_target", peaks.simd_target);
  add("eigen_simd", Eigen::SimdInstructionSetsInUse());  // the twin's: fixed by the flags
  add("fma_peak_f32_flop_per_s", fmt::format("{:.6g}", peaks.f32_flop_per_s));
  add("fma_peak_f64_flop_per_s", fmt::format("{:.6g}", peaks.f64_flop_per_s));
  add("l2_read_byte_per_s", fmt::format("{:.6g}", peaks.l2_byte_per_s));
  add("l1_read_byte_per_s", fmt::format("{:.6g}", peaks.l1_byte_per_s));
  add("l1_store_byte_per_s", fmt::format("{:.6g}", peaks.store_byte_per_s));
  add("l1d_bytes", fmt::format("{}", optinc::processor().l1d_bytes));
  add("l2_buffer_bytes", fmt::format("{}", peaks.l2_buffer_bytes));
}

std::size_t l2_buffer_bytes() {
  for (const auto& cache : benchmark::CPUInfo::Get().caches)
    if (cache.level == 2 && cache.type != "Instruction" && cache.size > 0)
      return static_cast<std::size_t>(cache.size) / 2;
  return std::size_t{512} << 10;
}

}  // namespace optinc::bench
