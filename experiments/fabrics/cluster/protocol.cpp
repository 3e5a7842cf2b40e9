#include "experiments/fabrics/cluster/protocol.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <queue>
#include <utility>

#include "physics/core/check.hpp"
#include "physics/core/names.hpp"
#include "physics/core/suggestion.hpp"
#include "physics/random/stream.hpp"

namespace optinc {
namespace {

constexpr double never = std::numeric_limits<double>::infinity();

void check_protocol(const ProtocolSettings& p, std::span<const StepFlow> flows,
                    std::span<const TransceiverFailure> failures) {
  validate(p.nodes >= 2 && p.transceivers >= 1,
           "{} nodes of {} transceivers (2 and 1 at least). Set nodes = 2 and transceivers = 1 or more.",
           p.nodes, p.transceivers);
  validate(std::isfinite(p.bytes_per_s) && p.bytes_per_s > 0.0,
           "a transceiver of {} bytes/s (positive and finite). Set rate_bit_per_s = 100e9.", p.bytes_per_s);
  for (const double s : {p.message_s, p.tuning_s, p.settling_s, p.propagation_s, p.backoff_s})
    validate(std::isfinite(s) && s >= 0.0,
             "a time of {} s in the protocol (0 or more, finite). Set a value in this range.", s);
  validate(std::find(schedule_names.begin(), schedule_names.end(), p.schedule) != schedule_names.end(),
           "schedule = {} (one of {}). {}", p.schedule, join_names(schedule_names),
           suggestion(p.schedule, schedule_names));
  validate(p.schedule != "round-robin" || p.slot_s > p.tuning_s + p.settling_s,
           "slot_s = {} (more than tuning_s + settling_s = {}: a slot must carry bytes). Raise slot_s.",
           p.slot_s, p.tuning_s + p.settling_s);
  validate(
      p.message_s + p.backoff_s > 0.0,
      "message_s = backoff_s = 0 (a refused node would ask again at once, for ever). Set backoff_s = 2e-6.");
  double bytes = 0.0;
  for (const StepFlow& f : flows) bytes += f.transfer.bytes;
  validate(p.schedule != "round-robin" || bytes <= 1e7 * p.bytes_per_s * (p.slot_s - p.tuning_s - p.settling_s),
           "slot_s = {} of {} bytes in all (at most 1e7 slots of data, for time). Set slot_s = {}.", p.slot_s,
           bytes, p.tuning_s + p.settling_s + 1e-6 * bytes / p.bytes_per_s);
  const auto there = [&](int node) { return node >= 0 && node < p.nodes; };
  for (const StepFlow& f : flows) {
    const Transfer& t = f.transfer;
    validate(there(t.source) && there(t.destination) && t.source != t.destination,
             "flow from node {} to {} (two of 0..{}). Set a value in this range.", t.source, t.destination,
             p.nodes - 1);
    validate(std::isfinite(t.bytes) && t.bytes > 0.0 && f.step >= 0,
             "flow of {} bytes in step {} (positive and finite; 0 or more). Set a value in this range.",
             t.bytes, f.step);
  }
  std::vector<int> left(static_cast<std::size_t>(p.nodes), p.transceivers);
  for (const TransceiverFailure& f : failures) {
    validate(there(f.node) && std::isfinite(f.at_s) && f.at_s >= 0.0,
             "a transceiver of node {} fails at {} s (0..{}; 0 or more). Set a value in this range.", f.node,
             f.at_s, p.nodes - 1);
    validate(--left[static_cast<std::size_t>(f.node)] > 0,
             "all {} transceivers of node {} fail (at least one must work). Raise transceivers.",
             p.transceivers, f.node);
  }
}

/// The steps of every node: which flows wait, which it still has to receive.
class Steps {
 public:
  Steps(int nodes, std::span<const StepFlow> flows) : nodes_(static_cast<std::size_t>(nodes)) {
    for (std::size_t f = 0; f < flows.size(); ++f) {
      const auto from = static_cast<std::size_t>(flows[f].transfer.source),
                 to = static_cast<std::size_t>(flows[f].transfer.destination);
      nodes_[from].send[flows[f].step].push_back(f);
      ++nodes_[from].to_send[flows[f].step];
      ++nodes_[to].to_receive[flows[f].step];
    }
  }
  /// Flows that the node may send from now on; each is told once.
  std::vector<std::size_t> released(int node) {
    Node& n = nodes_[static_cast<std::size_t>(node)];
    if (n.send.empty()) return {};
    const int step = n.send.begin()->first;
    const bool sent = n.to_send.empty() || n.to_send.begin()->first >= step;
    const bool received = n.to_receive.empty() || n.to_receive.begin()->first >= step;
    if (!sent || !received) return {};
    std::vector<std::size_t> flows = std::move(n.send.begin()->second);
    n.send.erase(n.send.begin());
    return flows;
  }
  void sent(int node, int step) { done(nodes_[static_cast<std::size_t>(node)].to_send, step); }
  void received(int node, int step) { done(nodes_[static_cast<std::size_t>(node)].to_receive, step); }
  /// Whether a node's next flows, none of which it may send yet, are all for one node: -1 where not.
  int next_destination(int node, std::span<const StepFlow> flows) const {
    const Node& n = nodes_[static_cast<std::size_t>(node)];
    if (n.send.empty()) return -1;
    const std::vector<std::size_t>& next = n.send.begin()->second;
    return next.size() == 1 ? flows[next[0]].transfer.destination : -1;
  }

 private:
  struct Node {
    std::map<int, std::vector<std::size_t>> send;  ///< by step, not yet released
    std::map<int, int> to_send, to_receive;        ///< by step, how many are left
  };
  static void done(std::map<int, int>& left, int step) {
    const auto found = left.find(step);
    if (--found->second == 0) left.erase(found);
  }
  std::vector<Node> nodes_;
};

enum class Kind { asks, answered, ready, sent, received, retries, fails };

struct Event {
  double at_s = 0.0;
  std::int64_t number = 0;  ///< order among those of one time
  Kind kind = Kind::asks;
  std::size_t subject = 0;  ///< flow, or node of what retries and fails
  bool granted = false;
  int attempt = 0;  ///< of the flow: what a failure has ended must not go on
  bool operator>(const Event& other) const {
    return std::pair(at_s, number) > std::pair(other.at_s, other.number);
  }
};

/// The flow-based schedule: every node asks for what it wants, and knows nothing of the others.
class FlowBased {
 public:
  FlowBased(const ProtocolSettings& p, std::span<const StepFlow> flows)
      : p_(p),
        flows_(flows),
        steps_(p.nodes, flows),
        nodes_(static_cast<std::size_t>(p.nodes)),
        attempts_(flows.size(), 0) {
    run_.flows.resize(flows.size());
    for (Node& n : nodes_) n.transmitters = n.receivers = p.transceivers;
  }

  ProtocolRun run(std::span<const TransceiverFailure> failures) {
    for (const TransceiverFailure& f : failures)
      at(f.at_s, {.kind = Kind::fails, .subject = static_cast<std::size_t>(f.node)});
    for (int n = 0; n < p_.nodes; ++n) release(n);
    while (!queue_.empty() && unfinished()) {
      const Event e = queue_.top();
      queue_.pop();
      now_ = e.at_s;
      handle(e);
    }
    for (const FlowRecord& f : run_.flows)
      run_.control_s += (f.begins_s - f.ready_s) / static_cast<double>(run_.flows.size());
    return std::move(run_);
  }

 private:
  struct Node {
    int transmitters = 0, receivers = 0;  ///< free ones
    int held_to = -1, held_from = -1;     ///< the node that a circuit without a flow leads to, comes from
    std::vector<std::size_t> waiting;     ///< flows, in the order of their release
    std::vector<std::size_t> active;      ///< flows that hold a transmitter or receiver of it
    int refused = 0;                      ///< in a row
    bool backing_off = false;
  };

  Node& node(int n) { return nodes_[static_cast<std::size_t>(n)]; }
  const Transfer& transfer(std::size_t f) const { return flows_[f].transfer; }
  bool unfinished() const { return arrived_ < flows_.size(); }

  void at(double time_s, Event e) {
    e.at_s = time_s;
    e.number = events_++;
    queue_.push(e);
  }

  void release(int n) {
    std::vector<std::size_t> flows = steps_.released(n);
    for (const std::size_t f : flows) run_.flows[f].ready_s = now_;
    // the largest first, of equal ones the nearest shift: nodes then begin at different destinations
    const auto shift = [&](std::size_t f) { return (transfer(f).destination - n + p_.nodes) % p_.nodes; };
    std::stable_sort(flows.begin(), flows.end(), [&](std::size_t a, std::size_t b) {
      return std::pair(-transfer(a).bytes, shift(a)) < std::pair(-transfer(b).bytes, shift(b));
    });
    node(n).waiting.insert(node(n).waiting.end(), flows.begin(), flows.end());
    ask(n);
  }

  /// Asks for flows as long as transmitters are free. A held circuit carries its flow without a message.
  void ask(int n) {
    Node& own = node(n);
    while (!own.waiting.empty()) {
      const std::size_t f = own.waiting.front();
      const int to = transfer(f).destination;
      if (own.held_to == to) {
        own.held_to = node(to).held_from = -1;
        own.waiting.erase(own.waiting.begin());
        begin(f, now_);
        continue;
      }
      if (own.held_to >= 0 && own.transmitters == 0) let_go(n);
      if (own.transmitters == 0 || own.backing_off) return;
      own.waiting.erase(own.waiting.begin());
      --own.transmitters;
      own.active.push_back(f);
      ++run_.requests;
      ++run_.messages;
      at(now_ + p_.message_s, {.kind = Kind::asks, .subject = f, .attempt = attempts_[f]});
    }
  }

  /// Ends a circuit that carries nothing.
  void let_go(int n) {
    Node &own = node(n), &other = node(own.held_to);
    own.held_to = other.held_from = -1;
    ++own.transmitters;
    ++other.receivers;
  }

  void handle(const Event& e) {
    if (e.kind == Kind::retries) {
      node(static_cast<int>(e.subject)).backing_off = false;
      return ask(static_cast<int>(e.subject));
    }
    if (e.kind == Kind::fails) return fail(static_cast<int>(e.subject));
    const std::size_t f = e.subject;
    if (e.attempt != attempts_[f]) return;
    const Transfer& t = transfer(f);
    switch (e.kind) {
      case Kind::asks:
        return answer(e);
      case Kind::answered:
        if (!e.granted) return refuse(f);
        node(t.source).refused = 0;
        ++run_.circuits;
        run_.flows[f].granted_s = now_;
        run_.flows[f].set = true;
        ++run_.messages;  // ready, once the receiver has settled
        return at(now_ + p_.tuning_s + p_.settling_s + p_.message_s,
                  {.kind = Kind::ready, .subject = f, .attempt = e.attempt});
      case Kind::ready:
        return send(f, now_);
      case Kind::sent:
        return end(f);
      case Kind::received:
        return receive(f);
      default:
        return;
    }
  }

  /// Grants or refuses. A receiver of a held circuit without a flow is taken back, two messages more.
  void answer(const Event& e) {
    Node& to = node(transfer(e.subject).destination);
    double more_s = 0.0;
    if (to.receivers == 0 && to.held_from >= 0) {
      let_go(to.held_from);
      run_.messages += 2;
      more_s = 2.0 * p_.message_s;
    }
    const bool granted = to.receivers > 0;
    if (granted) {
      --to.receivers;
      to.active.push_back(e.subject);
    }
    ++run_.messages;
    at(now_ + more_s + p_.message_s,
       {.kind = Kind::answered, .subject = e.subject, .granted = granted, .attempt = e.attempt});
  }

  /// A flow on a circuit that was held.
  void begin(std::size_t f, double time_s) {
    node(transfer(f).source).active.push_back(f);
    node(transfer(f).destination).active.push_back(f);
    run_.flows[f].granted_s = time_s;
    send(f, time_s);
  }

  void send(std::size_t f, double time_s) {
    FlowRecord& record = run_.flows[f];
    record.begins_s = time_s;
    record.ends_s = time_s + transfer(f).bytes / p_.bytes_per_s;
    at(record.ends_s, {.kind = Kind::sent, .subject = f, .attempt = attempts_[f]});
    at(record.ends_s + p_.propagation_s, {.kind = Kind::received, .subject = f, .attempt = attempts_[f]});
  }

  /// The last byte has left: the circuit is held for the next flow, or free.
  void end(std::size_t f) {
    const Transfer& t = transfer(f);
    leave(t.source, f);
    leave(t.destination, f);
    steps_.sent(t.source, flows_[f].step);
    Node &from = node(t.source), &to = node(t.destination);
    const int next = !from.waiting.empty() ? transfer(from.waiting.front()).destination
                                           : steps_.next_destination(t.source, flows_);
    if (p_.hold && next == t.destination && from.held_to < 0 && to.held_from < 0) {
      from.held_to = t.destination;
      to.held_from = t.source;
    } else {
      ++from.transmitters;
      ++to.receivers;
    }
    release(t.source);
  }

  void receive(std::size_t f) {
    ++arrived_;
    run_.end_s = std::max(run_.end_s, now_);
    steps_.received(transfer(f).destination, flows_[f].step);
    release(transfer(f).destination);
  }

  /// Another of the node's flows is asked for at once, if there is one; the refused one goes behind them.
  void refuse(std::size_t f) {
    const int n = transfer(f).source;
    Node& own = node(n);
    ++run_.refusals;
    ++run_.flows[f].refusals;
    leave(n, f);
    ++own.transmitters;
    own.waiting.push_back(f);
    ++own.refused;
    if (own.refused < static_cast<int>(own.waiting.size())) return ask(n);
    own.backing_off = true;
    Stream draw(p_.seed, Purpose::control_backoff, static_cast<std::uint32_t>(f),
                static_cast<std::uint32_t>(run_.flows[f].refusals));
    const int round = own.refused / static_cast<int>(own.waiting.size());
    const double longest = 2.0 * p_.backoff_s * std::exp2(std::min(round - 1, 6));
    at(now_ + longest * draw.uniform(), {.kind = Kind::retries, .subject = static_cast<std::size_t>(n)});
  }

  void leave(int n, std::size_t f) { std::erase(node(n).active, f); }

  /// A transceiver goes: a free one, else one in use, whose flow starts again.
  void fail(int n) {
    Node& own = node(n);
    if (own.held_to >= 0) let_go(n);
    if (own.held_from >= 0) let_go(own.held_from);
    const auto sends = std::find_if(own.active.begin(), own.active.end(),
                                    [&](std::size_t f) { return transfer(f).source == n; });
    const auto receives = std::find_if(own.active.begin(), own.active.end(),
                                       [&](std::size_t f) { return transfer(f).destination == n; });
    std::vector<std::size_t> lost;
    if (own.transmitters == 0 && sends != own.active.end()) lost.push_back(*sends);
    if (own.receivers == 0 && receives != own.active.end()) lost.push_back(*receives);
    for (const std::size_t f : lost) again(f);
    --own.transmitters;
    --own.receivers;
    for (const std::size_t f : lost) ask(transfer(f).source);
  }

  void again(std::size_t f) {
    const Transfer& t = transfer(f);
    ++attempts_[f];
    leave(t.source, f);
    ++node(t.source).transmitters;
    const auto& there = node(t.destination).active;
    if (std::find(there.begin(), there.end(), f) != there.end()) {
      leave(t.destination, f);
      ++node(t.destination).receivers;
    }
    node(t.source).waiting.insert(node(t.source).waiting.begin(), f);
  }

  ProtocolSettings p_;
  std::span<const StepFlow> flows_;
  Steps steps_;
  std::vector<Node> nodes_;
  std::vector<int> attempts_;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> queue_;
  ProtocolRun run_;
  double now_ = 0.0;
  std::int64_t events_ = 0;
  std::size_t arrived_ = 0;
};

/// Slots without messages. Flows that become ready in a slot wait for one of the next.
ProtocolRun round_robin(const ProtocolSettings& p, std::span<const StepFlow> flows) {
  Steps steps(p.nodes, flows);
  ProtocolRun run;
  run.flows.resize(flows.size());
  std::vector<double> left;
  for (const StepFlow& f : flows) left.push_back(f.transfer.bytes);
  std::map<std::pair<int, int>, std::vector<std::size_t>> waiting;  // by source and destination
  struct Passed {  // a flow's last byte: it has left, or it has arrived
    double at_s;
    std::size_t flow;
    bool arrived;
    auto operator<=>(const Passed&) const = default;
  };
  std::vector<Passed> passed;
  std::size_t done = 0;
  const double guard_s = p.tuning_s + p.settling_s, carries = (p.slot_s - guard_s) * p.bytes_per_s;
  const auto release = [&](int n, double now_s) {
    for (const std::size_t f : steps.released(n)) {
      run.flows[f].ready_s = now_s;
      waiting[{n, flows[f].transfer.destination}].push_back(f);
    }
  };
  for (int n = 0; n < p.nodes; ++n) release(n, 0.0);
  for (std::int64_t slot = 0; done < flows.size(); ++slot) {
    const double begin_s = static_cast<double>(slot) * p.slot_s;
    for (int n = 0; n < p.nodes; ++n)
      for (int j = 0; j < std::min(p.transceivers, p.nodes - 1); ++j) {
        const int shift = 1 + static_cast<int>((slot * p.transceivers + j) % (p.nodes - 1));
        const auto found = waiting.find({n, (n + shift) % p.nodes});
        if (found == waiting.end()) continue;
        ++run.circuits;
        double room = carries;
        while (room > 0.0 && !found->second.empty()) {
          const std::size_t f = found->second.front();
          const double first_s = begin_s + guard_s + (carries - room) / p.bytes_per_s;
          if (left[f] == flows[f].transfer.bytes) {
            run.flows[f].granted_s = begin_s;
            run.flows[f].begins_s = first_s;
            run.flows[f].set = true;
          }
          const double sent = std::min(room, left[f]);
          room -= sent;
          left[f] -= sent;
          if (left[f] > 0.0) continue;
          run.flows[f].ends_s = first_s + sent / p.bytes_per_s;
          passed.push_back({std::min(run.flows[f].ends_s, begin_s + p.slot_s), f, false});
          passed.push_back({run.flows[f].ends_s + p.propagation_s, f, true});
          found->second.erase(found->second.begin());
        }
        if (found->second.empty()) waiting.erase(found);
      }
    std::sort(passed.begin(), passed.end());
    // light that is still on its way when the next slot begins waits for a later one
    const auto later = std::find_if(passed.begin(), passed.end(),
                                    [&](const Passed& e) { return e.at_s > begin_s + p.slot_s; });
    for (auto e = passed.begin(); e != later; ++e) {
      const StepFlow& flow = flows[e->flow];
      const int n = e->arrived ? flow.transfer.destination : flow.transfer.source;
      e->arrived ? steps.received(n, flow.step) : steps.sent(n, flow.step);
      release(n, e->at_s);
      if (!e->arrived) continue;
      run.end_s = std::max(run.end_s, e->at_s);
      ++done;
    }
    passed.erase(passed.begin(), later);
  }
  for (const FlowRecord& f : run.flows)
    run.control_s += (f.begins_s - f.ready_s) / static_cast<double>(flows.size());
  return run;
}

}  // namespace

ProtocolRun run_protocol(const ProtocolSettings& p, std::span<const StepFlow> flows,
                         std::span<const TransceiverFailure> failures) {
  check_protocol(p, flows, failures);
  if (flows.empty()) return {};
  if (p.schedule == "flow-based") return FlowBased(p, flows).run(failures);
  validate(failures.empty(),
           "a transceiver fails under round-robin (only flow-based continues without it). Set schedule = "
           "\"flow-based\".");
  return round_robin(p, flows);
}

std::vector<StepFlow> collective_flows(std::string_view collective, int nodes, double bytes, int first) {
  std::vector<StepFlow> flows;
  const bool sharded = collective == "sharded-parameter-server";
  int step = first;
  std::string before;
  for (const TransferPhase& phase : collective_phases(collective, nodes, bytes)) {
    const std::string half = phase.name.substr(0, phase.name.find(','));
    if (sharded && !before.empty() && half != before) ++step;
    before = half;
    for (std::int64_t r = 0; r < phase.loads; ++r) {
      for (const Transfer& t : phase.transfers) flows.push_back({t, step});
      if (!sharded) ++step;
    }
  }
  return flows;
}

}  // namespace optinc
