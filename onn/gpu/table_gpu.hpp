#pragma once

#include <memory>

#include "onn/link/response_table.hpp"

namespace optinc {

namespace gpu {
struct TableMemory;
}

/// A chip's response table on a GPU, for words that lie there or come in millions: the answers of
/// send_by_table(), from the same streams. Logarithms and the like are those of the GPU, so that an answer at
/// a threshold may differ.
class TableGpu {
 public:
  /// Copies the table. Throws Error where no GPU is there. ChipsGpu::tabulate() makes tables on the GPU.
  explicit TableGpu(const ResponseTable& table);
  TableGpu(TableGpu&&) noexcept;
  TableGpu& operator=(TableGpu&&) noexcept;
  ~TableGpu();

  /// send_by_table() for codes (words, servers) -> (words). Throws Error as it does.
  CodeVector send(const Codes& codes, const TableSeed& seed) const;

  /// The same for codes in the memory of the GPU, (servers, words): one server's words behind the other's.
  /// Returns before the GPU is done. The codes must be those of the task: they are not checked.
  void send(const std::uint32_t* codes, Eigen::Index words, const TableSeed& seed,
            std::uint32_t* answers) const;

  /// The table, on the host.
  ResponseTable download() const;

 private:
  friend class ChipsGpu;
  explicit TableGpu(std::unique_ptr<gpu::TableMemory> memory);
  std::unique_ptr<gpu::TableMemory> memory_;
};

}  // namespace optinc
