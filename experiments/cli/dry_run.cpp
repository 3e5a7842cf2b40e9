#include "experiments/cli/dry_run.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <limits>
#include <optional>
#include <set>

#include <fmt/format.h>
#include <omp.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "experiments/base/interrupt.hpp"
#include "experiments/designs/compare_designs.hpp"
#include "experiments/run/one_off_measurements.hpp"
#include "experiments/run/study_inputs.hpp"
#include "experiments/run/trials/memory.hpp"
#include "experiments/run/trials/statistics.hpp"
#include "experiments/study/points.hpp"
#include "experiments/study/ruled_networks.hpp"
#include "experiments/study/study_model.hpp"
#include "experiments/study/study_warnings.hpp"
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

/// The files that the points name, and shapes of the networks that would be trained; refuses files of networks
/// that do not fit, as a run does.
StudyInputs outlined_inputs(const std::vector<StudyConfig>& points) {
  StudyInputs inputs = read_files(points);
  std::set<std::string> seen;
  for (const StudyConfig& point : points)
    for (const StudyConfig& asked : asked_networks(point)) {
      const std::string identity = network_identity(asked);
      if (!seen.insert(identity).second) continue;
      inputs.networks.push_back(asked.network.source == "train"
                                    ? PreparedNetwork{identity, network_shape(asked), {}}
                                    : make_network_of(asked, true));
    }
  return inputs;
}

/// Size of a result file, dataset by dataset.
class FileSize {
 public:
  /// `filled`: share of its numbers that are neither NaN nor repeated, which compression leaves. HDF5 ties
  /// every dimension to its axis, and keeps the places of compressed chunks in a tree of 64 entries.
  void dataset(double numbers, double dimensions = 1, double filled = 1.0, double each = sizeof(double)) {
    constexpr double described = 430, a_dimension = 260, tree = 1576, tree_of_dimension = 520;
    constexpr double compressed_from = 4096, packed = 0.8;  // as hdf5.cpp does
    const double raw = numbers * each;
    bytes_ += described + a_dimension * dimensions +
              (raw < compressed_from ? raw : raw * filled * packed + tree + tree_of_dimension * dimensions);
  }
  void text(double bytes) { bytes_ += bytes; }
  double bytes() const { return bytes_; }

 private:
  double bytes_ = 3e3;  // of HDF5 itself, and provenance
};

void add_networks(const StudyConfig& config, const Networks& networks, FileSize& file) {
  constexpr int axes = 6, curves = 6;
  for (const PreparedNetwork& n : networks) {
    file.text(static_cast<double>(n.trained_for.size() + n.identity.size()));
    for (const SigmaULayer& layer : n.network.layers) {
      const double size = layer.block_size(), blocks = layer.blocks();
      file.dataset(blocks * size * size, 3);
      file.dataset(blocks * size, 2);
      file.dataset(layer.inputs);
      file.dataset(layer.outputs);
      for (int axis = 0; axis < axes; ++axis) file.dataset(size);
    }
    for (int curve = 0; config.network.source == "train" && curve < curves; ++curve)
      file.dataset(config.training.epochs);
  }
}

constexpr std::array stored_quantiles = {0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99};

/// Share of the quantiles of so many trials that have an interval's lower end, as many as have an upper.
double bracketed(double trials) {
  double ends = 0.0;
  for (const double q : stored_quantiles) ends += std::pow(1 - q, trials) <= 0.025 ? 1.0 : 0.0;
  return ends / static_cast<double>(stored_quantiles.size());
}

void add_axes(const StudyConfig& config, const TrialModel& layout, FileSize& file) {
  for (const SweepAxis& axis : config.sweeps)
    for (std::size_t of = 0; of <= axis.keys.size(); ++of) file.dataset(static_cast<double>(axis.points()));
  constexpr double counted = 0.01;  // steps that are all alike, such as those of codes
  for (const ModelAxis& axis : layout.axes) file.dataset(static_cast<double>(axis.size()), 1, counted);
}

/// What is measured once of every network: every word of an eye, every element of a gradient along every path.
void add_one_offs(const StudyConfig& config, std::size_t networks, FileSize& file) {
  constexpr double image = 784, classes = 10, packed = 0.6;
  const double elements = (image + 1 + classes) * config.gradient.hidden + classes;
  const double digits = static_cast<double>(config.task.words()) * config.task.digits;
  for (const std::string& asked : config.measure.once)
    for (std::size_t n = 0; n < networks; ++n) {
      if (asked == "gradient")
        for (const double paths : {1.0, 6.0, 6.0}) file.dataset(paths * elements, 2, packed, sizeof(float));
      if (asked == "eye") file.dataset(2 * digits, 3, packed, sizeof(float));
      if (asked == "eye") file.dataset(digits, 2, packed, 1.0);
    }
}

/// Bytes of the result file: inputs, records and their summary, as the store compresses them.
double expected_file_bytes(const StudyConfig& config, const TrialModel& layout, const StudyInputs& inputs) {
  constexpr double n = stored_quantiles.size();
  FileSize file;
  file.text(static_cast<double>(identity_toml(config).size()));
  add_networks(config, inputs.networks, file);
  for (const MeshTarget& target : inputs.targets)
    file.dataset(2.0 * static_cast<double>(target.matrix.size()), 3);
  const auto points = static_cast<double>(point_count(config)),
             trials = static_cast<double>(config.runner.trials);
  for (int group = 0; group < 2; ++group) add_axes(config, layout, file);
  for (const double numbers : {trials, points * trials, points, n})
    file.dataset(numbers, 2, 0.1);                // axes, completed
  const double scatter = trials > 1 ? 1.0 : 0.0;  // of one trial there is no interval
  const auto words = static_cast<double>(
      config.measure.words > 0 ? static_cast<std::uint64_t>(config.measure.words) : config.task.words());
  const auto swept = static_cast<double>(config.sweeps.size());
  for (const Quantity& q : layout.quantities) {
    const auto cells = static_cast<double>(q.size()), axes = swept + static_cast<double>(q.shape.size());
    if (q.metric->counts()) {  // mostly zeros: a word falls into one bin
      const double met = 0.15 * std::min(1.0, words / static_cast<double>(q.shape.back()));
      file.dataset(points * trials * cells, axes + 1, met);
      file.dataset(points * cells, axes, met);
      continue;
    }
    file.dataset(points * trials * cells, axes + 1);
    for (const double filled : {1.0, scatter, scatter, scatter}) file.dataset(points * cells, axes, filled);
    file.dataset(n * points * cells, axes + 1, scatter > 0 ? 1.0 : 0.4);  // quantiles: of one trial, all alike
    for (int end = 0; end < 2; ++end) file.dataset(n * points * cells, axes + 1, scatter * bracketed(trials));
  }
  for (int share = 0; config.yield.metric != "none" && share < 3; ++share) file.dataset(points, swept + 1);
  for (int place = 0; config.fabrication.process == FabricationProcess::wafer && place < 4; ++place)
    file.dataset(points * trials, swept + 1, 0.3);
  add_one_offs(config, inputs.networks.size(), file);
  return file.bytes();
}

/// The study with a network of the shape of its largest, where that comes from a file.
StudyConfig of_widest(StudyConfig config, const Networks& networks) {
  const auto largest =
      std::ranges::max_element(networks, {}, [](const PreparedNetwork& n) { return mzi_count(n.network); });
  const std::string& source = config.network.source;
  if (source == "train" || ruled_network(source) != nullptr || !largest->network.is_feed_forward())
    return config;
  config.network.hidden.clear();
  for (const SigmaULayer& layer : largest->network.layers) config.network.hidden.push_back(layer.outputs);
  config.network.hidden.pop_back();  // the servers'
  return config;
}

/// The most memory that a process has held, bytes; 0 where the system does not say.
double peak_rss_bytes(const std::string& process = "self") {
  std::ifstream status("/proc/" + process + "/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("VmHWM:")) return 1024 * std::strtod(line.c_str() + 6, nullptr);
  return 0.0;
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

  /// The most memory that it has held so far, bytes.
  double peak_bytes() const { return peak_rss_bytes(std::to_string(pid_)); }

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

/// How long a trial may take for a dry run to see it, s.
constexpr double longest_s = 10.0;

/// What trials were seen to take.
struct SeenTrial {
  double seconds = 0.0;                               ///< mean over a few points
  double study_bytes = 0.0, each_thread_bytes = 0.0;  ///< of the process with its inputs; beyond it by a trial
};

/// A few trials on networks with random weights, whose trials take as long: of the first point, the last, which
/// may ask for more, and some between, for a second; the first one for longest_s. Nothing where that does not
/// end; one that is under way counts for memory.
std::optional<SeenTrial> see_trial(const StudyConfig& config, const std::vector<StudyConfig>& points) {
  constexpr double most_s = 1.0;
  const double start = omp_get_wtime(), deadline = start + most_s, last_deadline = start + longest_s;
  const double whole = peak_rss_bytes();
  const std::size_t last = points.size() - 1, step = std::max<std::size_t>(points.size() / 5, 1);
  const Helper helper([&](int to) {
    const double forked = peak_rss_bytes();  // without pages of files, the program's own among them
    const TrialModel model = make_model(config, untrained_inputs(points));
    const double before = peak_rss_bytes();
    Helper::send(to, whole + before - forked);
    Helper::send(to, before);
    const auto tell = [&](std::size_t p) { Helper::send(to, run_trial(model, points[p], {p, 1}).seconds); };
    tell(0);  // warms up
    tell(last);
    for (std::size_t p = last > 0 ? step : 0; p < last || p == 0; p += step) tell(p);
    ::close(to);
    ::sleep(2);  // while its memory is looked at
  });
  const auto study = helper.next(last_deadline), before = helper.next(last_deadline);
  std::vector<double> seconds;
  if (study && before)
    while (const auto one = helper.next(seconds.empty() ? last_deadline : deadline)) seconds.push_back(*one);
  if (seconds.empty()) return std::nullopt;
  const double beyond = helper.peak_bytes() - *before;
  if (seconds.size() > 1) seconds.erase(seconds.begin());
  return SeenTrial{mean_of(seconds), *study, std::max(beyond, 0.0)};
}

std::string time_text(double seconds) {
  if (seconds > 0 && seconds < 1) return fmt::format("{:.3g} ms", 1e3 * seconds);
  if (seconds < 120) return fmt::format("{:.0f} s", seconds);
  return seconds < 7200 ? fmt::format("{:.0f} min", seconds / 60) : fmt::format("{:.1f} h", seconds / 3600);
}

}  // namespace

std::string dry_run(const StudyConfig& config, const Shard& shard) {
  const double start_s = omp_get_wtime();
  const std::vector<StudyConfig> points =
      checked_points(config, check_interrupt);  // as a run does, first of all
  const std::vector<StudyWarning> warnings = study_warnings(config);
  const double points_s = omp_get_wtime() - start_s;
  print_warnings(lines_of(warnings));
  require_data(config);
  const StudyInputs inputs = outlined_inputs(points);
  print_warnings(lines_of(input_warnings(config, inputs)));
  const TrialModel layout = model_layout(config, most_layers(inputs.networks));
  require_memory(config, layout.record_size);
  const std::optional<SeenTrial> trial = see_trial(config, points);
  const int threads = config.run.threads > 0 ? config.run.threads : omp_get_max_threads();
  const std::size_t wanted = trials_wanted(config, shard);
  const double record = sizeof(double) * static_cast<double>(layout.record_size);
  const std::string_view at_most = config.runner.precision > 0 ? "at most " : "";
  std::string text;
  text += fmt::format("study    {} (model {}), {} points, at most {} trials each\n", config.study, config.model,
                      points.size(), config.runner.trials);
  text +=
      fmt::format("trials   {}{} {}\n", at_most, wanted, shard.whole() ? "in all" : "in shard " + shard.text());
  constexpr double times_looked_at = 3;  // a run goes through its points as often
  const std::string time = trial
                               ? fmt::format("{}{} on {} threads, {} each", at_most,
                                             time_text(trial->seconds * static_cast<double>(wanted) / threads +
                                                       times_looked_at * points_s),
                                             threads, time_text(trial->seconds))
                               : fmt::format("not estimated: no trial ended within {:.0f} s", longest_s);
  text += fmt::format("time     {} (training and one-off measurements are not counted)\n", time);
  double peak = peak_memory_bytes(config, layout.record_size);
  if (!inputs.networks.empty())  // files hold other networks than the one that would be trained
    peak +=
        trial_memory_bytes(of_widest(config, inputs.networks), threads) - trial_memory_bytes(config, threads);
  std::string_view not_counted = model_of(config).not_counted;
  if (trial && trial->study_bytes > 0 && config.measure.once.empty() && config.network.source != "train") {
    // what trials were seen to take in place of what is reckoned; records and points stay
    peak += trial->study_bytes + threads * trial->each_thread_bytes - program_memory_bytes -
            trial_memory_bytes(inputs.networks.empty() ? config : of_widest(config, inputs.networks), threads);
    not_counted = {};
  }
  text += fmt::format("memory   about {} at the peak{}\n", size_text(peak),
                      not_counted.empty() ? "" : fmt::format(" ({} are not counted)", not_counted));
  text += fmt::format("file     about {}; {:.0f} bytes of records per trial\n",
                      size_text(expected_file_bytes(config, layout, inputs)), record);
  return text;
}

}  // namespace optinc
