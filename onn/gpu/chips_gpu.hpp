#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "onn/gpu/table_gpu.hpp"
#include "onn/link/noise.hpp"

namespace optinc {

/// Whole chips of one unit on a GPU, from fabrication to answers, thousands at a time: those of fabricate() and
/// programmed_chip(), tabulated as by tabulate_chip(), from the same streams. Meshes and words without noise
/// are computed in double, the neurons' noise in float, as there, except that shot noise of light in quadrature
/// always counts (up to a thousandth of the noise). Sums have an order of their own, which may
/// depend on how many chips are asked for at once: an answer at a threshold, or a phase between two steps of a
/// DAC, may differ. Takes up to 6 GiB of the GPU's memory. For one thread at a time.
///
///     ChipsGpu chips(design, error_preset("doped-heaters"), Programming::corrected, hardware, noise);
///     const auto wrong = chips.wrong_words(codes, exact_answers(task, codes), {1, 0}, 10000);
class ChipsGpu {
 public:
  /// Copies what it is given. Throws Error where no GPU is there; as validate_hardware(), validate_errors() and
  /// validate_tabulation() do; and for averages without a common laser, limiters with errors or a knee,
  /// modulators that are not linearised, and 64 layers or more.
  ChipsGpu(const ChipDesign& design, const ErrorModel& model, Programming programming,
           const UnitHardware& hardware, const NoiseSwitches& noise);
  ChipsGpu(ChipsGpu&&) noexcept;
  ChipsGpu& operator=(ChipsGpu&&) noexcept;
  ~ChipsGpu();

  /// Tables of chips first, first + 1, ..; (chips), each of which keeps its memory on the GPU. Throws Error for
  /// chips of numbers beyond 2^32.
  std::vector<TableGpu> tabulate(std::uint64_t seed, std::uint32_t first, std::uint32_t chips) const;

  /// For each chip, the number of words whose answer is not `expected`; shape (chips). Codes (words, servers),
  /// `expected` (words). Chips have numbers seed.chip, seed.chip + 1, ..; chip c is made from seed.seed, and
  /// its words are looked up with {seed.seed, c, seed.use, seed.first_word}. Throws Error as tabulate() and
  /// TableGpu::send().
  std::vector<std::uint64_t> wrong_words(const Codes& codes, const CodeVector& expected, const TableSeed& seed,
                                         std::uint32_t chips) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace optinc
