#include "onn/link/response_table.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "onn/task/words.hpp"
#include "physics/core/check.hpp"
#include "physics/core/parallel.hpp"
#include "physics/random/stream.hpp"

namespace optinc {
namespace {

constexpr Eigen::Index block_words = 4096;
constexpr Eigen::Index words_at_once = 1 << 18;  // tabulated: codes and outputs in double take some 20 MB
constexpr std::uint32_t uses = std::uint32_t{1} << 20;

/// What each code adds to the number of its word: word_sums() counts in base 3N + 1, so that codes add up.
std::vector<std::uint32_t> shares_of_word(const Task& task) {
  std::vector<std::uint32_t> share(std::size_t{1} << (2 * task.input_digits()));
  for (std::size_t code = 0; code < share.size(); ++code)
    for (int m = 0; m < task.input_digits(); ++m)
      share[code] = share[code] * static_cast<std::uint32_t>(task.sums()) +
                    ((code >> (2 * (task.input_digits() - 1 - m))) & 3u);
  return share;
}

/// Calls use(number of the first, codes) for all words of a task, many at a time.
template <class Use>
void for_word_parts(const Task& task, Use use) {
  const auto words = static_cast<Eigen::Index>(task.words());
  for (Eigen::Index first = 0; first < words; first += words_at_once) {
    std::vector<std::uint64_t> numbers(static_cast<std::size_t>(std::min(words_at_once, words - first)));
    std::iota(numbers.begin(), numbers.end(), static_cast<std::uint64_t>(first));
    use(first, codes_of_words(task, numbers));
  }
}

/// The table of what `outputs` makes of every word's codes, without noise, read by `converter` where there is
/// one.
template <class Outputs>
ResponseTable tabulated(const Task& task, const std::optional<AdcSettings>& converter, Outputs outputs) {
  const auto words = static_cast<Eigen::Index>(task.words());
  ResponseTable table{task,
                      converter,
                      Eigen::MatrixXf(task.output_digits(), words),
                      CodeVector(words),
                      std::vector<ReadoutNoise>(static_cast<std::size_t>(task.output_digits())),
                      {}};
  for_word_parts(task, [&](Eigen::Index first, const Codes& codes) {
    Eigen::MatrixXd y = outputs(codes);
    table.outputs.middleCols(first, y.cols()) = y.template cast<float>();
    if (converter) quantise_digits(*converter, y);
    table.decided.segment(first, y.cols()) = decide(y);
  });
  return table;
}

}  // namespace

bool ResponseTable::noisy() const {
  return !before_readout.empty() || std::any_of(readout.begin(), readout.end(),
                                                [](const ReadoutNoise& r) { return r.variance(r.bias) > 0; });
}

int table_draws(const Task& task) {
  const std::uint64_t cells = task.words() * static_cast<std::uint64_t>(task.output_digits());
  return static_cast<int>(std::clamp<std::uint64_t>((std::uint64_t{1} << 26) / cells, 2, 8));
}

void validate_tabulation(const Task& task, const UnitHardware& hardware, const NoiseSwitches& noise) {
  const LinkSettings& link = hardware.link;
  validate_enumerable(task);
  validate(hardware.timing.sampling == Sampling::settled,
           "time.sampling = {} (a chip's response table answers every word by itself, and words in succession "
           "interfere). Set it to settled, or send the words through the meshes.",
           name_of(hardware.timing.sampling));
  validate(!noise.lock || lock_rms_rad(hardware) == 0.0,
           "link.sigma_lock_rad = {} (a chip's response table is by digit sums, and lock errors tell servers "
           "apart). Set "
           "noise.lock to false, or send the words through the meshes.",
           link.sigma_lock_rad);
  const auto ideal = [](double value, const char* key) {
    validate(value == 0.0,
             "{} = {} (a chip's response table is by digit sums, and this error tells servers apart). Set "
             "it to 0, or "
             "send the words through the meshes.",
             key, value);
  };
  ideal(link.sigma_combiner, "link.sigma_combiner");
  ideal(link.sigma_oscillator_rad, "link.sigma_oscillator_rad");
  ideal(hardware.modulator.leak, "modulator.leak");
  ideal(link.level_mismatch, "link.level_mismatch");
  validate(
      hardware.modulator.linearised,
      "modulator.linearised = false (a chip's response table is by digit sums, and levels that are not linear "
      "in the digit tell servers apart). Set it to true, or send the words through the meshes.");
  validate(
      link.averaging == Averaging::coherent || !noise.rin || noise.last_only || task.servers == 1,
      "noise.rin = true with link.averaging = incoherent (a chip's response table is by digit sums, and lasers "
      "of the servers' own are as noisy as the squares of their digits add up to). Set noise.rin to false, or "
      "send the words through the meshes.");
}

ResponseTable tabulate_network(const Network& network) {
  validate_enumerable(network.task);
  return tabulated(network.task, std::nullopt,
                   [&](const Codes& codes) { return forward(network, digit_averages(network.task, codes)); });
}

ResponseTable tabulate_chip(const LitUnit& unit, const TransmissionSeed& seed) {
  const ChipDesign& design = unit.design;
  const NoiseSwitches& noise = unit.noise;
  validate_tabulation(design.task, unit.hardware, noise);
  const LitUnit silent = {design, unit.chip, unit.hardware};
  const auto converter = noise.converter ? std::optional(unit.hardware.converter) : std::nullopt;
  ResponseTable table =
      tabulated(design.task, converter, [&](const Codes& codes) { return transmit(silent, codes, seed); });
  for (Eigen::Index m = 0; m < table.task.output_digits(); ++m)
    table.readout[static_cast<std::size_t>(m)] = readout_noise(unit, m);
  const bool on_chip = design.server_layers().size() < design.layers.size() ||
                       unit.hardware.link.averaging == Averaging::incoherent;
  if (!noise.any_receiver_noise() || noise.last_only || !on_chip) return table;
  for (int d = 0; d < table_draws(table.task); ++d) {
    TransmissionSeed draw = seed;  // an instant each: transmit() numbers the words of every part from zero
    Eigen::MatrixXf& off = table.before_readout.emplace_back(table.outputs.rows(), table.outputs.cols());
    for_word_parts(table.task, [&](Eigen::Index first, const Codes& codes) {
      draw.instant = static_cast<std::uint32_t>(first / words_at_once * table_draws(table.task) + d);
      off.middleCols(first, codes.rows()) = transmit(unit, codes, draw, NoisyReceivers::neurons).cast<float>();
    });
    off -= table.outputs;
  }
  return table;
}

CodeVector send_by_table(const ResponseTable& table, const Codes& codes, const TableSeed& seed) {
  const Task& task = table.task;
  validate(codes.cols() == task.servers,
           "codes of {} servers meet a unit for {} (one column per server). Send (words, {}).", codes.cols(),
           task.servers, task.servers);
  validate(codes.rows() <= max_lookup_words && seed.use < uses,
           "{} words in use {} of a response table (at most {} and {}: each has noise of its own). Send fewer "
           "at a time.",
           codes.rows(), seed.use, max_lookup_words, uses - 1);
  const std::vector<std::uint32_t> share = shares_of_word(task);
  validate(codes.size() == 0 || codes.maxCoeff() < share.size(),
           "code {} of {} digits (0..{}). Send codes of the task.", codes.size() == 0 ? 0 : codes.maxCoeff(),
           task.input_digits(), share.size() - 1);
  const bool noisy = table.noisy();
  const Eigen::Index digits = task.output_digits();
  CodeVector answers(codes.rows());
  const Eigen::Index blocks = (codes.rows() + block_words - 1) / block_words;
  parallel_for(blocks, [&](Eigen::Index b) {
    const Eigen::Index first = b * block_words, words = std::min(block_words, codes.rows() - first);
    std::vector<std::uint32_t> word(static_cast<std::size_t>(words), 0);
    for (Eigen::Index n = 0; n < codes.cols(); ++n)
      for (Eigen::Index w = 0; w < words; ++w) word[static_cast<std::size_t>(w)] += share[codes(first + w, n)];
    if (!noisy) {
      for (Eigen::Index w = 0; w < words; ++w)
        answers[first + w] = table.decided[word[static_cast<std::size_t>(w)]];
      return;
    }
    Stream stream(
        seed.seed, Purpose::readout_draw, seed.chip,
        seed.use * static_cast<std::uint32_t>(max_lookup_words / block_words) + static_cast<std::uint32_t>(b));
    // a row a digit, and one for the seed laser's intensity, which all digits of a word share
    std::vector<float> drawn(static_cast<std::size_t>((digits + 1) * words));
    stream.normals(std::span<float>(drawn));
    const auto draws = static_cast<std::uint32_t>(table.before_readout.size());
    Eigen::MatrixXd y(digits, words);
    for (Eigen::Index w = 0; w < words; ++w) {
      const auto number = static_cast<Eigen::Index>(word[static_cast<std::size_t>(w)]);
      y.col(w) = table.outputs.col(number).cast<double>();
      if (draws > 0) y.col(w) += table.before_readout[stream.below(draws)].col(number).cast<double>();
    }
    const float* const intensity = drawn.data() + digits * words;
    for (Eigen::Index m = 0; m < digits; ++m) {
      const ReadoutNoise& r = table.readout[static_cast<std::size_t>(m)];
      const float* const own = drawn.data() + m * words;
      for (Eigen::Index w = 0; w < words; ++w) {
        const double v = y(m, w) - r.bias;
        y(m, w) += std::sqrt(r.white + r.shot * v * v) * static_cast<double>(own[w]) +
                   static_cast<double>(intensity[w]) * (r.intensity * v + r.leak);
      }
    }
    if (table.converter) quantise_digits(*table.converter, y);
    answers.segment(first, words) = decide(y);
  });
  return answers;
}

}  // namespace optinc
