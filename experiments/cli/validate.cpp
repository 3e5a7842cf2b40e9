#include <cstdio>
#include <mutex>
#include <numeric>

#include <fmt/format.h>
#include <omp.h>

#include "experiments/base/progress.hpp"
#include "experiments/base/terminal.hpp"
#include "experiments/cli/commands.hpp"
#include "experiments/files/hdf5/atomic_file.hpp"
#include "experiments/files/hdf5/provenance.hpp"
#include "experiments/validate/laws.hpp"
#include "experiments/validate/laws_file.hpp"
#include "experiments/validate/report.hpp"
#include "physics/core/check.hpp"

namespace optinc {
namespace {

using Json = nlohmann::ordered_json;

/// Progress over laws of very different length: a step is a second of the estimate.
class LawProgress {
 public:
  LawProgress(double seconds, bool quiet)
      : progress_("seconds of the estimate", std::lround(seconds), quiet || seconds < 1) {}

  void add(double seconds, const std::string& name) {
    const std::lock_guard lock(mutex_);
    for (done_ += seconds; done_ >= 1; done_ -= 1) progress_.step(name);
  }
  void clear() { progress_.clear(); }

 private:
  std::mutex mutex_;
  double done_ = 0.0;
  Progress progress_;
};

std::vector<LawResult> run_laws(const std::vector<const Law*>& chosen, const LawArguments& a) {
  const LawOptions options{a.quick, a.seed};
  const std::vector<double> estimate = estimate_seconds(chosen, options);
  const double total = std::accumulate(estimate.begin(), estimate.end(), 0.0);
  if (!a.out.quiet)
    fmt::print(stderr, "{} laws at {} points, {} run: about {:.0f} s on {} threads\n", chosen.size(),
               estimate.size(), a.quick ? "quick" : "full", total, omp_get_max_threads());
  if (!a.json) fmt::print("{}", verdict_heading());
  LawProgress progress(total, a.out.quiet);
  std::vector<LawResult> results;
  for (const Law* law : chosen)
    for (const LawPoint& point : law->points) {
      const double each = estimate[results.size()] / trials_of(*law, point, a.quick);
      const std::string name = law->point_name(point);
      results.push_back(check_law(*law, point, options, [&] { progress.add(each, name); }));
      if (a.json) continue;
      progress.clear();
      fmt::print("{}", verdict_line(results.back().verdict));
      std::fflush(stdout);
    }
  return results;
}

}  // namespace

int validate_command(const LawArguments& a, std::string_view typed) {
  const std::vector<const Law*> chosen = laws_to_run(a.chosen, a.quick && !a.list);
  if (a.list) {
    print_text(a.json ? json_text({{"laws", law_list_json(chosen)}}) : law_list(chosen));
    return 0;
  }
  const bool stored = !a.out.output.empty();
  if (stored) require_writable_output(a.out.output, a.out.force);
  const std::vector<LawResult> results = run_laws(chosen, a);
  std::vector<LawVerdict> verdicts;
  Json list = Json::array();
  bool all_pass = true;
  for (const LawResult& r : results) {
    verdicts.push_back(r.verdict);
    list.push_back(verdict_json(r.verdict));
    all_pass = all_pass && r.verdict.passed;
  }
  if (stored) {
    AtomicFile file(a.out.output, a.out.force);
    sign_file(file.file(), a.quick ? "laws of physics, quick" : "laws of physics", typed);
    write_laws(file.file().root(), results, {a.quick, a.seed});
    file.commit();
  }
  print_text(a.json ? json_text({{"laws", list}}) : verdict_summary(verdicts));
  std::fflush(stdout);
  validate(all_pass,
           "a law does not hold (see FAIL above). The simulator or the law is wrong: do not trust results of "
           "this build.");
  return 0;
}

}  // namespace optinc
