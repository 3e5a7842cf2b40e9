#include "experiments/fabrics/cluster/traffic.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "experiments/fabrics/cluster/contention.hpp"
#include "experiments/fabrics/cluster/job_window.hpp"
#include "experiments/fabrics/interconnect/collectives.hpp"
#include "experiments/fabrics/interconnect/communication.hpp"
#include "experiments/fabrics/interconnect/fabric.hpp"
#include "experiments/fabrics/interconnect/workloads.hpp"
#include "physics/core/check.hpp"
#include "physics/core/names.hpp"
#include "physics/random/stream.hpp"

namespace optinc {
namespace {

constexpr double never = std::numeric_limits<double>::infinity();

/// When the gradients of layers are there, and how many bytes: last layer first, gathered into buckets of
/// gradients of 32 bits, in how few bits they may be sent.
void fill_buckets(JobTraffic& job, const ModelCost& model, const Scenario& s, const TrafficSettings& settings) {
  const double forward_s = job.compute_s / (1.0 + s.backward_ratio), backward_s = job.compute_s - forward_s;
  const double bucket_bytes = settings.bucket_bytes * static_cast<double>(s.bits) / 32.0;
  double gathered = 0.0, macs = 0.0;
  for (std::size_t l = model.layers.size(); l-- > 0;) {
    gathered += static_cast<double>(model.layers[l].parameters) * static_cast<double>(s.bits) / 8.0;
    macs += static_cast<double>(model.layers[l].macs);
    if (gathered == 0.0 || (l > 0 && gathered < bucket_bytes)) continue;
    const double share = settings.overlap ? macs / static_cast<double>(model.macs()) : 1.0;
    job.ready_s.push_back(forward_s + share * backward_s);
    job.bytes.push_back(gathered);
    gathered = 0.0;
  }
}

/// Whether the network adds gradients up by itself.
bool sums(const Scenario& s) { return s.collective == "adding-switch" || s.collective == "optinc"; }

}  // namespace

std::vector<std::pair<double, double>> JobTraffic::exchanges(std::span<const double> rates) const {
  std::vector<std::pair<double, double>> all;
  double end_s = 0.0;
  for (std::size_t b = 0; b < bytes.size(); ++b) {
    const double begin_s = std::max(end_s, ready_s[b]);
    end_s = begin_s;
    for (std::size_t p = 0; p < phases.size(); ++p)
      end_s += phases[p].fixed_s + phases[p].bytes * bytes[b] / rates[p];
    all.emplace_back(begin_s, end_s);
  }
  return all;
}

double JobTraffic::iteration_s(std::span<const double> rates) const {
  const auto all = exchanges(rates);
  return all.empty() ? compute_s : std::max(compute_s, all.back().second);
}

std::vector<double> JobTraffic::alone_rates() const {
  std::vector<double> rates;
  for (const PhaseLoad& p : phases) rates.push_back(p.alone_bytes_per_s);
  return rates;
}

double JobTraffic::alone_s() const { return iteration_s(alone_rates()); }

Scenario cluster_network() {
  Scenario s;
  s.servers = 1024;
  s.rate_bit_per_s = 100e9;
  s.routing = "ecmp";
  s.workload = "vgg19";
  s.design = "published, noise-aware";
  return s;
}

struct SharedNetwork::Parts {
  TrafficSettings settings;
  Fabric fabric;
  double layer_w = 0.0;  ///< of all switches and amplifiers between groups (oddl)
  std::map<std::string, std::pair<Scenario, ModelCost>, std::less<>> models;  ///< in_force, by workload
  std::map<std::string, int> link_names;                                      ///< where switches add up

  PhaseLoad load_over(const std::map<int, double>& weights) const;
  PhaseLoad load_of(const Scenario& s, const TransferPhase& phase, const std::vector<int>& nodes,
                    bool held) const;
  std::vector<PhaseLoad> sum_loads(const std::vector<int>& nodes, std::uint32_t number) const;
};

/// A phase of flows that take so much of each link, the largest 1.
PhaseLoad SharedNetwork::Parts::load_over(const std::map<int, double>& weights) const {
  PhaseLoad load;
  load.alone_bytes_per_s = never;
  for (const auto& [link, weight] : weights) {
    load.links.push_back(link);
    load.weights.push_back(weight);
    load.alone_bytes_per_s = std::min(
        load.alone_bytes_per_s, fabric.links.capacity_bytes_per_s[static_cast<std::size_t>(link)] / weight);
  }
  return load;
}

/// One phase of an exchange of one byte.
PhaseLoad SharedNetwork::Parts::load_of(const Scenario& s, const TransferPhase& phase,
                                        const std::vector<int>& nodes, bool held) const {
  std::vector<Transfer> placed;
  for (const Transfer& t : phase.transfers)
    placed.push_back(
        {nodes[static_cast<std::size_t>(t.source)], nodes[static_cast<std::size_t>(t.destination)], t.bytes});
  const std::vector<Flow> flows = flows_of(s, fabric, placed);
  double largest = 0.0, latency_s = 0.0, switched_bytes = 0.0;
  for (const Flow& f : flows) {
    switched_bytes += f.bytes * (static_cast<double>(f.links.size()) - 1.0);
    largest = std::max(largest, f.bytes);
    latency_s = std::max(latency_s, f.latency_s);
  }
  // OptINC's light carries no flows: these are of the side network, whose links come behind those of the light
  const int first = settings.network.network == "optinc" ? 2 * static_cast<int>(settings.network.servers) : 0;
  std::map<int, double> weights;
  for (const Flow& f : flows)
    for (const int l : f.links) weights[first + l] += f.bytes / largest;
  const auto repeats = static_cast<double>(phase.repeats);
  PhaseLoad load = load_over(weights);
  load.bytes = repeats * largest;
  for (const Transfer& t : placed) load.sent_bytes += static_cast<double>(phase.loads) * t.bytes;
  if (s.network == "switch" || s.network == "fat-tree")
    load.switched_bytes = static_cast<double>(phase.loads) * switched_bytes;
  load.fixed_s = repeats * latency_s;
  if (!fabric.circuits || held) return load;
  const std::int64_t rounds = s.network == "oddl" ? solve_step(s, fabric, placed).rounds : 1;
  load.set_s = s.network == "oddl" ? settings.set_s : s.reconfiguration_s;
  if (rounds > 1) {
    load.set_s *= repeats * static_cast<double>(rounds);
  } else {
    for (const Transfer& t : placed) load.circuits.emplace_back(t.source, t.destination);
  }
  load.fixed_s += load.set_s;
  return load;
}

/// A byte of gradients, added up by the network.
std::vector<PhaseLoad> SharedNetwork::Parts::sum_loads(const std::vector<int>& nodes,
                                                       std::uint32_t number) const {
  const auto ports = static_cast<int>(settings.network.servers);
  Scenario s = settings.network, side = side_network(s);
  s.servers = static_cast<std::int64_t>(nodes.size());
  s.levels = 0;
  std::vector<PhaseLoad> loads;
  std::map<int, double> weights;
  double latency_s = 0.0, switched_bytes = 0.0;
  if (s.network == "optinc") {
    const double scales = static_cast<double>(s.scale_bits) / static_cast<double>(s.block * s.bits);
    for (const TransferPhase& phase :
         collective_phases(side_network(s).collective, static_cast<int>(s.servers), scales))
      loads.push_back(load_of(side, phase, nodes, true));
    for (const int node : nodes) weights[node] = weights[ports + node] = 1.0;
    latency_s = through_light(s, 1.0).latency_s;
  } else {
    const auto half = static_cast<std::uint32_t>(s.radix / 2);
    Stream stream(static_cast<std::uint64_t>(s.seed), Purpose::job_arrivals, 3, number);
    std::vector<int> hosts;
    for (const int node : nodes) hosts.push_back(fabric.places[static_cast<std::size_t>(node)]);
    const Communication sum = in_switches(s, hosts, static_cast<int>(stream.below(half * half)), 1.0);
    for (const LinkUse& link : sum.links) weights[link_names.at(link.name)] = 1.0;
    latency_s = sum.latency_s;
    switched_bytes = sum.switched_bytes;
  }
  PhaseLoad& sum = loads.emplace_back(load_over(weights));
  sum.bytes = 1.0;
  sum.sent_bytes = static_cast<double>(s.servers);
  sum.switched_bytes = switched_bytes;
  sum.fixed_s = latency_s;
  return loads;
}

SharedNetwork::SharedNetwork(const TrafficSettings& given) : parts_(std::make_unique<Parts>()) {
  parts_->settings = given;
  Scenario& s = parts_->settings.network;
  validate(std::find(shared_network_names.begin(), shared_network_names.end(), s.network) !=
               shared_network_names.end(),
           "{}: network {} shared by jobs (one of {}). Set network = \"fat-tree\".", s.name, s.network,
           join_names(shared_network_names));
  validate(std::isfinite(given.bucket_bytes) && given.bucket_bytes > 0.0,
           "{}: bucket_bytes = {} (positive and finite). Set 26214400.", s.name, given.bucket_bytes);
  if (s.network == "adding-fat-tree") {
    s.network = "fat-tree";
    s.collective = "adding-switch";
    s.routing = "ecmp";  // links one by one, not trunks
  } else if (s.network == "optinc") {
    validate(s.unit.has_value(),
             "{}: optinc without the cost of a unit (cost_units computes it). Call it first.", s.name);
    s.collective = "optinc";
    s.bits = s.unit->bits;
    s.fan_in = s.unit->servers;
    s.scale_bits = 32;
    s.levels = 0;
  }
  check_scenario(s);
  if (s.network == "oddl") {
    parts_->settings.light.name = s.name;
    parts_->settings.light.nodes = s.servers;
    const OpticalModules modules = optical_modules(parts_->settings.light);
    parts_->layer_w = static_cast<double>(modules.wavelength_switches) * given.wavelength_switch_w +
                      static_cast<double>(modules.amplifiers) * given.amplifier_w;
  }
  const Scenario shared = s;
  s = in_force(s);
  parts_->fabric = make_fabric(s);
  if (s.network == "optinc") {
    LinkTable& links = parts_->fabric.links;
    for (std::size_t l = 0, light = links.names.size(); l < light; ++l)
      links.add("side " + links.names[l], links.capacity_bytes_per_s[l]);
  }
  if (s.collective == "adding-switch")
    for (std::size_t l = 0; l < parts_->fabric.links.names.size(); ++l)
      parts_->link_names.emplace(parts_->fabric.links.names[l], static_cast<int>(l));
  for (const std::string_view name : workload_names()) {
    Scenario of = shared;
    of.workload = name;
    of.context = 0;
    parts_->models.emplace(name, std::pair(in_force(of), workload_cost(name)));
  }
}

SharedNetwork::~SharedNetwork() = default;

bool SharedNetwork::serves(int nodes) const {
  Scenario s = parts_->settings.network;
  if (s.network != "optinc" || nodes < 2) return true;
  s.servers = nodes;
  s.levels = 0;
  return s.unit->carries_its_rate() && levels_of(s) <= parts_->settings.optinc_levels;
}

std::vector<PhaseLoad> SharedNetwork::collective_loads(std::string_view collective,
                                                       const std::vector<int>& nodes) const {
  Scenario s = parts_->settings.network;
  const bool light = s.network == "optinc";
  if (light) s = side_network(s);
  const std::vector<TransferPhase> phases =
      collective == "send" ? std::vector<TransferPhase>{{"send", {{0, 1, 1.0}}}}
                           : collective_phases(collective, static_cast<int>(nodes.size()), 1.0);
  std::vector<PhaseLoad> loads;
  for (const TransferPhase& phase : phases) loads.push_back(parts_->load_of(s, phase, nodes, light));
  return loads;
}

std::vector<PhaseLoad> SharedNetwork::sum_loads(const std::vector<int>& nodes, std::uint32_t number) const {
  const bool sum = sums(parts_->settings.network) && serves(static_cast<int>(nodes.size()));
  return sum ? parts_->sum_loads(nodes, number) : std::vector<PhaseLoad>();
}

std::int64_t SharedNetwork::summed_bits(std::int64_t bits) const {
  const Scenario& s = parts_->settings.network;
  return s.network == "optinc" ? s.bits : bits;
}

std::span<const double> SharedNetwork::capacity_bytes_per_s() const {
  return parts_->fabric.links.capacity_bytes_per_s;
}

JobTraffic SharedNetwork::traffic_of(const TrainingJob& job) const {
  const auto& [s, model] = parts_->models.at(job.workload);
  JobTraffic traffic;
  traffic.number = job.number;
  traffic.nodes = static_cast<std::int64_t>(job.nodes.size());
  double slowest = 0.0;  // the largest of n exponential delays is 1 + 1/2 + .. + 1/n times their mean
  for (std::int64_t n = 1; n <= traffic.nodes; ++n) slowest += 1.0 / static_cast<double>(n);
  traffic.compute_s = s.compute_s * (1.0 + parts_->settings.straggling * slowest);
  if (job.nodes.size() < 2) return traffic;
  fill_buckets(traffic, model, s, parts_->settings);
  if (sums(s)) {
    traffic.phases = parts_->sum_loads(job.nodes, job.number);
  } else {
    const int n = static_cast<int>(job.nodes.size());
    const double largest = *std::max_element(traffic.bytes.begin(), traffic.bytes.end());
    const std::int64_t chunks =  // of trees; others have none
        best_chunks(job.collective, n, largest, s.port_bytes_per_s(), s.step_latency_s);
    for (const TransferPhase& phase : collective_phases(job.collective, n, 1.0, chunks))
      traffic.phases.push_back(
          parts_->load_of(parts_->settings.network, phase, job.nodes, job.collective == "ring"));
  }
  traffic.demand = largest_demand(traffic.phases);
  return traffic;
}

std::vector<double> SharedNetwork::port_rates(const JobTraffic& traffic, int node, double share) const {
  const LinkTable& links = parts_->fabric.links;
  const bool tree = parts_->settings.network.network == "fat-tree";
  const int place = tree ? parts_->fabric.places[static_cast<std::size_t>(node)] : node;
  std::vector<double> rates(traffic.phases.size(), never);
  for (const char* way : {"up", "down"}) {
    const std::string name = fmt::format("{} {} {}", tree ? "host" : "server", place, way);
    const auto port =
        static_cast<int>(std::find(links.names.begin(), links.names.end(), name) - links.names.begin());
    for (std::size_t p = 0; p < rates.size(); ++p) {
      const PhaseLoad& phase = traffic.phases[p];
      const auto found = std::find(phase.links.begin(), phase.links.end(), port);
      if (found == phase.links.end()) continue;
      const double weight = phase.weights[static_cast<std::size_t>(found - phase.links.begin())];
      rates[p] =
          std::min(rates[p], share * links.capacity_bytes_per_s[static_cast<std::size_t>(port)] / weight);
    }
  }
  return rates;
}

IterationEnergy SharedNetwork::energy(const JobTraffic& traffic, double iteration_s) const {
  const double bytes = std::accumulate(traffic.bytes.begin(), traffic.bytes.end(), 0.0);
  double switched_bytes = 0.0;
  for (const PhaseLoad& p : traffic.phases) switched_bytes += p.switched_bytes * bytes;
  const SummedGroup sum = {traffic.nodes, bytes};
  return energy(traffic.nodes, switched_bytes, {&sum, 1}, iteration_s);
}

IterationEnergy SharedNetwork::energy(std::int64_t nodes, double switched_bytes,
                                      std::span<const SummedGroup> sums, double iteration_s) const {
  Scenario s = parts_->settings.network;
  const double share = static_cast<double>(nodes) / static_cast<double>(s.servers),
               fibres = fibres_bit_per_s(s) * share;
  const bool light = s.network == "optinc";
  if (light) s.network = "switch";  // what is beside the units
  IterationEnergy e = iteration_energy(s, iteration_s, 0.0, switched_bytes, fibres);
  e.optics_j = share * parts_->layer_w * iteration_s;
  if (!light) return e;
  s.network = "optinc";
  s.levels = 0;
  for (const SummedGroup& sum : sums) {
    s.servers = sum.nodes;
    const IterationEnergy of = iteration_energy(s, iteration_s, sum.bytes / s.port_bytes_per_s(), 0.0, 0.0);
    const double ports = 2.0 * of.fibres * static_cast<double>(sum.nodes + of.units - 1);
    e.units += of.units;
    e.chips += of.chips;
    e.static_j += of.static_j;
    e.symbol_j += of.symbol_j;
    e.circuit_ports += ports;
    e.circuits_j += ports * s.circuit_switch_w_per_port * iteration_s;
  }
  return e;
}

std::int64_t SharedNetwork::circuits_of_node() const {
  const Scenario& s = parts_->settings.network;
  return s.network == "oddl" ? s.transceivers : 1;
}

SharedIterations SharedNetwork::iterations(std::span<const JobTraffic* const> jobs, std::int64_t window,
                                           std::uint64_t seed, const SharedIterations& before) const {
  SharedIterations result;
  const std::vector<double>& capacity = parts_->fabric.links.capacity_bytes_per_s;
  std::vector<double> demand(capacity.size(), 0.0);
  for (const JobTraffic* job : jobs)
    for (const auto& [link, bytes_per_s] : job->demand) demand[static_cast<std::size_t>(link)] += bytes_per_s;
  // groups of jobs that meet at a link which cannot carry all of them
  std::vector<std::size_t> group(jobs.size()), first(capacity.size(), jobs.size());
  std::iota(group.begin(), group.end(), std::size_t{0});
  const auto head = [&](std::size_t j) {
    while (group[j] != j) j = group[j] = group[group[j]];
    return j;
  };
  for (std::size_t j = 0; j < jobs.size(); ++j)
    for (const auto& [link, bytes_per_s] : jobs[j]->demand) {
      const auto l = static_cast<std::size_t>(link);
      if (!contended(demand[l], capacity[l])) continue;
      if (first[l] == jobs.size()) first[l] = j;
      group[head(j)] = head(first[l]);
    }
  std::map<std::size_t, std::vector<std::size_t>> groups;
  for (std::size_t j = 0; j < jobs.size(); ++j) groups[head(j)].push_back(j);
  result.iteration_s.resize(jobs.size());
  for (const auto& [name, members] : groups) {
    if (members.size() == 1) {
      result.iteration_s[members[0]] = jobs[members[0]]->alone_s();
      continue;
    }
    result.coupled += static_cast<std::int64_t>(members.size());
    std::vector<std::uint32_t> numbers;
    for (const std::size_t j : members) numbers.push_back(jobs[j]->number);
    const auto known = before.groups.find(numbers);
    std::vector<double>& iteration_s = result.groups[numbers];
    if (known != before.groups.end()) {
      iteration_s = known->second;
    } else {
      std::vector<RunningJob> running(members.size());
      for (std::size_t i = 0; i < members.size(); ++i) {
        running[i].job = jobs[members[i]];
        Stream stream(seed, Purpose::job_arrivals, 1, numbers[i]);
        running[i].until_s = stream.uniform() * running[i].job->alone_s();
        running[i].state = RunningJob::ends;
        running[i].done = -1;  // its first iteration begins then
      }
      std::vector<std::span<const PhaseLoad>> phases;
      for (const RunningJob& r : running) phases.emplace_back(r.job->phases);
      result.events += simulate_window(running, Contention(capacity, demand, phases), window);
      for (const RunningJob& r : running)
        iteration_s.push_back((r.last_s - r.first_s) / (r.done - warm_up_iterations));
    }
    for (std::size_t i = 0; i < members.size(); ++i) result.iteration_s[members[i]] = iteration_s[i];
  }
  return result;
}

}  // namespace optinc
