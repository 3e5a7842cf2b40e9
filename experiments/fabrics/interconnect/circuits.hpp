#pragma once

#include <span>
#include <vector>

#include "experiments/fabrics/interconnect/collectives.hpp"

namespace optinc {

/// Transfers whose circuits exist at the same time.
struct CircuitRound {
  double start_s = 0.0;   ///< since the step began; setting the circuits comes first
  double set_s = 0.0;     ///< setting them
  double serial_s = 0.0;  ///< the bytes
  std::vector<Transfer> transfers;
};

/// A colour for each transfer such that no two of one sender, and no two of one receiver, have the same; there
/// are as many colours as the busiest of them has transfers (Koenig 1916). Shape (transfers).
std::vector<int> edge_colours(int servers, std::span<const Transfer> transfers);

/// The schedule of one step over circuits: `transceivers` a server, each a circuit at a time, so that
///   rounds = ceil(largest number of a server's transfers / transceivers),
/// t colours of edge_colours a round. Transfers between the same two servers share a circuit. A round lasts
/// set_s + max over ports of its bytes / B: transceivers that are idle help their server's others. For
/// transfers of one size all rounds together take  max over ports of all bytes / B.
std::vector<CircuitRound> circuit_rounds(int servers, const std::vector<Transfer>& transfers, int transceivers,
                                         double port_bytes_per_s, double set_s);

/// Bytes over the port that carries most, out or in, divided by what a port carries.
double busiest_port_s(int servers, const std::vector<Transfer>& transfers, double port_bytes_per_s);

}  // namespace optinc
