#pragma once

#include <filesystem>

#include "experiments/fabrics/cluster/execution_trace.hpp"

namespace optinc {

/// Ranks whose traces are there: files PREFIX.0.et, PREFIX.1.et .. Throws Error for none, for one that is
/// missing between others, and for more than 4096.
std::size_t chakra_ranks(const std::filesystem::path& prefix);

/// Reads Chakra's execution traces: files PREFIX.0.et, PREFIX.1.et .. of ranks 0, 1 .. Each holds messages
/// behind their lengths (varint): GlobalMetadata, then Nodes (chakra.proto).
/// - COMP_NODE, MEM_LOAD_NODE and MEM_STORE_NODE compute for duration_micros; where that is 0, for attribute
///   num_ops over flop_per_s. On the host where attribute is_cpu_op is true.
/// - COMM_COLL_NODE: attributes comm_type (ALL_REDUCE to BARRIER; the first rank of a group is the root),
///   comm_size (bytes of a rank's input, as ASTRA-sim reads it; of a scatter the root's) and pg_name, a key of
///   `groups`; none or "0": all ranks. What is all-reduced counts as gradients of 32 bits. One on the host
///   without comm_size, as converters of PyTorch's traces write it, computes.
/// - COMM_SEND_NODE and COMM_RECV_NODE: comm_size, comm_dst or comm_src, comm_tag. Without the former, as
///   converters of PyTorch's traces write them, the other rank of a pg_name of two.
/// - STORAGE_NODE, BATCH_NODE and CHECKPOINT_NODE take duration_micros on the host.
/// - METADATA_NODE and INVALID_NODE take no time. A rank may have no node.
///
/// A node begins when its data_deps have ended, and those ctrl_deps that are there: converters leave out
/// callers, and some name themselves. Files may be gzipped, PREFIX.0.et.gz.
///
/// groups: JSON, {"name": [ranks]}, as ASTRA-sim's comm_group_configuration, or as Chakra's extractor of
/// process groups writes it; an empty path: none. Throws Error "file: node 3 (its name): .." for whatever is
/// none of these, for more than most_trace_steps nodes, and where chakra_ranks does.
ExecutionTrace read_chakra(const std::filesystem::path& prefix, const std::filesystem::path& groups,
                           double flop_per_s);

}  // namespace optinc
