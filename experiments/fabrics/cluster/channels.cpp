#include "experiments/fabrics/cluster/channels.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace optinc {

ChannelTable::ChannelTable(std::int64_t groups, std::int64_t fibres, std::int64_t wavelengths)
    : channels_(static_cast<std::size_t>(fibres * wavelengths)),
      out_(static_cast<std::size_t>(groups) * channels_, false),
      in_(out_) {}

std::optional<std::size_t> ChannelTable::take(int from, int to) {
  const std::size_t a = static_cast<std::size_t>(from) * channels_,
                    b = static_cast<std::size_t>(to) * channels_;
  for (std::size_t c = 0; c < channels_; ++c)
    if (!out_[a + c] && !in_[b + c]) {
      out_[a + c] = in_[b + c] = true;
      return c;
    }
  return {};
}

void ChannelTable::release(int from, int to, std::size_t channel) {
  out_[static_cast<std::size_t>(from) * channels_ + channel] = false;
  in_[static_cast<std::size_t>(to) * channels_ + channel] = false;
}

std::optional<std::vector<std::size_t>> ChannelTable::take_all(std::span<const Transfer> connections) {
  std::vector<std::size_t> taken;
  for (const Transfer& t : connections) {
    const auto channel = take(t.source, t.destination);
    if (!channel) {
      for (std::size_t i = 0; i < taken.size(); ++i)
        release(connections[i].source, connections[i].destination, taken[i]);
      return {};
    }
    taken.push_back(*channel);
  }
  return taken;
}

std::vector<Transfer> group_connections(const TrainingJob& job, std::int64_t group_size,
                                        std::int64_t transceivers) {
  std::vector<Transfer> connections;
  if (job.nodes.size() < 2) return connections;
  const auto group = [&](int rank) {
    return job.nodes[static_cast<std::size_t>(rank)] / static_cast<int>(group_size);
  };
  std::map<std::pair<int, int>, std::int64_t> most;
  for (const TransferPhase& phase :
       collective_phases(job.collective, static_cast<int>(job.nodes.size()), 1.0)) {
    std::map<std::pair<int, int>, std::int64_t> now;
    for (const Transfer& t : phase.transfers)
      if (const std::pair pair{group(t.source), group(t.destination)}; pair.first != pair.second) ++now[pair];
    for (const auto& [pair, count] : now) most[pair] = std::max(most[pair], count);
  }
  for (const auto& [pair, count] : most)
    for (std::int64_t c = 0; c < count * transceivers; ++c)
      connections.push_back({pair.first, pair.second, 1.0});
  return connections;
}

}  // namespace optinc
