#pragma once

#include "onn/gpu/detail/table_kernels.hpp"
#include "onn/link/response_table.hpp"
#include "physics/gpu/device_array.hpp"

namespace optinc::gpu {

/// Response tables of chips of one design, one behind the other, in the memory of the GPU.
struct TableMemory {
  ResponseTable host;  ///< without its words: task, converter, noise of the readout
  Table table;
  DeviceArray<std::uint32_t> share, decided, moving;
  DeviceArray<float> reach, outputs, before_readout;
  DeviceArray<std::uint32_t> codes, answers;  ///< of the words that are looked up

  /// Words of a table.
  std::size_t words() const { return table.words; }
  /// Digits of all words of a table.
  std::size_t cells() const { return words() * static_cast<std::size_t>(table.digits); }
  /// Makes room for the tables of `chips` chips with so many draws of the neurons' noise. Takes task, converter
  /// and readout from `from`.
  void reserve(const ResponseTable& from, std::size_t chips, std::size_t draws);
};

/// Where the noise of look-ups is drawn from.
StreamKey readout_key(const TableSeed& seed);

}  // namespace optinc::gpu
