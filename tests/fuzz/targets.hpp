#pragma once
// What is fuzzed. A target reads any bytes as a user's file would be read; Error is the only exception it may
// see, and it takes that for an answer. Whatever else ends it (another exception, a sanitizer, a broken
// promise) is a finding.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace optinc::fuzz {

using Bytes = std::span<const std::uint8_t>;

void study(Bytes text);     ///< the TOML file of a study; its lines "# --set .." and "# --sweep .." are the
                            ///< command line's
void lists(Bytes text);     ///< a list of designs, of interconnect scenarios, and of clusters
void tables(Bytes text);    ///< phases, matrices and errors as CSV and NumPy, matrices as Touchstone
void netlists(Bytes text);  ///< a circuit in YAML, JSON or SPICE, a mapping, a block of Lumerical
void images(Bytes bytes);   ///< images and labels as IDX, plain or gzipped
void files(Bytes bytes);    ///< an HDF5 file of any kind, as its bytes
void edits(Bytes program);  ///< an HDF5 file of any kind that HDF5 itself has changed: sound bytes, odd content
void journal(Bytes bytes);  ///< the journal of a run; its checksums are put right first
void traces(Bytes bytes);   ///< the execution trace of a rank

/// Every target by its name.
struct Target {
  std::string_view name;
  void (*run)(Bytes);
};
inline constexpr Target targets[] = {{"study", study},       {"lists", lists},     {"tables", tables},
                                     {"netlists", netlists}, {"images", images},   {"files", files},
                                     {"edits", edits},       {"journal", journal}, {"traces", traces}};

}  // namespace optinc::fuzz
