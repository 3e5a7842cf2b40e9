#include "onn/gpu/detail/table_memory.hpp"

#include "physics/gpu/check_cuda.hpp"
#include "physics/random/stream.hpp"

namespace optinc::gpu {

void TableMemory::reserve(const ResponseTable& from, std::size_t chips, std::size_t draws) {
  host.task = from.task;
  host.converter = from.converter;
  host.readout = from.readout;
  table.servers = from.task.servers;
  table.digits = from.task.output_digits();
  table.words = static_cast<std::uint32_t>(from.task.words());
  table.draws = static_cast<std::uint32_t>(draws);
  if (from.converter) {
    table.step = adc_step(*from.converter);
    table.full_scale = from.converter->full_scale;
  }
  table.noisy = draws > 0;
  for (std::size_t m = 0; m < from.readout.size(); ++m) {
    const auto& r = from.readout[m];
    table.readout[m] = {r.bias, r.white, r.shot, r.intensity, r.leak};
    table.noisy = table.noisy || r.variance(r.bias) > 0;
  }
  table.share = share.set(shares_of_word(from.task));
  table.decided = decided.reserve(chips * words());
  table.moving = moving.reserve(chips * words());
  table.reach = reach.reserve(chips * words());
  check(cudaMemset(table.moving, 0xff, chips * words() * sizeof(std::uint32_t)), "numbers");
  check(cudaMemset(table.reach, 0, chips * words() * sizeof(float)), "zeros");
  table.outputs = outputs.reserve(chips * cells());
  table.before_readout = draws > 0 ? before_readout.reserve(chips * draws * cells()) : nullptr;
}

StreamKey readout_key(const TableSeed& seed) {
  const auto key = Stream(seed.seed, Purpose::readout_draw).key();
  const auto block =
      static_cast<std::uint32_t>(seed.first_word / static_cast<std::uint64_t>(table_block_words));
  return {{key[0], key[1]}, block, seed.use};
}

}  // namespace optinc::gpu
