#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/fabrics/cluster/traffic.hpp"

namespace optinc {

/// What a step of a rank does. Collectives (all_reduce to gather) join all ranks of a group, send and receive
/// two ranks; all of them run beside computing.
enum class StepKind : std::uint8_t {
  compute,       ///< on the rank's accelerator
  host_compute,  ///< on its host
  all_reduce,
  reduce_scatter,
  all_gather,
  all_to_all,
  barrier,
  broadcast,
  reduce,
  scatter,
  gather,
  send,
  receive
};

/// Names of StepKind in its order; those of collectives between servers are names of collective_phases.
inline constexpr std::array<std::string_view, 13> step_names = {
    "compute",   "host compute", "all-reduce", "reduce-scatter", "all-gather", "all-to-all", "barrier",
    "broadcast", "reduce",       "scatter",    "gather",         "send",       "receive"};

/// A step of a rank.
struct TraceStep {
  StepKind kind = StepKind::compute;
  double seconds = 0.0;   ///< of computing
  double bytes = 0.0;     ///< of communication; of a collective the whole buffer: what a rank has before a
                          ///< reduce-scatter, or after an all-gather; what the first rank has before a
                          ///< scatter, or after a gather
  int group = 0;          ///< of a collective: in ExecutionTrace::groups
  int peer = 0, tag = 0;  ///< of send and receive: the other rank, and what tells messages apart
  std::vector<std::uint32_t> after;  ///< steps of the same rank that end before it begins
  std::int64_t gradient_bits = 0;    ///< of an element of gradients, which a network may average; 0: other data
};

/// What the ranks of a job do in one iteration of training.
struct ExecutionTrace {
  std::vector<std::vector<int>> groups;       ///< ranks, ascending, of process groups
  std::vector<std::vector<TraceStep>> ranks;  ///< steps of every rank
};

/// How an iteration went.
struct TraceRun {
  double iteration_s = 0.0;
  double compute_s = 0.0;                              ///< of the accelerator that computes longest
  double sent_bytes = 0.0;                             ///< by all ranks
  double switched_bytes = 0.0;                         ///< through electrical switches, once for each
  std::vector<SummedGroup> sums;                       ///< groups that the network adds up for
  std::int64_t steps = 0, operations = 0, events = 0;  ///< operations: communications
};

/// Most steps of a trace, for memory.
inline constexpr std::size_t most_trace_steps = 10'000'000;

/// Runs a trace event by event: a step begins when those before it have ended; an accelerator and a host
/// compute one step at a time, of those that may begin the one of lowest number. A collective begins when all
/// its ranks have reached it; those of a group run one after the other, in the order in which the last rank
/// reaches them: what steps wait for decides, not where they stand. The k-th of a group is the k-th of every
/// rank, in an order in which no step stands before one that it waits for; otherwise they keep their places. A
/// message is sent as soon as its sender has reached it and those before it from the same rank to the same have
/// arrived; who receives it may come later. All of these share links max-min fairly, the flows of a collective
/// in lockstep, as jobs of SharedNetwork do.
///
/// Circuits that were set stay until a node that has no transceiver left needs one for another (of those used
/// longest ago): a ring that is taken again finds its own. They are found as an iteration before left them.
///
/// nodes: of the network, where the ranks run. all_reduce: the collective, or the network's own sum for
/// gradients of groups that it serves. Without a network communication takes no time. while_running: called at
/// every event, so that it may end the work.
///
/// Throws Error for ranks that reach different operations, for messages that nobody receives, for
/// halving-doubling of a group that is no power of two, and for steps that never begin.
TraceRun run_trace(const ExecutionTrace& trace, const SharedNetwork* network, const std::vector<int>& nodes,
                   std::string_view all_reduce = "ring", const std::function<void()>& while_running = {});

}  // namespace optinc
