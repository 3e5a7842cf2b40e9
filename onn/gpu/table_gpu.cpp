#include "onn/gpu/table_gpu.hpp"

#include "onn/gpu/detail/table_kernels.hpp"
#include "physics/core/check.hpp"
#include "physics/gpu/device_array.hpp"
#include "physics/gpu/mesh_gpu.hpp"
#include "physics/random/stream.hpp"

namespace optinc {

/// What lies on the GPU.
struct TableGpu::State {
  ResponseTable host;  ///< without its words: what is checked, and the noise of the readout
  gpu::Table table;
  gpu::DeviceArray<std::uint32_t> share, decided, moving, codes, answers;
  gpu::DeviceArray<float> reach, outputs, before_readout;
};

TableGpu::TableGpu(const ResponseTable& table) {
  validate(!gpu_name().empty(), "no GPU was found (TableGpu looks words up on one). Use send_by_table().");
  state_ = std::make_unique<State>();
  State& s = *state_;
  const auto words = static_cast<std::size_t>(table.decided.size());
  const std::size_t cells = words * static_cast<std::size_t>(table.outputs.rows());
  gpu::Table& t = s.table;
  t.servers = table.task.servers;
  t.digits = static_cast<int>(table.outputs.rows());
  t.words = static_cast<std::uint32_t>(words);
  t.draws = static_cast<std::uint32_t>(table.before_readout.size());
  t.noisy = table.noisy();
  if (table.converter) {
    t.step = adc_step(*table.converter);
    t.full_scale = table.converter->full_scale;
  }
  t.share = s.share.set(shares_of_word(table.task));
  t.decided = s.decided.set(table.decided.data(), words);
  t.moving = s.moving.set(table.moving.data(), words);
  t.reach = s.reach.set(table.reach.data(), words);
  t.outputs = s.outputs.set(table.outputs.data(), cells);
  std::vector<float> draws;
  for (const Eigen::MatrixXf& off : table.before_readout)
    draws.insert(draws.end(), off.data(), off.data() + off.size());
  t.before_readout = s.before_readout.set(draws);
  for (std::size_t m = 0; m < table.readout.size(); ++m) {
    const ReadoutNoise& r = table.readout[m];
    t.readout[m] = {r.bias, r.white, r.shot, r.intensity, r.leak};
  }
  s.host.task = table.task;
}
TableGpu::TableGpu(TableGpu&&) noexcept = default;
TableGpu& TableGpu::operator=(TableGpu&&) noexcept = default;
TableGpu::~TableGpu() = default;

void TableGpu::send(const std::uint32_t* codes, Eigen::Index words, const TableSeed& seed,
                    std::uint32_t* answers) const {
  const auto& key = Stream(seed.seed, Purpose::readout_draw).key();
  const auto block =
      static_cast<std::uint32_t>(seed.first_word / static_cast<std::uint64_t>(table_block_words));
  gpu::send_by_table(state_->table, codes, static_cast<std::size_t>(words), {{key[0], key[1]}, block, seed.use},
                     seed.chip, answers);
}

CodeVector TableGpu::send(const Codes& codes, const TableSeed& seed) const {
  State& s = *state_;
  validate_lookup(s.host, codes, seed);
  CodeVector answers(codes.rows());
  const auto words = static_cast<std::size_t>(codes.rows());
  if (words == 0) return answers;
  s.codes.set(codes.data(), static_cast<std::size_t>(codes.size()));
  send(s.codes.data(), codes.rows(), seed, s.answers.reserve(words));
  s.answers.get(answers.data(), words);
  return answers;
}

}  // namespace optinc
