#include "experiments/cli/dry_run.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <csignal>
#include <functional>
#include <limits>
#include <optional>
#include <set>

#include <fmt/format.h>
#include <omp.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "experiments/analysis/cost/compare_designs.hpp"
#include "experiments/engine/config/points.hpp"
#include "experiments/engine/config/study_model.hpp"
#include "experiments/engine/config/study_warnings.hpp"
#include "experiments/engine/process/interrupt.hpp"
#include "experiments/engine/runner/memory.hpp"
#include "experiments/engine/runner/statistics.hpp"
#include "experiments/engine/study/one_off_measurements.hpp"
#include "experiments/engine/study/study_inputs.hpp"
#include "physics/core/check.hpp"

namespace optinc {
namespace {

/// The networks of all points, what would have to be trained with random weights; their matrices.
StudyInputs untrained_inputs(const std::vector<StudyConfig>& points) {
  StudyInputs inputs = read_files(points);
  std::set<std::string> seen;
  for (const StudyConfig& point : points)
    for (StudyConfig& asked : asked_networks(point)) {
      const std::string identity = network_identity(asked);
      if (!seen.insert(identity).second) continue;
      inputs.networks.push_back(asked.network.source == "train"
                                    ? PreparedNetwork{identity, untrained_network(asked), {}}
                                    : make_network_of(asked, true));
    }
  return inputs;
}

/// What the trials record; refuses files of networks that do not fit, as a run does, and trains nothing.
TrialModel layout_of(const StudyConfig& config, const std::vector<StudyConfig>& points) {
  std::size_t layers = 0;
  std::set<std::string> seen;
  for (const StudyConfig& point : points)
    for (const StudyConfig& asked : asked_networks(point)) {
      if (!seen.insert(network_identity(asked)).second) continue;
      const Network network =
          asked.network.source == "train" ? network_shape(asked) : make_network_of(asked, true).network;
      layers = std::max(layers, network.layers.size());
    }
  return model_layout(config, layers);
}

/// A process beside this one, which ends with it.
class Helper {
 public:
  /// `work` sends numbers to the file descriptor that it is given.
  explicit Helper(const std::function<void(int)>& work) {
    std::array<int, 2> ends{};
    validate(::pipe(ends.data()) == 0, "no pipe (too many open files). Close some.");
    pid_ = ::fork();
    if (pid_ == 0) {
      ::close(ends[0]);
      try {
        work(ends[1]);
      } catch (const Error& error) {
        send(ends[1], std::numeric_limits<double>::quiet_NaN());  // and why
        const std::string why = error.what();
        ::_exit(::write(ends[1], why.data(), why.size()) < 0 ? 1 : 0);
      } catch (...) {
        ::_exit(1);
      }
      ::_exit(0);
    }
    ::close(ends[1]);
    read_ = ends[0];
  }
  Helper(const Helper&) = delete;
  Helper& operator=(const Helper&) = delete;
  ~Helper() {
    ::close(read_);
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }

  static void send(int to, double number) {
    if (::write(to, &number, sizeof number) < 0) ::_exit(1);
  }

  /// The next number; nothing where there is none before `deadline_s` (omp_get_wtime()). Throws the Error that
  /// `work` threw; Interrupted.
  std::optional<double> next(double deadline_s) const {
    double value = 0.0;
    while (omp_get_wtime() < deadline_s) {
      check_interrupt();
      pollfd waiting{read_, POLLIN, 0};
      constexpr int step_ms = 20;
      if (::poll(&waiting, 1, step_ms) <= 0) continue;
      if (::read(read_, &value, sizeof value) != sizeof value) break;
      if (!std::isnan(value)) return value;
      std::array<char, 4096> why{};
      throw Error(std::string(
          why.data(), static_cast<std::size_t>(std::max<ssize_t>(0, ::read(read_, why.data(), why.size())))));
    }
    return std::nullopt;
  }

 private:
  pid_t pid_ = -1;
  int read_ = -1;
};

/// Mean time of a trial over a few points, on networks with random weights, whose trials take as long; nothing
/// where the first does not end within a second.
std::optional<double> trial_seconds(const StudyConfig& config, const std::vector<StudyConfig>& points) {
  constexpr double most_s = 1.0;
  const double deadline = omp_get_wtime() + most_s;
  const Helper helper([&](int to) {
    const TrialModel model = make_model(config, untrained_inputs(points));
    const auto tell = [&](std::size_t p) { Helper::send(to, run_trial(model, points[p], {p, 1}).seconds); };
    tell(0);  // warms up
    for (std::size_t p = 0; p < points.size(); p += std::max<std::size_t>(points.size() / 5, 1)) tell(p);
  });
  std::vector<double> seconds;
  while (const auto one = helper.next(deadline)) seconds.push_back(*one);
  if (seconds.empty()) return std::nullopt;
  if (seconds.size() > 1) seconds.erase(seconds.begin());
  return mean_of(seconds);
}

std::string time_text(double seconds) {
  if (seconds > 0 && seconds < 1) return fmt::format("{:.3g} ms", 1e3 * seconds);
  if (seconds < 120) return fmt::format("{:.0f} s", seconds);
  return seconds < 7200 ? fmt::format("{:.0f} min", seconds / 60) : fmt::format("{:.1f} h", seconds / 3600);
}

}  // namespace

std::string dry_run(const StudyConfig& config, const Shard& shard) {
  const std::vector<StudyConfig> points =
      checked_points(config, check_interrupt);  // as a run does, first of all
  print_warnings(lines_of(study_warnings(config)));
  read_files(points);
  require_data(config);
  const TrialModel layout = layout_of(config, points);
  require_memory(config, layout.record_size);
  const std::optional<double> trial = trial_seconds(config, points);
  const int threads = config.run.threads > 0 ? config.run.threads : omp_get_max_threads();
  const std::size_t wanted = trials_wanted(config, shard);
  const double record = sizeof(double) * static_cast<double>(layout.record_size);
  const bool any_crosstalk =
      std::any_of(points.begin(), points.end(), [](const StudyConfig& c) { return c.crosstalk.x0 > 0; });
  std::string text;
  text += fmt::format("study    {} (model {}), {} points, at most {} trials each\n", config.study, config.model,
                      points.size(), config.runner.trials);
  text += fmt::format("trials   {}{} {}\n", config.runner.precision > 0 ? "at most " : "", wanted,
                      shard.whole() ? "in all" : "in shard " + shard.text());
  const std::string time =
      trial ? fmt::format("{}{} on {} threads, {} each", config.runner.precision > 0 ? "at most " : "",
                          time_text(*trial * static_cast<double>(wanted) / threads), threads, time_text(*trial))
            : "not estimated: no trial ended within 1 s";
  text += fmt::format("time     {} (training and one-off measurements are not counted)\n", time);
  const double peak = peak_memory_bytes(config, layout.record_size),
               chips = trial_memory_bytes(config, threads);
  const std::string of_chips =
      chips > 0 ? fmt::format("{} of it for chips{}; ", size_text(chips),
                              any_crosstalk ? ", their words and crosstalk" : " and their words")
                : "";
  text += fmt::format("memory   {} at the peak ({}{} are not counted)\n", size_text(peak), of_chips,
                      model_of(config).not_counted);
  text +=
      fmt::format("file     at most {} before compression; {:.0f} bytes per trial\n",
                  size_text(record * static_cast<double>(point_count(config)) * config.runner.trials), record);
  return text;
}

}  // namespace optinc
