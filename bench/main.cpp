// The program: options of its own, what must hold before anything is timed, and peaks before and after.

#include <cstdio>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "physics/core/check.hpp"
#include "physics/simd/detail/targets.hpp"

#include "bench/context.hpp"
#include "bench/counters.hpp"
#include "bench/eigen_twin.hpp"

namespace optinc::bench {

const Peaks& peaks() {
  static const Peaks measured = measure_peaks(l2_buffer_bytes());
  return measured;
}

namespace {

constexpr const char* help =
    R"(Times what OptINC computes, one row per size and precision. bench/README.md says how to read it.

  --simd=TARGET   use this SIMD target for the whole run, not the best one ({}); peaks and shares are this target's
  --help          this text, then Google Benchmark's options

  bench_optinc --benchmark_filter='^forward/f32' --benchmark_repetitions=5
  bench_optinc --benchmark_repetitions=5 --benchmark_out=run.json && bench/report run.json

)";

/// Hands runs on to another reporter, with the counters that are pure numbers no longer marked as rates, which
/// would be printed with "/s".
class PlainShares : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context& context) override {
    to_->SetOutputStream(&GetOutputStream());
    to_->SetErrorStream(&GetErrorStream());
    return to_->ReportContext(context);
  }
  void ReportRuns(const std::vector<Run>& runs) override {
    std::vector<Run> plain = runs;
    for (Run& run : plain)
      for (auto& [name, counter] : run.counters)
        if (is_share(name)) counter.flags = benchmark::Counter::kDefaults;
    to_->ReportRuns(plain);
  }
  void Finalize() override { to_->Finalize(); }

 private:
  std::unique_ptr<BenchmarkReporter> to_{benchmark::CreateDefaultDisplayReporter()};
};

/// Row `peaks_again`: everything measured anew, each also in percent of the first time.
void peaks_again(benchmark::State& state) {
  Peaks now;
  for (auto _ : state) now = measure_peaks(l2_buffer_bytes());
  const auto add = [&](const std::string& name, double value, double first) {
    state.counters[name + "/s"] = value;
    state.counters["%" + name] = 100 * value / first;
  };
  add("f32_flop", now.f32_flop_per_s, peaks().f32_flop_per_s);
  add("f64_flop", now.f64_flop_per_s, peaks().f64_flop_per_s);
  add("l2_byte", now.l2_byte_per_s, peaks().l2_byte_per_s);
}

/// A ratio to a twin that computes something else would mean nothing.
void check_twin() {
  const double f32 = twin_error<float>(), f64 = twin_error<double>();
  validate(f32 < 4 && f64 < 4,
           "the naive twin is {:.2g} (f32) and {:.2g} (f64) eps x columns from the reference mesh (4 is right; "
           "ratios to it would mean nothing). Mend bench/eigen_twin.cpp.",
           f32, f64);
}

/// Takes --simd and --help out of argv. Returns an exit status where there is nothing more to do.
std::optional<int> take_options(int& argc, char** argv) {
  int kept = 1;
  bool help_wanted = false;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    constexpr std::string_view simd = "--simd=";
    if (word.starts_with(simd)) {
      try {
        use_simd_target(word.substr(simd.size()));
      } catch (const std::exception& error) {
        fmt::print(stderr, "bench_optinc: {} (it has {}). Name one of these.\n", error.what(),
                   fmt::join(simd_targets(), ", "));
        return 2;
      }
      continue;
    }
    help_wanted = help_wanted || word == "--help";
    argv[kept++] = argv[i];
  }
  argc = kept;
  if (help_wanted) fmt::print(help, fmt::join(simd_targets(), ", "));
  std::fflush(stdout);  // Google Benchmark prints its own and exits
  return std::nullopt;
}

/// A filter picks rows; the peaks are not to be picked away with them.
void keep_peaks_in_filter() {
  const std::string filter = benchmark::GetBenchmarkFilter();
  if (filter.empty() || filter.starts_with('-') || filter == "all") return;
  benchmark::SetBenchmarkFilter("(" + filter + ")|^peaks_again");
}

int run(int argc, char** argv) {
  if (const auto status = take_options(argc, argv)) return *status;
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  check_twin();
  add_context(peaks());
  benchmark::RegisterBenchmark("peaks_again", peaks_again)->Iterations(1)->Unit(benchmark::kMillisecond);
  keep_peaks_in_filter();
  PlainShares reporter;
  benchmark::RunSpecifiedBenchmarks(&reporter);
  benchmark::Shutdown();

  const Peaks &first = peaks(), last = measure_peaks(l2_buffer_bytes());
  fmt::print(
      stderr,
      "FMA peak of one core ({}) before and after: f32 {:.4g} and {:.4g} GFLOP/s, f64 {:.4g} and {:.4g}; "
      "L2 read {:.4g} and {:.4g} GB/s\n",
      first.simd_target, first.f32_flop_per_s * 1e-9, last.f32_flop_per_s * 1e-9, first.f64_flop_per_s * 1e-9,
      last.f64_flop_per_s * 1e-9, first.l2_byte_per_s * 1e-9, last.l2_byte_per_s * 1e-9);
  return 0;
}

}  // namespace
}  // namespace optinc::bench

int main(int argc, char** argv) {
  try {
    return optinc::bench::run(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench_optinc: {}\n", error.what());
    return 1;
  }
}
