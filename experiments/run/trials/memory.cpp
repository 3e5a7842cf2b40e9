#include "experiments/run/trials/memory.hpp"

#include <fmt/format.h>
#include <omp.h>
#include <unistd.h>

#include "experiments/study/points.hpp"
#include "experiments/study/study_model.hpp"
#include "physics/core/check.hpp"

namespace optinc {

double peak_memory_bytes(const StudyConfig& config, std::size_t record_size) {
  constexpr double per_point = 7800, copies = 4;
  const int threads = config.run.threads > 0 ? config.run.threads : omp_get_max_threads();
  const auto points = static_cast<double>(point_count(config));
  return program_memory_bytes + per_point * points +
         copies * sizeof(double) * points * config.runner.trials * static_cast<double>(record_size) +
         trial_memory_bytes(config, threads);
}

std::string size_text(double bytes) {
  if (bytes < 1e6) return fmt::format("{:.1f} kB", bytes / 1e3);
  return bytes < 1e9 ? fmt::format("{:.1f} MB", bytes / 1e6) : fmt::format("{:.1f} GB", bytes / 1e9);
}

void require_memory(const StudyConfig& config, std::size_t record_size) {
  const double wanted = peak_memory_bytes(config, record_size);
  const double there =
      static_cast<double>(::sysconf(_SC_PHYS_PAGES)) * static_cast<double>(::sysconf(_SC_PAGE_SIZE));
  validate(wanted <= there,
           "the study needs up to {} of memory ({} points x {} trials x {} values, and {} for chips; this "
           "machine has {}). Measure fewer metrics (measure.metrics), run fewer trials, or use fewer threads.",
           size_text(wanted), point_count(config), config.runner.trials, record_size,
           size_text(
               trial_memory_bytes(config, config.run.threads > 0 ? config.run.threads : omp_get_max_threads())),
           size_text(there));
}

}  // namespace optinc
