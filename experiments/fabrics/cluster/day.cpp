#include "experiments/fabrics/cluster/day.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <queue>
#include <utility>

#include "experiments/fabrics/cluster/channels.hpp"
#include "physics/random/stream.hpp"

namespace optinc {

namespace {

/// A job that trains.
struct ActiveJob {
  TrainingJob job;
  JobTraffic traffic;
  std::vector<Transfer> connections;
  std::vector<std::size_t> channels;  ///< shape (connections)
  double ideal_s = 0.0;               ///< an iteration on an ideal network
  double left = 0.0;                  ///< iterations
  double iteration_s = 0.0, setup_until_s = 0.0;

  /// When it ends, from `now_s` on at its present rate.
  double end_s(double now_s) const { return std::max(now_s, setup_until_s) + left * iteration_s; }
};

SharedNetwork ideal_network(TrafficSettings traffic) {
  traffic.network.network = "switch";
  traffic.network.step_latency_s = traffic.network.hop_latency_s = 0.0;
  return SharedNetwork(traffic);
}

LightPaths light_paths(const TrafficSettings& traffic) {
  LightPaths light = traffic.light;
  light.name = traffic.network.name;
  light.nodes = traffic.network.servers;
  return light;
}

/// A cluster in the course of a day, from one change of its set of jobs to the next.
class Day {
 public:
  explicit Day(const DaySettings& day)
      : day_(day),
        network_(day.traffic),
        ideal_(ideal_network(day.traffic)),
        taken_(static_cast<std::size_t>(day.traffic.network.servers), false),
        free_(taken_.size()),
        light_(light_paths(day.traffic)),
        oddl_(day.traffic.network.network == "oddl"),
        all_free_(oddl_ ? ChannelTable(groups_of(light_), light_.fibres, wavelengths_of(light_))
                        : ChannelTable(0, 0, 0)),
        channels_(all_free_) {}

  DayResult run(const std::function<void(double)>& at_each) {
    while (now_s_ < day_.horizon_s) {
      let_arrive();
      start_waiting();
      if (changed_) {
        if (at_each) at_each(now_s_);
        solve_network();
      }
      advance(next_change_s());
      let_leave();
    }
    return summed_up();
  }

 private:
  /// Jobs of every size that the network serves join the queue.
  void let_arrive() {
    for (; next_ < day_.jobs.size() && day_.jobs[next_].arrives_s <= now_s_; ++next_) {
      ++result_.arrived;
      if (network_.serves(day_.jobs[next_].size))
        waiting_.push(static_cast<std::uint32_t>(next_));
      else
        ++result_.refused;
    }
  }

  /// Starts jobs from the head of the queue while there is room. One that would find no channels even if all
  /// were free is refused; any other that finds none holds up those behind it.
  void start_waiting() {
    while (!waiting_.empty() && static_cast<std::size_t>(day_.jobs[waiting_.front()].size) <= free_ &&
           !stuck_) {
      const std::uint32_t head = waiting_.front();
      if (start(head)) {
        changed_ |= day_.jobs[head].size > 1;
      } else {
        ++result_.blocked;
        if (stuck_) {
          result_.delayed += delayed_ != head;
          delayed_ = head;
          break;
        }
        ++result_.refused;
      }
      waiting_.pop();
    }
  }

  /// Whether a job finds its channels and starts. Sets stuck_ where it finds none, but would if all were free.
  bool start(std::uint32_t number) {
    auto a = std::make_unique<ActiveJob>();
    a->job = day_.jobs[number];
    a->job.number = number;
    Stream stream(day_.seed, Purpose::job_arrivals, 2, number);
    a->job.workload = day_.workloads[stream.below(static_cast<std::uint32_t>(day_.workloads.size()))];
    a->job.collective = day_.collectives[stream.below(static_cast<std::uint32_t>(day_.collectives.size()))];
    a->job.nodes = place_job(taken_, a->job.size, day_.scattered, day_.seed, number);
    if (oddl_) {
      a->connections = group_connections(a->job, light_.group_size, day_.traffic.network.transceivers);
      auto found = channels_.take_all(a->connections);
      if (!found) {
        stuck_ = ChannelTable(all_free_).take_all(a->connections).has_value();
        return false;
      }
      a->channels = std::move(*found);
    }
    for (const int n : a->job.nodes) taken_[static_cast<std::size_t>(n)] = true;
    free_ -= a->job.nodes.size();
    a->traffic = network_.traffic_of(a->job);
    a->ideal_s = ideal_.traffic_of(a->job).alone_s();
    a->iteration_s = a->ideal_s;  // until the network is solved with it
    a->left = std::max(1.0, std::round(a->job.duration_s / a->ideal_s));
    a->setup_until_s = now_s_ + (a->job.size > 1 ? day_.setup_s : 0.0);
    ++result_.started;
    result_.mean_wait_s += now_s_ - a->job.arrives_s;
    active_.push_back(std::move(a));
    return true;
  }

  /// Iteration times of the present set of jobs.
  void solve_network() {
    std::vector<const JobTraffic*> jobs;
    for (const auto& a : active_) jobs.push_back(&a->traffic);
    shared_ = network_.iterations(jobs, day_.window, day_.seed, shared_);
    std::int64_t flows = 0;
    for (std::size_t j = 0; j < active_.size(); ++j) {
      active_[j]->iteration_s = shared_.iteration_s[j];
      if (active_[j]->job.size > 1) flows += active_[j]->job.size;
    }
    ++result_.epochs;
    result_.events += shared_.events;
    result_.coupled_epochs += shared_.coupled > 0;
    result_.peak_flows = std::max(result_.peak_flows, flows);
    changed_ = false;
  }

  double next_change_s() const {
    double until_s =
        std::min(day_.horizon_s, next_ < day_.jobs.size() ? day_.jobs[next_].arrives_s : day_.horizon_s);
    for (const auto& a : active_) until_s = std::min(until_s, a->end_s(now_s_));
    return until_s;
  }

  /// All jobs train until then.
  void advance(double until_s) {
    for (auto& a : active_) {
      const double trained_s = std::max(0.0, until_s - std::max(now_s_, a->setup_until_s));
      const double done = until_s >= a->end_s(now_s_) ? a->left : std::min(a->left, trained_s / a->iteration_s);
      a->left -= done;
      result_.iterations += done;
      const double held_s = (until_s - now_s_) * a->job.size, stretch = a->iteration_s / a->ideal_s;
      node_s_ += held_s;
      if (a->job.size == 1) continue;
      stretch_s_ += held_s * stretch;
      shared_s_ += held_s;
      result_.worst_stretch = std::max(result_.worst_stretch, stretch);
      const double bytes = std::accumulate(a->traffic.bytes.begin(), a->traffic.bytes.end(), 0.0);
      for (const PhaseLoad& p : a->traffic.phases) result_.sent_bytes += done * bytes * p.sent_bytes;
    }
    now_s_ = until_s;
  }

  /// Jobs that are done give back their nodes and channels.
  void let_leave() {
    std::erase_if(active_, [&](const std::unique_ptr<ActiveJob>& a) {
      if (a->left > 0.0) return false;
      for (const int n : a->job.nodes) taken_[static_cast<std::size_t>(n)] = false;
      free_ += a->job.nodes.size();
      for (std::size_t c = 0; c < a->channels.size(); ++c)
        channels_.release(a->connections[c].source, a->connections[c].destination, a->channels[c]);
      stuck_ = false;
      ++result_.finished;
      changed_ |= a->job.size > 1;
      return true;
    });
  }

  DayResult summed_up() {
    result_.utilisation = node_s_ / (static_cast<double>(taken_.size()) * day_.horizon_s);
    for (; !waiting_.empty(); waiting_.pop())
      result_.mean_wait_s += day_.horizon_s - day_.jobs[waiting_.front()].arrives_s;
    if (result_.arrived > result_.refused)
      result_.mean_wait_s /= static_cast<double>(result_.arrived - result_.refused);
    result_.mean_stretch = shared_s_ > 0.0 ? stretch_s_ / shared_s_ : std::numeric_limits<double>::quiet_NaN();
    return result_;
  }

  const DaySettings& day_;
  SharedNetwork network_, ideal_;
  std::vector<bool> taken_;  ///< (nodes)
  std::size_t free_;         ///< nodes
  LightPaths light_;
  bool oddl_;
  ChannelTable all_free_, channels_;
  std::vector<std::unique_ptr<ActiveJob>> active_;
  std::queue<std::uint32_t> waiting_;
  std::optional<std::uint32_t> delayed_;  ///< the job at the head that has found no channels
  bool stuck_ = false;                    ///< and nobody has left since
  bool changed_ = true;                   ///< the set of jobs, since the network was solved
  std::size_t next_ = 0;                  ///< job to arrive
  SharedIterations shared_;
  double now_s_ = 0.0;
  double node_s_ = 0.0, stretch_s_ = 0.0, shared_s_ = 0.0;  ///< sums over jobs and time
  DayResult result_;
};

}  // namespace

DayResult run_day(const DaySettings& day, const std::function<void(double)>& at_each) {
  return Day(day).run(at_each);
}

}  // namespace optinc
