#include "experiments/fabrics/interconnect/collectives.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <set>
#include <string>
#include <utility>

#include "physics/core/check.hpp"

namespace optinc {
namespace {

using Phases = std::vector<TransferPhase>;

int depth_of(int servers) { return std::bit_width(static_cast<unsigned>(servers)) - 1; }

Phases ring(int n, double bytes) {
  const std::int64_t steps = 2 * (std::int64_t{n} - 1);
  TransferPhase step{"ring step", {}, steps, steps};
  for (int s = 0; s < n; ++s) step.transfers.push_back({s, (s + 1) % n, bytes / n});
  return {step};
}

Phases halving_doubling(int n, double bytes) {
  Phases phases;
  for (int distance = n / 2; distance >= 1; distance /= 2) {
    TransferPhase phase{"halving, distance " + std::to_string(distance), {}};
    for (int s = 0; s < n; ++s) phase.transfers.push_back({s, s ^ distance, bytes * distance / n});
    phases.push_back(std::move(phase));
  }
  for (int distance = 1; distance < n; distance *= 2) {
    TransferPhase phase{"doubling, distance " + std::to_string(distance), {}};
    for (int s = 0; s < n; ++s) phase.transfers.push_back({s, s ^ distance, bytes * distance / n});
    phases.push_back(std::move(phase));
  }
  return phases;
}

/// Heaps: the parent of server s > 0 is (s - 1) / 2. The mirrored one gives every server its work in one tree
/// alone.
Phases trees(int n, double bytes, std::int64_t chunks, bool two) {
  const std::int64_t steps = depth_of(n) + chunks - 1;
  TransferPhase up{"tree, to the root", {}, steps, chunks}, down{"tree, from the root", {}, steps, chunks};
  const double part = bytes / static_cast<double>(chunks) / (two ? 2 : 1);
  for (int s = 1; s < n; ++s) up.transfers.push_back({s, (s - 1) / 2, part});
  if (two)
    for (int s = 1; s < n; ++s) up.transfers.push_back({n - 1 - s, n - 1 - (s - 1) / 2, part});
  for (const Transfer& t : up.transfers) down.transfers.push_back({t.destination, t.source, t.bytes});
  return {up, down};
}

Phases parameter_server(int n, double bytes) {
  TransferPhase push{"push", {}}, pull{"pull", {}};
  for (int s = 1; s < n; ++s) {
    push.transfers.push_back({s, 0, bytes});
    pull.transfers.push_back({0, s, bytes});
  }
  return {push, pull};
}

/// Every server sends every other one its share.
void add_shifts(Phases& phases, const std::string& name, int n, double bytes) {
  for (int shift = 1; shift < n; ++shift) {
    TransferPhase phase{name + ", shift " + std::to_string(shift), {}};
    for (int s = 0; s < n; ++s) phase.transfers.push_back({s, (s + shift) % n, bytes / n});
    phases.push_back(std::move(phase));
  }
}

Phases sharded(int n, double bytes) {
  Phases phases;
  for (const char* name : {"push", "pull"}) add_shifts(phases, name, n, bytes);
  return phases;
}

Phases all_to_all(int n, double bytes) {
  Phases phases;
  add_shifts(phases, "all-to-all", n, bytes);
  return phases;
}

/// Half of the equal steps of a ring.
Phases half_ring(int n, double bytes) {
  Phases phases = ring(n, bytes);
  phases[0].repeats = phases[0].loads = n - 1;
  return phases;
}

/// A pipeline of n - 1 hops: every server passes parts of all bytes on while it receives the next.
Phases chain(const std::string& name, int n, double bytes, bool to_first) {
  TransferPhase phase{name, {}, n - 1, n - 1};
  for (int s = 0; s + 1 < n; ++s)
    phase.transfers.push_back({to_first ? s + 1 : s, to_first ? s : s + 1, bytes / (n - 1)});
  return {phase};
}

/// The share of every other server to the first, or back.
Phases star(const std::string& name, int n, double bytes, bool to_first) {
  TransferPhase phase{name, {}};
  for (int s = 1; s < n; ++s) phase.transfers.push_back({to_first ? s : 0, to_first ? 0 : s, bytes / n});
  return {phase};
}

}  // namespace

void check_collective_size(std::string_view collective, std::int64_t n, std::string_view where) {
  if (collective == "halving-doubling")
    validate(std::has_single_bit(static_cast<std::uint64_t>(n)),
             "{}: halving-doubling of {} servers (a power of two). Set servers = {}, or collective = \"ring\".",
             where, n, std::bit_floor(static_cast<std::uint64_t>(n)));
  if (collective == "double-tree")
    validate(n % 2 == 0,
             "{}: double-tree of {} servers (an even number, or one works in both trees). Set servers = {}, or "
             "collective = \"tree\".",
             where, n, n - 1);
}

int circuit_degree(std::string_view collective, int n) {
  // known without listing the N^2 transfers
  if (collective == "parameter-server" || collective == "sharded-parameter-server") return n - 1;
  std::set<std::pair<int, int>> pairs;
  for (const TransferPhase& phase : collective_phases(collective, n, 1.0))
    for (const Transfer& t : phase.transfers) pairs.insert({t.source, t.destination});
  std::vector<int> out(static_cast<std::size_t>(n), 0), in = out;
  for (const auto& [from, to] : pairs) {
    ++out[static_cast<std::size_t>(from)];
    ++in[static_cast<std::size_t>(to)];
  }
  return std::max(*std::max_element(out.begin(), out.end()), *std::max_element(in.begin(), in.end()));
}

std::vector<TransferPhase> collective_phases(std::string_view collective, int n, double bytes,
                                             std::int64_t chunks) {
  validate(n >= 2, "{} of {} servers (2 or more). Add servers.", collective, n);
  validate(std::isfinite(bytes) && bytes > 0.0, "{} of {} bytes (positive and finite). Give a payload.",
           collective, bytes);
  validate(chunks >= 1, "{} in {} chunks (1 or more). Set chunks to 1, or to 0 for the best.", collective,
           chunks);
  check_collective_size(collective, n, "collective");
  if (collective == "ring") return ring(n, bytes);
  if (collective == "halving-doubling") return halving_doubling(n, bytes);
  if (collective == "tree") return trees(n, bytes, chunks, false);
  if (collective == "double-tree") return trees(n, bytes, chunks, true);
  if (collective == "parameter-server") return parameter_server(n, bytes);
  if (collective == "sharded-parameter-server") return sharded(n, bytes);
  if (collective == "reduce-scatter" || collective == "all-gather") return half_ring(n, bytes);
  if (collective == "all-to-all") return all_to_all(n, bytes);
  if (collective == "broadcast" || collective == "reduce")
    return chain(std::string(collective), n, bytes, collective == "reduce");
  if (collective == "scatter" || collective == "gather")
    return star(std::string(collective), n, bytes, collective == "gather");
  throw Error(fmt::format(
      "no collective \"{}\" between servers (ring, halving-doubling, tree, double-tree, parameter-server, "
      "sharded-parameter-server, reduce-scatter, all-gather, all-to-all, broadcast, reduce, scatter, gather). "
      "Name one "
      "of them.",
      collective));
}

std::int64_t best_chunks(std::string_view collective, int servers, double bytes, double bytes_per_s,
                         double step_latency_s) {
  const double load = (collective == "tree" ? 2.0 : 1.0) * bytes / bytes_per_s;
  const double depth = std::max(0, depth_of(servers) - 1);
  constexpr double most = 65536.0;
  const double best =
      step_latency_s > 0.0 ? std::sqrt(depth * load / step_latency_s) : (depth > 0.0 ? most : 1.0);
  return std::llround(std::clamp(best, 1.0, most));
}

}  // namespace optinc
