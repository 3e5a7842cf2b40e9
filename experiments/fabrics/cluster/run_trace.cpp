#include <algorithm>
#include <bit>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <queue>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "experiments/fabrics/cluster/contention.hpp"
#include "experiments/fabrics/cluster/execution_trace.hpp"
#include "experiments/fabrics/cluster/held_circuits.hpp"
#include "physics/core/check.hpp"

namespace optinc {
namespace {

using Member = std::pair<std::uint32_t, std::uint32_t>;  // rank and step

bool computes(StepKind kind) { return kind == StepKind::compute || kind == StepKind::host_compute; }
bool joins_two(StepKind kind) { return kind == StepKind::send || kind == StepKind::receive; }

/// Steps of a rank so that none stands before one that it waits for, the lowest numbers first; those that wait
/// for each other last.
std::vector<std::uint32_t> in_order(const std::vector<TraceStep>& steps) {
  std::vector<std::uint32_t> waits(steps.size()), order;
  std::vector<std::vector<std::uint32_t>> then(steps.size());
  std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>> ready;
  for (std::uint32_t i = 0; i < steps.size(); ++i) {
    waits[i] = static_cast<std::uint32_t>(steps[i].after.size());
    for (const std::uint32_t before : steps[i].after) then[before].push_back(i);
    if (waits[i] == 0) ready.push(i);
  }
  while (!ready.empty()) {
    order.push_back(ready.top());
    ready.pop();
    for (const std::uint32_t next : then[order.back()])
      if (--waits[next] == 0) ready.push(next);
  }
  for (std::uint32_t i = 0; i < steps.size(); ++i)
    if (waits[i] > 0) order.push_back(i);
  return order;
}

/// A communication: of a group once all its ranks have reached it, from rank to rank once the sender has.
struct Operation {
  std::size_t loads = 0;  ///< in Operations::loads
  std::size_t queue = 0;  ///< those of one queue run one after the other
  double bytes = 0.0;     ///< on the network
  std::size_t missing = 0;
  std::vector<Member> members = {};  ///< of a message: who sends, who receives
  bool over = false;
};

/// What a byte of an operation puts on the network; nothing where it takes no time.
struct OperationLoads {
  std::vector<PhaseLoad> phases;
  bool summed = false;  ///< by the network itself
};

OperationLoads loads_of(const TraceStep& step, const SharedNetwork* network, const std::vector<int>& nodes,
                        const std::vector<Member>& members, std::string_view all_reduce) {
  if (network == nullptr || members.size() < 2) return {};
  std::vector<int> at;
  for (const auto& [rank, number] : members) at.push_back(nodes[rank]);
  if (step.gradient_bits > 0)
    if (auto sum = network->sum_loads(at, members[0].first); !sum.empty()) return {std::move(sum), true};
  validate(step.kind != StepKind::all_reduce || all_reduce != "halving-doubling" ||
               std::has_single_bit(members.size()),
           "halving-doubling of a group of {} ranks (a power of two). Set collective = \"ring\".",
           members.size());
  const bool by_all_reduce = step.kind == StepKind::all_reduce || step.kind == StepKind::barrier;
  return {network->collective_loads(
      by_all_reduce ? all_reduce : step_names[static_cast<std::size_t>(step.kind)], at)};
}

/// All communications of a trace.
struct Operations {
  std::vector<Operation> all;
  std::vector<std::vector<std::size_t>>
      of;  ///< of each step; meaningless for those that compute. Shape (ranks)
  std::vector<std::vector<std::size_t>> queues;  ///< of a group, and from one rank to another: those that all
                                                 ///< have reached, or the sender, in this order
  std::vector<OperationLoads> loads;             ///< of every kind among the same ranks

  Operations(const ExecutionTrace& trace, const SharedNetwork* network, const std::vector<int>& nodes,
             std::string_view all_reduce);

 private:
  void join_groups(const ExecutionTrace& trace);
  void join_pairs(const ExecutionTrace& trace);
};

/// k-th operation of every group: its ranks' k-th steps there.
void Operations::join_groups(const ExecutionTrace& trace) {
  queues.resize(trace.groups.size());
  std::vector<std::vector<std::size_t>> of_group(trace.groups.size());
  const auto text = [](const TraceStep& step) {
    return fmt::format("{} of {:.0f} bytes", step_names[static_cast<std::size_t>(step.kind)], step.bytes);
  };
  for (std::uint32_t r = 0; r < trace.ranks.size(); ++r) {
    std::map<int, std::size_t> reached;
    for (const std::uint32_t i : in_order(trace.ranks[r])) {
      const TraceStep& step = trace.ranks[r][i];
      if (computes(step.kind) || joins_two(step.kind)) continue;
      const auto g = static_cast<std::size_t>(step.group);
      const std::size_t k = reached[step.group]++;
      if (k == of_group[g].size()) {
        of_group[g].push_back(all.size());
        all.push_back({0, g, step.bytes, trace.groups[g].size()});
      }
      Operation& operation = all[of_group[g][k]];
      operation.members.emplace_back(r, i);
      of[r][i] = of_group[g][k];
      const auto [other, number] = operation.members[0];
      const TraceStep& first = trace.ranks[other][number];
      validate(first.kind == step.kind && first.bytes == step.bytes,
               "operation {} of a group is {} on rank {}, {} on rank {} (the same on all its ranks). Write the "
               "trace "
               "anew.",
               k, text(first), other, text(step), r);
    }
  }
  for (const Operation& operation : all) {
    const auto [r, i] = operation.members[0];
    validate(operation.members.size() == operation.missing,
             "{} of {} ranks of a group reach {} (all of them do). Write the trace anew.",
             operation.members.size(), operation.missing, text(trace.ranks[r][i]));
  }
}

/// k-th message of a rank to another under one tag: k-th send and k-th receive.
void Operations::join_pairs(const ExecutionTrace& trace) {
  std::map<std::tuple<std::uint32_t, std::uint32_t, int>, std::array<std::vector<Member>, 2>> messages;
  for (std::uint32_t r = 0; r < trace.ranks.size(); ++r)
    for (const std::uint32_t i : in_order(trace.ranks[r])) {
      const TraceStep& step = trace.ranks[r][i];
      if (!joins_two(step.kind)) continue;
      const auto peer = static_cast<std::uint32_t>(step.peer);
      const bool sends = step.kind == StepKind::send;
      messages[sends ? std::tuple(r, peer, step.tag) : std::tuple(peer, r, step.tag)][sends ? 0 : 1]
          .emplace_back(r, i);
    }
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> lines;
  for (const auto& [key, ends] : messages) {
    const auto [from, to, tag] = key;
    const auto& [sends, receives] = ends;
    validate(sends.size() == receives.size(),
             "rank {} sends rank {} {} messages of tag {}, {} are received (as many). Write the trace anew.",
             from, to, sends.size(), tag, receives.size());
    const auto [line, added] = lines.emplace(std::pair(from, to), queues.size());
    if (added) queues.emplace_back();
    for (std::size_t k = 0; k < sends.size(); ++k) {
      const double bytes = trace.ranks[from][sends[k].second].bytes;
      validate(bytes == trace.ranks[to][receives[k].second].bytes,
               "rank {} sends rank {} {} bytes of tag {}, {} are received (as many). Write the trace anew.",
               from, to, bytes, tag, trace.ranks[to][receives[k].second].bytes);
      of[from][sends[k].second] = of[to][receives[k].second] = all.size();
      all.push_back({0, line->second, bytes, 1, {sends[k], receives[k]}});
    }
  }
}

Operations::Operations(const ExecutionTrace& trace, const SharedNetwork* network, const std::vector<int>& nodes,
                       std::string_view all_reduce) {
  for (const auto& steps : trace.ranks) of.emplace_back(steps.size());
  join_groups(trace);
  join_pairs(trace);
  std::map<std::tuple<std::size_t, StepKind, bool>, std::size_t> known;
  for (Operation& operation : all) {
    const auto [r, i] = operation.members[0];
    const TraceStep& step = trace.ranks[r][i];
    const bool gradients = step.gradient_bits > 0;
    const auto [entry, added] = known.emplace(std::tuple(operation.queue, step.kind, gradients), loads.size());
    operation.loads = entry->second;
    if (added) loads.push_back(loads_of(step, network, nodes, operation.members, all_reduce));
    const OperationLoads& of_byte = loads[operation.loads];
    if (of_byte.summed)
      operation.bytes *= static_cast<double>(network->summed_bits(step.gradient_bits)) /
                         static_cast<double>(step.gradient_bits);
  }
}

/// What runs: an operation in one of its phases, latency first.
struct Running {
  std::size_t operation = 0, phase = 0;
  bool sends = false;
  double until_s = 0.0, left_bytes = 0.0, rate = 0.0;
};

/// The simulation of a trace.
class Run {
 public:
  Run(const ExecutionTrace& trace, Operations& operations, std::span<const double> capacity,
      HeldCircuits& circuits)
      : trace_(trace),
        operations_(operations),
        circuits_(circuits),
        contention_(contention(operations, capacity)),
        solver_(contention_.capacity, contention_.flows),
        next_(operations.queues.size(), 0) {
    for (const auto& steps : trace.ranks) {
      std::vector<std::uint32_t>& waits = waits_.emplace_back(steps.size());
      auto& then = then_.emplace_back(steps.size());
      for (std::uint32_t i = 0; i < steps.size(); ++i) {
        waits[i] = static_cast<std::uint32_t>(steps[i].after.size());
        for (const std::uint32_t before : steps[i].after) then[before].push_back(i);
      }
    }
    units_.resize(2 * trace.ranks.size());
    for (const auto& steps : trace.ranks) received_.emplace_back(steps.size(), false);
  }

  TraceRun run(const std::function<void()>& while_running);

 private:
  /// An accelerator or a host.
  struct Unit {
    std::set<std::uint32_t> ready;
    bool busy = false;
  };
  static Contention contention(const Operations& operations, std::span<const double> capacity);
  std::size_t flow(const Running& r) const {
    return contention_.first[operations_.all[r.operation].loads] + r.phase;
  }
  std::size_t unit_of(std::uint32_t rank, std::uint32_t step) const {
    return 2 * std::size_t{rank} + (trace_.ranks[rank][step].kind == StepKind::host_compute ? 1 : 0);
  }
  const std::vector<PhaseLoad>& phases_of(std::size_t operation) const {
    return operations_.loads[operations_.all[operation].loads].phases;
  }
  void reach(std::uint32_t rank, std::uint32_t step);
  void end(std::uint32_t rank, std::uint32_t step);
  void settle();
  void begin(std::optional<std::size_t> operation);
  void begin_phase(Running& r);
  void advance(Running& r);
  void advance_clock();
  void complete_events();
  std::optional<std::size_t> end_operation(std::size_t operation);

  const ExecutionTrace& trace_;
  Operations& operations_;
  HeldCircuits& circuits_;
  Contention contention_;
  MaxMinSolver solver_;
  std::vector<std::vector<std::uint32_t>> waits_;
  std::vector<std::vector<std::vector<std::uint32_t>>> then_;
  std::vector<std::vector<bool>> received_;  ///< steps that wait for a message
  std::vector<Unit> units_;
  std::vector<std::size_t> touched_;  ///< units that may begin a step
  std::vector<std::size_t> next_;     ///< of every queue: operations that have ended
  std::vector<Member> ended_;         ///< steps that have just ended
  std::vector<Running> running_;
  std::map<std::size_t, SummedGroup> sums_;  ///< by queue
  std::priority_queue<std::pair<double, Member>, std::vector<std::pair<double, Member>>, std::greater<>>
      computing_;
  static constexpr double tie = 1 + 1e-13;  ///< times that differ by less are one
  double now_s_ = 0.0;
  TraceRun result_;
};

Contention Run::contention(const Operations& operations, std::span<const double> capacity) {
  std::vector<double> demand(capacity.size(), 0.0);
  std::vector<std::span<const PhaseLoad>> phases;
  for (const OperationLoads& loads : operations.loads) {
    phases.emplace_back(loads.phases);
    for (const auto& [link, bytes_per_s] : largest_demand(loads.phases))
      demand[static_cast<std::size_t>(link)] += bytes_per_s;
  }
  return {capacity, demand, phases};
}

void Run::reach(std::uint32_t rank, std::uint32_t step) {
  const TraceStep& s = trace_.ranks[rank][step];
  if (!computes(s.kind)) {
    const std::size_t number = operations_.of[rank][step];
    Operation& operation = operations_.all[number];
    if (s.kind == StepKind::receive) {
      received_[rank][step] = true;
      if (operation.over) ended_.emplace_back(rank, step);
      return;
    }
    if (--operation.missing > 0) return;
    std::vector<std::size_t>& queue = operations_.queues[operation.queue];
    queue.push_back(number);
    if (queue[next_[operation.queue]] == number) begin(number);
    return;
  }
  if (s.seconds == 0.0) {
    ended_.emplace_back(rank, step);
    return;
  }
  units_[unit_of(rank, step)].ready.insert(step);
  touched_.push_back(unit_of(rank, step));
}

void Run::end(std::uint32_t rank, std::uint32_t step) {
  ++result_.steps;
  for (const std::uint32_t then : then_[rank][step])
    if (--waits_[rank][then] == 0) reach(rank, then);
}

/// Lets everything begin that may, until nothing more does at this time.
void Run::settle() {
  while (!ended_.empty()) {
    const auto [rank, step] = ended_.back();
    ended_.pop_back();
    end(rank, step);
  }
  for (const std::size_t u : touched_) {
    Unit& unit = units_[u];
    if (unit.busy || unit.ready.empty()) continue;
    const auto rank = static_cast<std::uint32_t>(u / 2), step = *unit.ready.begin();
    unit.ready.erase(unit.ready.begin());
    unit.busy = true;
    computing_.push({now_s_ + trace_.ranks[rank][step].seconds, {rank, step}});
  }
  touched_.clear();
}

/// Begins an operation, and those behind it as long as they take no time.
void Run::begin(std::optional<std::size_t> operation) {
  while (operation && phases_of(*operation).empty()) operation = end_operation(*operation);
  if (!operation) return;
  Running& r = running_.emplace_back();
  r.operation = *operation;
  begin_phase(r);
}

/// Latency, and circuits that are not in place, pass before a phase's bytes.
void Run::begin_phase(Running& r) {
  const PhaseLoad& phase = phases_of(r.operation)[r.phase];
  const bool in_place = !phase.circuits.empty() && !circuits_.set(phase.circuits);
  r.until_s = now_s_ + phase.fixed_s - (in_place ? phase.set_s : 0.0);
}

/// Ends an operation; the next of its queue.
std::optional<std::size_t> Run::end_operation(std::size_t number) {
  Operation& operation = operations_.all[number];
  operation.over = true;
  ++result_.operations;
  for (const PhaseLoad& p : phases_of(number)) {
    result_.sent_bytes += operation.bytes * p.sent_bytes;
    result_.switched_bytes += operation.bytes * p.switched_bytes;
  }
  if (operations_.loads[operation.loads].summed) {
    SummedGroup& sum = sums_[operation.queue];
    sum.nodes = static_cast<std::int64_t>(operation.members.size());
    sum.bytes += operation.bytes;
  }
  for (const auto& [rank, step] : operation.members)  // who is not there yet ends when it receives
    if (trace_.ranks[rank][step].kind != StepKind::receive || received_[rank][step])
      ended_.emplace_back(rank, step);
  const std::vector<std::size_t>& queue = operations_.queues[operation.queue];
  const std::size_t next = ++next_[operation.queue];
  if (next == queue.size()) return {};
  return queue[next];
}

/// What happens at until_s, or once all bytes are sent; an operation that has ended has no phase left.
void Run::advance(Running& r) {
  const std::vector<PhaseLoad>& phases = phases_of(r.operation);
  if (const double bytes = phases[r.phase].bytes * operations_.all[r.operation].bytes;
      !r.sends && bytes > 0.0) {
    r.sends = true;
    r.left_bytes = bytes;
    solver_.set(flow(r), true);
    return;
  }
  if (r.sends) solver_.set(flow(r), false);
  r.sends = false;
  if (++r.phase < phases.size()) begin_phase(r);
}

/// Advances the clock to the next event; bytes are sent until then.
void Run::advance_clock() {
  const std::vector<double>& rates = solver_.rates();
  double next_s = computing_.empty() ? std::numeric_limits<double>::infinity() : computing_.top().first;
  for (Running& r : running_) {
    if (r.sends) r.rate = rates[flow(r)];
    next_s = std::min(next_s, r.sends ? now_s_ + r.left_bytes / r.rate : r.until_s);
  }
  for (Running& r : running_) {
    if (!r.sends) continue;
    const double end_s = now_s_ + r.left_bytes / r.rate;
    r.left_bytes = end_s <= next_s * tie ? 0.0 : r.left_bytes - r.rate * (next_s - now_s_);
  }
  now_s_ = next_s;
}

/// Ends the steps and phases that end now, and begins operations behind those that do.
void Run::complete_events() {
  for (; !computing_.empty() && computing_.top().first <= now_s_ * tie; computing_.pop()) {
    const Member done = computing_.top().second;
    const std::size_t unit = unit_of(done.first, done.second);
    units_[unit].busy = false;
    touched_.push_back(unit);
    ended_.push_back(done);
    ++result_.events;
  }
  std::vector<std::size_t> over;
  for (Running& r : running_)
    if (r.sends ? r.left_bytes <= 0.0 : r.until_s <= now_s_ * tie) {
      ++result_.events;
      advance(r);
      if (r.phase == phases_of(r.operation).size()) over.push_back(r.operation);
    }
  std::erase_if(running_, [&](const Running& r) { return r.phase == phases_of(r.operation).size(); });
  for (const std::size_t operation : over) begin(end_operation(operation));
}

TraceRun Run::run(const std::function<void()>& while_running) {
  for (std::uint32_t rank = 0; rank < trace_.ranks.size(); ++rank)
    for (std::uint32_t step = 0; step < waits_[rank].size(); ++step)
      if (waits_[rank][step] == 0) reach(rank, step);
  settle();
  while (!running_.empty() || !computing_.empty()) {
    if (while_running) while_running();
    advance_clock();
    complete_events();
    settle();
  }
  std::size_t steps = 0;
  for (const auto& of_rank : trace_.ranks) {
    double compute_s = 0.0;
    for (const TraceStep& step : of_rank)
      if (step.kind == StepKind::compute) compute_s += step.seconds;
    result_.compute_s = std::max(result_.compute_s, compute_s);
    steps += of_rank.size();
  }
  validate(static_cast<std::size_t>(result_.steps) == steps,
           "{} of {} steps never begin (they wait for each other, or for ranks that do). Write the trace anew.",
           steps - static_cast<std::size_t>(result_.steps), steps);
  result_.iteration_s = now_s_;
  for (const auto& [queue, sum] : sums_) result_.sums.push_back(sum);
  return result_;
}

}  // namespace

TraceRun run_trace(const ExecutionTrace& trace, const SharedNetwork* network, const std::vector<int>& nodes,
                   std::string_view all_reduce, const std::function<void()>& while_running) {
  const Operations operations(trace, network, nodes, all_reduce);
  const auto capacity = network == nullptr ? std::span<const double>() : network->capacity_bytes_per_s();
  HeldCircuits circuits(network == nullptr ? 1 : network->circuits_of_node());
  const auto run = [&] {
    Operations once = operations;
    return Run(trace, once, capacity, circuits).run(while_running);
  };
  const auto sets = [](const OperationLoads& of) {
    return std::any_of(of.phases.begin(), of.phases.end(),
                       [](const PhaseLoad& p) { return !p.circuits.empty(); });
  };
  if (std::any_of(operations.loads.begin(), operations.loads.end(), sets)) run();  // the iteration before
  return run();
}

}  // namespace optinc
