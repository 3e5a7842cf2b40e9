#include "onn/gpu/table_gpu.hpp"

#include <algorithm>
#include <cmath>

#include "onn/gpu/detail/table_memory.hpp"
#include "physics/core/check.hpp"
#include "physics/gpu/mesh_gpu.hpp"

namespace optinc {

TableGpu::TableGpu(const ResponseTable& table) {
  validate(!gpu_name().empty(), "no GPU was found (TableGpu looks words up on one). Use send_by_table().");
  const auto words = static_cast<Eigen::Index>(table.task.words());
  const auto holds = [&](const auto& outputs) {
    return outputs.rows() == table.task.output_digits() && outputs.cols() == words;
  };
  validate(table.decided.size() == words && table.moving.size() == words && table.reach.size() == words &&
               holds(table.outputs) && std::ranges::all_of(table.before_readout, holds) &&
               table.readout.size() == static_cast<std::size_t>(table.task.output_digits()),
           "a response table whose arrays are not its task's ({} words of {} digits). Take one of "
           "tabulate_chip().",
           words, table.task.output_digits());
  validate(std::ranges::all_of(table.readout, [](const ReadoutNoise& r) { return std::isinf(r.most); }),
           "a response table of amplifiers with a limit, receiver.overload_a (a GPU looks words up behind "
           "amplifiers without one alone). Use send_by_table().");
  validate(
      table.task.outputs == Outputs::answer,
      "a response table of digit sums (a GPU decides the four levels of PAM4 alone). Use send_by_table().");
  memory_ = std::make_unique<gpu::TableMemory>();
  gpu::TableMemory& m = *memory_;
  m.reserve(table, 1, table.before_readout.size());
  m.decided.set(table.decided.data(), m.words());
  m.moving.set(table.moving.data(), m.words());
  m.reach.set(table.reach.data(), m.words());
  m.outputs.set(table.outputs.data(), m.cells());
  std::vector<float> draws;
  for (const Eigen::MatrixXf& off : table.before_readout)
    draws.insert(draws.end(), off.data(), off.data() + off.size());
  m.before_readout.set(draws);
}
TableGpu::TableGpu(std::unique_ptr<gpu::TableMemory> memory) : memory_(std::move(memory)) {}
TableGpu::TableGpu(TableGpu&&) noexcept = default;
TableGpu& TableGpu::operator=(TableGpu&&) noexcept = default;
TableGpu::~TableGpu() = default;

void TableGpu::send(const std::uint32_t* codes, Eigen::Index words, const TableSeed& seed,
                    std::uint32_t* answers) const {
  gpu::send_by_table(memory_->table, codes, static_cast<std::size_t>(words), gpu::readout_key(seed), seed.chip,
                     1, answers);
}

CodeVector TableGpu::send(const Codes& codes, const TableSeed& seed) const {
  gpu::TableMemory& m = *memory_;
  validate_lookup(m.host, codes, seed);
  CodeVector answers(codes.rows());
  const auto words = static_cast<std::size_t>(codes.rows());
  if (words == 0) return answers;
  m.codes.set(codes.data(), static_cast<std::size_t>(codes.size()));
  send(m.codes.data(), codes.rows(), seed, m.answers.reserve(words));
  m.answers.get(answers.data(), words);
  return answers;
}

ResponseTable TableGpu::download() const {
  const gpu::TableMemory& m = *memory_;
  ResponseTable table = m.host;
  const auto words = static_cast<Eigen::Index>(m.words());
  table.outputs.resize(m.table.digits, words);
  table.decided.resize(words);
  table.moving.resize(words);
  table.reach.resize(words);
  m.outputs.get(table.outputs.data(), m.cells());
  m.decided.get(table.decided.data(), m.words());
  m.moving.get(table.moving.data(), m.words());
  m.reach.get(table.reach.data(), m.words());
  for (std::size_t d = 0; d < m.table.draws; ++d) {
    auto& off = table.before_readout.emplace_back(m.table.digits, words);
    m.before_readout.get(off.data(), m.cells(), d * m.cells());
  }
  return table;
}

}  // namespace optinc
