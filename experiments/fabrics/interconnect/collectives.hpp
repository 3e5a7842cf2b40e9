#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace optinc {

/// Bytes that one server sends another in a phase.
struct Transfer {
  int source = 0, destination = 0;
  double bytes = 0.0;

  bool operator==(const Transfer&) const = default;
};

/// Transfers that start together and all end before the next phase; `repeats` equal steps in a row.
struct TransferPhase {
  std::string name;
  std::vector<Transfer> transfers;
  std::int64_t repeats = 1;  ///< steps, each as long as all transfers together take
  std::int64_t loads = 1;    ///< times that each transfer is made: less than repeats while a pipeline fills
};

/// The all-reduce of `bytes` over `servers` as phases, or one of the other collectives. Names and their time on
/// a non-blocking network of B bytes/s and a seconds a step:
/// - ring: 2 (N-1) (a + S/(N B))
/// - halving-doubling: 2 log2 N a + 2 (N-1)/N S/B; N must be a power of two
/// - tree: 2 (d + m-1) (a + 2 S/(m B)), d = floor(log2 N): a parent takes two children's chunks at once
/// - double-tree: 2 (d + m-1) (a + S/(m B)): two mirrored trees, half of every chunk each; N even
/// - parameter-server: 2 a + 2 (N-1) S/B, all through the port of server 0
/// - sharded-parameter-server: 2 (N-1) (a + S/(N B)), one shift of the servers a phase
/// - reduce-scatter, all-gather: (N-1) (a + S/(N B)), half of a ring each; all have S before, or after it
/// - all-to-all: (N-1) (a + S/(N B)), one shift of the servers a phase
/// - broadcast, reduce: (N-1) a + S/B, from server to server in N-1 parts, from or to the first
/// - scatter, gather: a + (N-1)/N S/B, through the port of the first; S is what all have together
///
/// chunks: m of the trees, at least 1; every edge of a tree carries each chunk once, in m of its d + m-1 steps.
/// Throws Error for less than two servers, a number that the collective cannot have, bytes that are not
/// positive and finite, and an unknown name ("adding-switch" and "optinc" are no phases between servers).
/// Sources: Patarasuk & Yuan 2009 (ring), Thakur, Rabenseifner & Gropp 2005 (halving-doubling), Sanders, Speck
/// & Traeff 2009 (two trees).
std::vector<TransferPhase> collective_phases(std::string_view collective, int servers, double bytes,
                                             std::int64_t chunks = 1);

/// Throws Error, `where` first, for a number of servers that the collective cannot have.
void check_collective_size(std::string_view collective, std::int64_t servers, std::string_view where);

/// Servers that one server sends to or receives from over the whole collective, the most of any: circuits that
/// it needs where none are set meanwhile.
int circuit_degree(std::string_view collective, int servers);

/// Chunks that make a pipelined tree shortest,  m = sqrt((d-1) x S / (a B))  of  (d + m-1)(a + x S/(m B)),
/// rounded, from 1 to 65536; x = 2 for "tree", 1 for "double-tree". Without latency: 65536.
std::int64_t best_chunks(std::string_view collective, int servers, double bytes, double bytes_per_s,
                         double step_latency_s);

}  // namespace optinc
