#include "experiments/fabrics/interconnect/simulate.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "experiments/fabrics/interconnect/workloads.hpp"
#include "physics/core/check.hpp"

namespace optinc {
namespace {

bool adds_in_network(const Scenario& s) { return s.collective == "optinc" || s.collective == "adding-switch"; }

/// Agreeing on the scales, before anything can be quantised.
Communication agree_on_scales(const Scenario& s, double parameters, std::vector<Transfer>& in_place) {
  if (s.scale_bits == 0) return {};
  const Scenario side = adds_in_network(s) ? side_network(s) : s;
  const double bytes = parameters * static_cast<double>(s.scale_bits) / static_cast<double>(s.block) / 8.0 /
                       static_cast<double>(s.buckets);
  const std::int64_t chunks =
      best_chunks(side.collective, static_cast<int>(s.servers), bytes, s.port_bytes_per_s(), s.step_latency_s);
  const Fabric fabric = make_fabric(side);
  const auto bucket = [&] { return between_servers(side, fabric, side.collective, bytes, chunks, in_place); };
  Communication scales = bucket();
  const double first_s = scales.circuits_s;
  if (s.buckets > 1) scales = bucket();  // finds circuits as the bucket before left them
  const double more_s = first_s - scales.circuits_s;
  scales.repeat(s.buckets, "scales of a bucket");
  scales.circuits_s += more_s;
  scales.steps[0].set_s = more_s;
  scales.steps[0].times_set = 1;
  if (s.network == "optinc")
    for (LinkUse& link : scales.links) link.name = fmt::format("side {}", link.name);
  return scales;
}

Communication average(const Scenario& s, double bytes, std::vector<Transfer>& in_place) {
  if (s.collective == "optinc") return through_light(s, bytes);
  if (s.collective == "adding-switch") return in_switches(s, bytes);
  const std::int64_t chunks = std::max<std::int64_t>(1, s.chunks);  // 0 where no tree reads it
  return between_servers(s, make_fabric(s), s.collective, bytes, chunks, in_place);
}

/// Steps one after the other, from the share of the job's set-up on.
void line_up(IterationResult& r, const Communication& scales, const Communication& gradient) {
  double at_s = r.setup_share_s;
  for (const auto* part : {&scales, &gradient})
    for (const StepRecord& step : part->steps) {
      r.steps.push_back(step);
      r.steps.back().start_s = at_s;
      at_s += step.whole_s();
    }
}

/// What is known of the computing alone.
IterationResult computed(const Scenario& s) {
  IterationResult r;
  r.scenario = s;
  const ModelCost model = model_of(s);
  r.parameters = model.parameters();
  r.macs = model.macs();
  r.flop = iteration_flop(s, model);
  r.payload_bytes = gradient_bytes(s, model);
  r.time.forward_s = s.compute_s / (1.0 + s.backward_ratio);
  r.time.backward_s = s.compute_s - r.time.forward_s;
  return r;
}

/// What follows from times and bytes.
void derive(IterationResult& r, const Scenario& s) {
  const double communication_s = r.time.communication_s(), n = static_cast<double>(s.servers);
  r.exposed_s = r.time.exposed_s(s.overlap);
  r.total_s = r.time.compute_s() + r.exposed_s;
  r.normalised_data = r.sent_bytes / r.payload_bytes;
  r.algorithm_bytes_per_s = r.payload_bytes / communication_s;
  r.bus_bytes_per_s = adds_in_network(s) ? std::numeric_limits<double>::quiet_NaN()
                                         : r.algorithm_bytes_per_s * 2.0 * (n - 1.0) / n;
  for (LinkUse& link : r.links) link.utilisation = link.bytes / (link.capacity_bytes_per_s * communication_s);
}

}  // namespace

Scenario side_network(const Scenario& s) {
  Scenario side = s;
  if (s.network == "optinc") side.network = "switch";
  side.collective = std::has_single_bit(static_cast<std::uint64_t>(s.servers)) ? "halving-doubling" : "ring";
  return side;
}

double IterationTime::exposed_s(double overlap) const {
  return std::max(0.0, communication_s() - overlap * backward_s);
}

IterationResult simulate_iteration(const Scenario& given) {
  check_scenario(given);
  validate(given.unit || given.design.empty() || !reads_key(given, "design"),
           "{}: design \"{}\" without its cost (cost_units computes it). Call cost_units first.", given.name,
           given.design);
  const Scenario s = in_force(given);
  IterationResult r = computed(s);
  std::vector<Transfer> in_place;
  const Communication scales = agree_on_scales(s, static_cast<double>(r.parameters), in_place);
  Communication gradient = average(s, r.payload_bytes, in_place);
  if (s.network == "oddl") r.setup_share_s = s.setup_s / static_cast<double>(s.job_iterations);
  r.time.serial_s = gradient.serial_s;
  r.time.latency_s = gradient.latency_s;
  r.time.circuits_s = r.setup_share_s + gradient.circuits_s;
  r.time.sync_s = scales.whole_s();
  r.slowdown = gradient.serial_s / gradient.ports_s;
  r.mean_slowdown = gradient.mean_links_s / gradient.ports_s;
  for (std::size_t i = 0; i < gradient.server_bytes.size(); ++i)
    r.sent_bytes = std::max(
        r.sent_bytes, gradient.server_bytes[i] + (scales.server_bytes.empty() ? 0.0 : scales.server_bytes[i]));
  line_up(r, scales, gradient);
  gradient.add_links(scales.links);
  r.links = std::move(gradient.links);
  derive(r, s);
  r.energy = iteration_energy(s, r.total_s, r.time.serial_s, gradient.switched_bytes + scales.switched_bytes,
                              fibres_bit_per_s(s));
  return r;
}

}  // namespace optinc
