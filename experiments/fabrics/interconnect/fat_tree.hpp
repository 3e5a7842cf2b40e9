#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "experiments/fabrics/interconnect/links.hpp"

namespace optinc {

/// A k-ary fat-tree of three levels: k pods of k/2 edge and k/2 aggregation switches, (k/2)^2 cores, k^3/4
/// hosts. Host h hangs at edge switch h / (k/2).
struct FatTree {
  int radix = 4;                  ///< k, even
  double link_bytes_per_s = 1.0;  ///< of a host's link, one direction
  double oversubscription = 1.0;  ///< o: links between switches carry link_bytes_per_s / o
  std::string_view routing = "ecmp";
  int sub_flows = 1;  ///< q of ecmp: equal parts of a connection, hashed apart
  std::uint64_t seed = 1;

  /// Hosts of the whole tree, radix^3 / 4.
  int hosts() const { return radix * radix * radix / 4; }
};

/// Names that FatTree::routing may have:
/// - spray: packets of a flow over all shortest paths alike; parallel links are one of their summed capacity
/// - d-mod-k: towards destination d, aggregation switch d mod k/2, of its cores the one of (d / (k/2)) mod k/2
/// - ecmp: aggregation switch and core drawn for each sub-flow in turn, stream Purpose::routing_hash of source
///   and destination
std::span<const std::string_view> routing_names();

/// Smallest even radix whose tree has that many hosts.
int fitting_radix(int servers);

/// The directed links, in the order that fat_tree_paths numbers them. Throws Error for a radix that is odd or
/// below 2 (or above 64), a bandwidth that is not positive, an oversubscription below 1 and an unknown
/// routing.
LinkTable fat_tree_links(const FatTree& tree);

/// The links from host to host, one path a sub-flow, the shares of the flow being equal; two, four or six
/// links. Throws Error for a host that does not exist or a flow to itself. Sources: Al-Fares, Loukissas &
/// Vahdat 2008 (the tree); Zahavi 2012 (D-mod-K); RFC 2992 (hashing).
std::vector<std::vector<int>> fat_tree_paths(const FatTree& tree, int source, int destination);

}  // namespace optinc
