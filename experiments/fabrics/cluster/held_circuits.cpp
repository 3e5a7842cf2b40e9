#include "experiments/fabrics/cluster/held_circuits.hpp"

#include <algorithm>

namespace optinc {

bool HeldCircuits::set(std::span<const std::pair<int, int>> circuits) {
  bool missing = false;
  std::map<int, std::int64_t> out, in;
  for (const auto& [source, destination] : circuits) {
    missing |= std::erase(from_[source], destination) == 0;
    std::erase(to_[destination], source);
    from_[source].push_back(destination);
    to_[destination].push_back(source);
    ++out[source];
    ++in[destination];
  }
  if (!missing) return false;
  for (const auto& [node, needed] : out) keep(from_, to_, node, needed);
  for (const auto& [node, needed] : in) keep(to_, from_, node, needed);
  return true;
}

/// Gives up circuits of a node, and the other ends of these.
void HeldCircuits::keep(Peers& of, Peers& back, int node, std::int64_t needed) const {
  std::vector<int>& peers = of[node];
  const auto most = static_cast<std::size_t>(std::max(transceivers_, needed));
  while (peers.size() > most) {
    std::erase(back[peers.front()], node);
    peers.erase(peers.begin());
  }
}

}  // namespace optinc
