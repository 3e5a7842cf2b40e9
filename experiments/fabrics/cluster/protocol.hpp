#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/fabrics/interconnect/collectives.hpp"

namespace optinc {

/// Nodes with tunable transceivers, and the messages by which they agree on circuits of light.
///
/// A circuit takes one free transmitter of its source and one free receiver of its destination:
///   request  source to destination: asks for a receiver
///   grant    back, or a refusal where no receiver is free: the source tries another flow, or the same one
///   later tune     the source's laser; then its light reaches the receiver, which settles (clock and gain)
///   ready    destination to source: data may follow
/// so that a flow that nobody disturbs takes
///   3 message_s + tuning_s + settling_s + bytes/B + propagation_s.
struct ProtocolSettings {
  int nodes = 4;
  int transceivers = 1;         ///< of a node; each sends one circuit and receives one
  double bytes_per_s = 12.5e9;  ///< B, of one transceiver
  double message_s = 1e-6;      ///< one message of the control channel: processing and way
  double tuning_s = 0.1e-6;     ///< of a laser, to any wavelength
  double settling_s = 0.1e-6;   ///< of a receiver of bursts after new light
  double propagation_s = 0.0;   ///< of light, last byte sent to last byte received
  double backoff_s = 2e-6;      ///< mean wait before a retry; doubles from refusal to refusal, to 64 times
  bool hold = true;             ///< a circuit stays where the next flow of its source goes to the same node; a
                                ///< destination that needs the receiver takes it back by two messages
  std::string schedule = "flow-based";
  double slot_s = 100e-6;  ///< of round-robin, guard time of tuning and settling included
  std::uint64_t seed = 1;
};

inline constexpr std::array<std::string_view, 2> schedule_names = {"flow-based", "round-robin"};

/// Bytes from one node to another. They may be sent as soon as the source has received every flow of the steps
/// before; a node sends its flows of a step in any order, and no flow of a later step before them.
struct StepFlow {
  Transfer transfer;
  int step = 0;
};

/// What happened to a flow.
struct FlowRecord {
  double ready_s = 0.0;    ///< the source may send it
  double granted_s = 0.0;  ///< it has transmitter and receiver; of round-robin, its first slot begins
  double begins_s = 0.0;   ///< first byte
  double ends_s = 0.0;     ///< last byte has left: transmitter and receiver are free again
  int refusals = 0;        ///< requests of it that were refused
  bool set = false;        ///< its circuit had to be set; false where one was held
};

/// A run of the protocol.
struct ProtocolRun {
  double end_s = 0.0;  ///< last byte received
  std::int64_t messages = 0, requests = 0, refusals = 0, circuits = 0;
  double control_s = 0.0;  ///< mean over flows, ready to first byte
  std::vector<FlowRecord> flows;
};

/// A transceiver that stops working: flows of a circuit in force start again from their first byte on another.
struct TransceiverFailure {
  int node = 0;
  double at_s = 0.0;
};

/// Runs flows over the protocol, event by event in the order of (time, number of the event): the same run
/// whatever the machine. Waits are drawn from Purpose::control_backoff by flow and refusal.
/// - flow-based: a node asks for its largest waiting flow whose destination has not just refused it
/// - round-robin: slot k aims transceiver j of node i at node i + 1 + (k T + j) mod (N - 1) without any
/// message;
///   a slot carries  slot_s - tuning_s - settling_s  of bytes
/// Throws Error for settings that cannot be, flows of nodes that do not exist, and failures that leave a node
/// of a flow without transceivers.
ProtocolRun run_protocol(const ProtocolSettings& settings, std::span<const StepFlow> flows,
                         std::span<const TransceiverFailure> failures = {});

/// Flows of a collective on nodes: its phases as steps; the shifts of a sharded parameter server, which do not
/// wait for each other, as one step for pushing and one for pulling. `first`: number of the first step.
std::vector<StepFlow> collective_flows(std::string_view collective, int nodes, double bytes, int first = 0);

}  // namespace optinc
