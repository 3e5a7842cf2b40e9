#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "experiments/fabrics/cluster/jobs.hpp"
#include "experiments/fabrics/interconnect/collectives.hpp"

namespace optinc {

/// Which channels of the fibres between groups are taken (LightPaths). A connection takes one channel: one
/// wavelength on fibre f out of its source and on fibre f into its destination; nothing is converted on the
/// way.
class ChannelTable {
 public:
  /// All channels of these groups free.
  ChannelTable(std::int64_t groups, std::int64_t fibres, std::int64_t wavelengths);
  /// First fit: the lowest wavelength, and of its fibres the lowest, that is free out of `from` and into `to`.
  /// It is taken; nothing where none is free.
  std::optional<std::size_t> take(int from, int to);
  /// Frees what take returned.
  void release(int from, int to, std::size_t channel);
  /// A channel for every connection, one after the other; where one finds none, none is taken.
  std::optional<std::vector<std::size_t>> take_all(std::span<const Transfer> connections);

 private:
  std::size_t channels_;        ///< of all fibres of a group, one way
  std::vector<bool> out_, in_;  ///< taken, shape (groups, channels)
};

/// Channels that a job holds between groups while it runs, as connections from group to group, one a channel,
/// `transceivers` for each transfer. A ring needs one connection for each of its edges between groups. The
/// switches between groups are too slow to be set for a phase: of other collectives a pair of groups holds as
/// many as the phase that needs most of them. Needs the job's nodes.
std::vector<Transfer> group_connections(const TrainingJob& job, std::int64_t group_size,
                                        std::int64_t transceivers);

}  // namespace optinc
