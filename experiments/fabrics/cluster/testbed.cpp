#include "experiments/fabrics/cluster/testbed.hpp"

#include <cmath>
#include <limits>
#include <map>

#include "experiments/fabrics/interconnect/circuits.hpp"
#include "experiments/fabrics/interconnect/workloads.hpp"
#include "physics/core/check.hpp"
#include "physics/devices/waveguide.hpp"

namespace optinc {
namespace {

constexpr double allowed_ratio = 1.02;

ProtocolSettings protocol_of(const Testbed& t) {
  ProtocolSettings p;
  p.nodes = static_cast<int>(t.nodes);
  p.transceivers = static_cast<int>(t.transceivers);
  p.bytes_per_s = t.rate_bit_per_s / 8.0;
  p.message_s = t.message_s;
  p.tuning_s = t.tuning_s;
  p.settling_s = t.settling_s;
  p.propagation_s = fibre_delay_s({t.fibre_m});
  p.backoff_s = t.backoff_s;
  p.slot_s = t.slot_s;
  p.hold = t.hold;
  p.schedule = t.schedule;
  p.seed = static_cast<std::uint64_t>(t.seed);
  return p;
}

std::vector<StepFlow> exchange(const Testbed& t, double bytes) {
  std::vector<StepFlow> flows;
  const double buckets = std::ceil(bytes / t.bucket_bytes), n = static_cast<double>(t.nodes);
  validate(2.0 * n * (n - 1.0) * buckets <= 1e6,
           "{}: {} buckets between {} nodes (at most 1e6 flows, for time). Raise bucket_bytes.", t.name,
           buckets, t.nodes);
  for (double b = 0; b < buckets; ++b) {
    const int first = flows.empty() ? 0 : flows.back().step + 1;
    for (StepFlow& f : collective_flows(t.collective, static_cast<int>(t.nodes), bytes / buckets, first))
      flows.push_back(f);
  }
  return flows;
}

double ideal_s(const ProtocolSettings& p, const std::vector<StepFlow>& flows) {
  std::map<int, std::vector<Transfer>> steps;
  for (const StepFlow& f : flows) steps[f.step].push_back(f.transfer);
  double all_s = 0.0;
  for (const auto& [step, transfers] : steps)
    all_s += busiest_port_s(p.nodes, transfers, p.transceivers * p.bytes_per_s) + p.propagation_s;
  return all_s;
}

/// The largest tuning time that `stays`, by bisection of its logarithm; NaN where 1 ps does not.
template <class Stays>
double largest_tuning_s(Stays&& stays) {
  double low = -12.0, high = 2.0;
  if (!stays(std::pow(10.0, low))) return std::numeric_limits<double>::quiet_NaN();
  while (high - low > 1e-4) {
    const double middle = (low + high) / 2.0;
    (stays(std::pow(10.0, middle)) ? low : high) = middle;
  }
  return std::pow(10.0, low);
}

}  // namespace

TestbedResult run_testbed(const Testbed& t) {
  const ProtocolSettings p = protocol_of(t);
  TestbedResult result;
  result.bytes =
      static_cast<double>(workload_cost(t.workload).parameters()) * static_cast<double>(t.bits) / 8.0;
  const std::vector<StepFlow> flows = exchange(t, result.bytes);
  result.ideal_s = ideal_s(p, flows);
  result.run = run_protocol(p, flows);
  result.limit_s = largest_tuning_s([&](double tuning_s) {
    ProtocolSettings tried = p;
    tried.tuning_s = tuning_s;
    if (p.schedule == "round-robin" && p.slot_s <= tuning_s + p.settling_s) return false;
    return run_protocol(tried, flows).end_s <= allowed_ratio * result.ideal_s;
  });
  if (t.failed_transceivers == 0) return result;
  const double undisturbed_s = result.run.end_s;
  std::vector<TransceiverFailure> failures;
  for (std::int64_t f = 1; f <= t.failed_transceivers; ++f)
    failures.push_back(
        {0, undisturbed_s * static_cast<double>(f) / static_cast<double>(t.failed_transceivers + 1)});
  result.run = run_protocol(p, flows, failures);
  result.lost_s = result.run.end_s - undisturbed_s;
  return result;
}

}  // namespace optinc
