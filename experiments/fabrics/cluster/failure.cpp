#include "experiments/fabrics/cluster/failure.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "experiments/fabrics/cluster/channels.hpp"
#include "physics/core/check.hpp"
#include "physics/core/names.hpp"

namespace optinc {
namespace {

std::vector<std::string_view> components_of(std::string_view network) {
  std::vector<std::string_view> all;
  for (const std::string_view c : component_names)
    if (has_component(network, c)) all.push_back(c);
  return all;
}

/// Channels at the ends of the fibres between groups.
struct Channels {
  std::int64_t out_of_first = 0, into_first = 0, elsewhere = 0;
};

/// Channels over connections where a group has fewer of them, the least of all groups and directions; else 1.
double channel_share(const std::vector<Transfer>& connections, const Channels& channels) {
  std::map<int, std::int64_t> out, in;
  for (const Transfer& t : connections) {
    ++out[t.source];
    ++in[t.destination];
  }
  double least = 1.0;
  const auto look = [&](const std::map<int, std::int64_t>& ends, std::int64_t of_first) {
    for (const auto& [group, count] : ends)
      least = std::min(
          least, static_cast<double>(group == 0 ? of_first : channels.elsewhere) / static_cast<double>(count));
  };
  look(out, channels.out_of_first);
  look(in, channels.into_first);
  return least;
}

/// A job on some of a network's nodes, and what the network makes of it.
class PlacedJob {
 public:
  PlacedJob(const Failure& f, const TrafficSettings& settings, std::int64_t nodes)
      : network_(settings), light_(settings.light) {
    job_.size = static_cast<int>(nodes);
    job_.workload = settings.network.workload;
    job_.collective = f.collective;
    validate(
        network_.serves(job_.size),
        "{}: a job of {} nodes on optinc ({} levels of {} inputs at the rate of its devices). Lower nodes, "
        "or raise optinc_levels.",
        f.name, nodes, settings.optinc_levels, settings.network.unit->servers);
    job_.nodes = place_job(std::vector<bool>(static_cast<std::size_t>(settings.network.servers), false),
                           job_.size, f.scattered, static_cast<std::uint64_t>(settings.network.seed), 0);
    traffic_ = network_.traffic_of(job_);
    rates_ = traffic_.alone_rates();
    if (settings.network.network != "oddl") return;
    light_.name = f.name;
    light_.nodes = settings.network.servers;
    connections_ = group_connections(job_, light_.group_size, settings.network.transceivers);
    channels_.out_of_first = channels_.into_first = channels_.elsewhere =
        light_.fibres * wavelengths_of(light_);
    rates_ = rates_over(channels_);
  }

  double iteration_s() const { return traffic_.iteration_s(rates_); }
  /// With other rates; NaN where nothing is sent.
  double iteration_s(const std::vector<double>& rates) const {
    const double s = traffic_.iteration_s(rates);
    return std::isfinite(s) ? s : std::numeric_limits<double>::quiet_NaN();
  }
  std::vector<std::pair<double, double>> exchanges() const { return traffic_.exchanges(rates_); }
  const std::vector<Transfer>& connections() const { return connections_; }
  const Channels& channels() const { return channels_; }
  std::int64_t channels_of_a_fibre() const { return channels_.elsewhere / light_.fibres; }

  std::vector<double> rates_with_port(double share) const {
    std::vector<double> rates = network_.port_rates(traffic_, 0, share);
    for (std::size_t p = 0; p < rates.size(); ++p) rates[p] = std::min(rates[p], rates_[p]);
    return rates;
  }
  /// Phases between groups run at the share of the connections that these channels carry at once.
  std::vector<double> rates_over(const Channels& channels) const {
    const double share = channel_share(connections_, channels);
    const auto group = [&](int rank) {
      return job_.nodes[static_cast<std::size_t>(rank)] / static_cast<int>(light_.group_size);
    };
    std::vector<double> rates = traffic_.alone_rates();
    if (share == 1.0) return rates;
    const auto phases = collective_phases(job_.collective, job_.size, 1.0);
    for (std::size_t p = 0; p < rates.size(); ++p)
      if (std::any_of(phases[p].transfers.begin(), phases[p].transfers.end(),
                      [&](const Transfer& t) { return group(t.source) != group(t.destination); }))
        rates[p] *= share;
    return rates;
  }

 private:
  SharedNetwork network_;
  LightPaths light_;
  TrainingJob job_;
  JobTraffic traffic_;
  std::vector<double> rates_;          ///< of the phases
  std::vector<Transfer> connections_;  ///< between groups
  Channels channels_;
};

/// The bucket that is being exchanged is sent again.
void repeat_bucket(const Failure& f, const PlacedJob& p, FailureResult& r) {
  const double now_s = f.at * r.before_s;
  for (const auto& [begin_s, end_s] : p.exchanges()) {
    r.kept_buckets += end_s <= now_s;
    if (begin_s < now_s && now_s < end_s) r.repeated_s = now_s - begin_s;
  }
}

void lose_transceiver(const Failure& f, const PlacedJob& p, FailureResult& r) {
  repeat_bucket(f, p, r);
  r.after_s = p.iteration_s(p.rates_with_port(1.0 - 1.0 / static_cast<double>(f.transceivers)));
  if (f.traffic.network.network == "oddl") r.repair_s = f.traffic.set_s;
}

/// A fibre out of group 0, and one into it unless the port of a switch fails.
void lose_fibre(const Failure& f, const PlacedJob& p, FailureResult& r) {
  const auto& all = p.connections();
  if (std::none_of(all.begin(), all.end(), [](const Transfer& t) { return t.source == 0; })) {
    r.detection_s = 0.0;
    return;
  }
  repeat_bucket(f, p, r);
  Channels left = p.channels();
  left.out_of_first -= p.channels_of_a_fibre();
  if (f.component == "fibre") left.into_first = left.out_of_first;
  r.after_s = p.iteration_s(p.rates_over(left));
  r.repair_s = r.goes_on() ? f.setup_s : std::numeric_limits<double>::quiet_NaN();
}

void lose_unit(const Failure& f, const PlacedJob& p, const TrafficSettings& settings, FailureResult& r) {
  repeat_bucket(f, p, r);
  if (f.spare_units > 0) {
    r.repair_s = f.setup_s + f.calibration_s;
    return;
  }
  TrafficSettings side = settings;
  side.network.network = "switch";
  Failure ring = f;
  ring.collective = "ring";
  r.after_s = PlacedJob(ring, side, r.nodes).iteration_s();
}

void lose_node(const Failure& f, const TrafficSettings& settings, FailureResult& r) {
  const std::string& network = settings.network.network;
  r.repeated_s = f.checkpoint_s / 2.0;
  r.repair_s = f.restart_s + (network == "oddl" || network == "optinc" ? f.setup_s : 0.0);
  if (f.spare_s >= 0.0) {
    r.repair_s += f.spare_s;
    return;
  }
  r.nodes_after = r.nodes - 1;
  validate(f.collective != "halving-doubling" || network == "adding-fat-tree" || network == "optinc",
           "{}: halving-doubling of {} nodes after a failure (a power of two). Set spare_s = 0 or more, or "
           "collective = \"ring\".",
           f.name, r.nodes_after);
  r.after_s = PlacedJob(f, settings, r.nodes_after).iteration_s();
}

}  // namespace

bool has_component(std::string_view network, std::string_view component) {
  if (component == "fibre" || component == "switch-port") return network == "oddl";
  return component != "unit" || network == "optinc";
}

void check_failure(const Failure& f) {
  const std::string& network = f.traffic.network.network;
  validate(has_component(network, f.component), "{}: component = {} on {} (it has {}). Set one of these.",
           f.name, f.component, network, join_names(components_of(network)));
  validate(f.spare_s >= 0.0 || f.spare_s == -1.0, "{}: spare_s = {} (0 or more, or -1: no spare node). Set -1.",
           f.name, f.spare_s);
}

FailureResult run_failure(const Failure& f) {
  check_failure(f);
  TrafficSettings settings = f.traffic;
  settings.network.name = f.name;
  settings.network.transceivers = f.transceivers;
  settings.network.rate_bit_per_s /= static_cast<double>(f.transceivers);
  const PlacedJob p(f, settings, f.traffic.network.servers);
  FailureResult r;
  r.nodes = r.nodes_after = f.traffic.network.servers;
  r.before_s = r.after_s = p.iteration_s();
  r.detection_s = f.detection_s;
  if (f.component == "fibre" || f.component == "switch-port")
    lose_fibre(f, p, r);
  else if (f.component == "unit")
    lose_unit(f, p, settings, r);
  else if (f.component == "transceiver" && f.transceivers > 1)
    lose_transceiver(f, p, r);
  else
    lose_node(f, settings, r);
  return r;
}

}  // namespace optinc
