#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

namespace optinc {

/// Circuits between the transceivers of nodes, of which every node has as many out and as many in.
class HeldCircuits {
 public:
  /// transceivers: of a node; at least 1.
  explicit HeldCircuits(std::int64_t transceivers) : transceivers_(transceivers) {}

  /// Sets those that are not in place; whether there were any. At a node without an idle transceiver they take
  /// the place of circuits that were used longest ago, one that needs more at once has as many.
  bool set(std::span<const std::pair<int, int>> circuits);

 private:
  using Peers = std::map<int, std::vector<int>>;  ///< of every node, those used longest ago first
  void keep(Peers& of, Peers& back, int node, std::int64_t needed) const;

  std::int64_t transceivers_;
  Peers from_, to_;
};

}  // namespace optinc
