#include "onn/task/task.hpp"

#include <algorithm>

#include "physics/core/check.hpp"

namespace optinc {
namespace {
constexpr std::uint64_t most_words = std::uint64_t{1} << 63;
}  // namespace

int extra_digits(int codes) {
  int more = 0;
  while ((std::int64_t{1} << (2 * more)) < codes) ++more;
  return more;
}

int Task::input_digits() const {
  if (outputs == Outputs::analogue) return 1;
  return digits + (level == CascadeLevel::second ? extra_digits(servers) : 0);
}

int Task::answer_digits() const {
  return digits + (level == CascadeLevel::first || outputs == Outputs::analogue ? extra_digits(servers) : 0);
}

std::uint64_t Task::words() const {
  std::uint64_t count = 1;
  for (int m = 0; m < input_digits(); ++m) count *= static_cast<std::uint64_t>(sums());
  return count;
}

std::uint64_t Task::divisor() const {
  const auto n = static_cast<std::uint64_t>(servers);
  if (level == CascadeLevel::second) return n * n;
  if (level == CascadeLevel::first || reduction == Reduction::saturated_sum || outputs == Outputs::analogue)
    return 1;
  return reduction == Reduction::majority ? n * (codes() - 1) : n;
}

void validate_task(const Task& task) {
  const int most_servers = task.adder == Adder::light ? 64 : 256;
  validate_field(task.servers >= 1 && task.servers <= most_servers, "servers",
                 "{} (1..64 are modelled, 256 where electronics add). Give 1 <= servers <= {}.", task.servers,
                 most_servers);
  validate_field(task.digits >= 1 && std::max(task.input_digits(), task.output_digits()) <= 16, "bits",
                 "{}{} (a code has 1..16 PAM4 digits of 2 bits). Give an even number from 2 to {}.",
                 task.bits(), task.level == CascadeLevel::flat ? "" : " and a digit between the levels",
                 task.level == CascadeLevel::flat ? 32 : 30);
  std::uint64_t words = 1;
  for (int m = 0; m < task.input_digits(); ++m) {
    validate_field(words <= most_words / static_cast<std::uint64_t>(task.sums()), "bits",
                   "{} from {} servers (more input words than 63 bits can number). Give at most {}.",
                   task.bits(), task.servers, 2 * m);
    words *= static_cast<std::uint64_t>(task.sums());
  }
  const bool flat = task.level == CascadeLevel::flat;
  validate_field(flat || task.servers <= (task.sends_sums() ? 16 : 4), "servers",
                 "{} a unit of a cascade (1..4: the sum of their codes has one digit more; 1..16 where outputs "
                 "say sums). Give at most 4, or level flat.",
                 task.servers);
  validate_field((flat && task.outputs != Outputs::analogue) || task.reduction == Reduction::mean, "reduction",
                 "\"{}\" {} (which computes a mean). Set \"mean\"{}.", name_of(task.reduction),
                 flat ? "of an analogue sum" : "in a cascade", flat ? "" : ", or level flat");
  validate_field(flat || task.outputs != Outputs::analogue, "outputs",
                 "\"{}\" in a cascade (its units pass on digits). Set \"sums\", or level flat.",
                 name_of(task.outputs));
  validate_field(task.outputs != Outputs::analogue || task.bits() <= 16, "bits",
                 "{} of an analogue sum (a symbol of up to 16 bits is modelled). Give an even number from 2 to "
                 "16; converters resolve 5 to 7.",
                 task.bits());
  validate_field(!task.sends_sums() || task.adder == Adder::light, "adder",
                 "\"{}\" of outputs that say {} (light adds those). Set \"light\".", name_of(task.adder),
                 name_of(task.outputs));
  validate_field(flat || task.adder == Adder::light, "adder",
                 "\"{}\" in a cascade (its units add in light). Set level flat.", name_of(task.adder));
  validate_field(task.rounding != Rounding::stochastic || task.sends_sums() || task.adder != Adder::light,
                 "rounding",
                 "\"stochastic\" in light (a network rounds as it was trained to; electronics behind sums of "
                 "digits can draw). Set \"half-even\" or \"half-up\", or a network.source of digit sums.");
}

std::uint32_t rounded_mean(std::uint64_t total, std::uint64_t n, Rounding rounding, double draw) {
  const std::uint64_t quotient = total / n, twice_rest = 2 * (total % n);
  std::uint64_t rounded = quotient;
  if (rounding == Rounding::half_up && twice_rest >= n) ++rounded;
  if (rounding == Rounding::half_even && (twice_rest > n || (twice_rest == n && quotient % 2 == 1))) ++rounded;
  if (rounding == Rounding::stochastic && static_cast<double>(total % n) > draw * static_cast<double>(n))
    ++rounded;
  return static_cast<std::uint32_t>(rounded);
}

std::uint32_t exact_answer(const Task& task, std::uint64_t total, double draw) {
  const std::uint64_t largest = task.codes() - 1;
  if (task.reduction == Reduction::saturated_sum) return static_cast<std::uint32_t>(std::min(total, largest));
  const std::uint32_t mean = rounded_mean(total, task.divisor(), task.rounding, draw);
  return task.reduction == Reduction::majority ? mean * static_cast<std::uint32_t>(largest) : mean;
}

std::vector<int> word_sums(const Task& task, std::uint64_t index) {
  std::vector<int> sums(static_cast<std::size_t>(task.input_digits()));
  const auto base = static_cast<std::uint64_t>(task.sums());
  for (int m = task.input_digits() - 1; m >= 0; --m) {
    sums[static_cast<std::size_t>(m)] = static_cast<int>(index % base);
    index /= base;
  }
  return sums;
}

std::uint64_t code_total(std::span<const int> sums) {
  std::uint64_t total = 0;
  for (const int s : sums) total = 4 * total + static_cast<std::uint64_t>(s);
  return total;
}

double average_of_sum(const Task& task, std::int64_t sum) {
  return static_cast<double>(3 * sum) / (static_cast<double>(task.largest_symbol()) * task.servers);
}

std::uint32_t symbol_of(const Task& task, std::uint32_t code, int lane) {
  return (code >> (task.symbol_bits() * (task.input_digits() - 1 - lane))) &
         static_cast<std::uint32_t>(task.largest_symbol());
}

std::vector<int> code_digits(std::uint32_t code, int digits) {
  std::vector<int> d(static_cast<std::size_t>(digits));
  for (int m = digits - 1; m >= 0; --m) {
    d[static_cast<std::size_t>(m)] = static_cast<int>(code & 3u);
    code >>= 2;
  }
  return d;
}

}  // namespace optinc
