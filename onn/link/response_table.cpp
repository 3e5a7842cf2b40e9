#include "onn/link/response_table.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>

#include "onn/link/average.hpp"
#include "onn/task/words.hpp"
#include "physics/core/check.hpp"
#include "physics/core/parallel.hpp"
#include "physics/devices/pam4_levels.hpp"
#include "physics/random/normals_beyond.hpp"
#include "physics/random/stream.hpp"

namespace optinc {
namespace {

/// Calls use(number of the first, codes) for all words of a task, many at a time.
template <class Use>
void for_word_parts(const Task& task, Use use) {
  const auto words = static_cast<Eigen::Index>(task.words());
  for (Eigen::Index first = 0; first < words; first += table_part_words) {
    std::vector<std::uint64_t> numbers(static_cast<std::size_t>(std::min(table_part_words, words - first)));
    std::iota(numbers.begin(), numbers.end(), static_cast<std::uint64_t>(first));
    use(first, codes_of_words(task, numbers));
  }
}

/// The table of what `outputs` makes of every word's codes, without noise, received as `readout` says and read
/// by `converter` where there is one.
template <class Outputs>
ResponseTable tabulated(const Task& task, std::vector<ReadoutNoise> readout,
                        const std::optional<AdcSettings>& converter, Outputs outputs) {
  const auto words = static_cast<Eigen::Index>(task.words());
  ResponseTable table{task,
                      converter,
                      Eigen::MatrixXf(task.output_digits(), words),
                      CodeVector(words),
                      std::move(readout),
                      Eigen::VectorXf::Zero(words),
                      CodeVector::Constant(words, ~0u),
                      {}};
  for_word_parts(task, [&](Eigen::Index first, const Codes& codes) {
    Eigen::MatrixXd y = outputs(codes);
    table.outputs.middleCols(first, y.cols()) = y.template cast<float>();
    table.decided.segment(first, y.cols()) = read_outputs(table, y);
  });
  return table;
}

/// What amplifiers and converters leave of outputs.
Eigen::MatrixXd received_outputs(const ResponseTable& table, Eigen::MatrixXd y) {
  for (Eigen::Index m = 0; m < y.rows(); ++m)
    for (double& of_word : y.row(m)) of_word = table.readout[static_cast<std::size_t>(m)].passed(of_word);
  if (table.converter) quantise_digits(*table.converter, y);
  return y;
}

/// How far the normals of a word may go: ResponseTable::reach. A bound; 0 is always one.
float reach_of_word(const ResponseTable& table, Eigen::Index word) {
  const Eigen::Index digits = table.outputs.rows();
  const double half_step = table.converter ? adc_step(*table.converter) / 2 : 0.0;
  const double half_way = table.task.level_spacing() / 2;
  const Eigen::VectorXd level =
      decided_levels(table.task, received_outputs(table, table.outputs.col(word).cast<double>()));
  constexpr double nothing = std::numeric_limits<double>::infinity();
  double reach = 100.0;  // no normal goes as far
  const auto limit = [&](Eigen::VectorXd y) {
    Eigen::VectorXd rms(digits);
    for (Eigen::Index m = 0; m < digits; ++m) {
      const ReadoutNoise& r = table.readout[static_cast<std::size_t>(m)];
      const double v = y[m] - r.bias;
      rms[m] = std::sqrt(r.white + r.shot * v * v) + std::abs(r.intensity * v + r.leak);
      const double d = level[m], below = d > 0 ? y[m] - (d - half_way) : nothing,
                   above = d < pam4_full_scale_digit ? d + half_way - y[m] : nothing;
      if (rms[m] > 0) reach = std::min(reach, (std::min(below, above) - half_step) / rms[m]);
    }
    reach *= 1 - 1e-6;  // off the threshold itself, for float as well
    // The ends of converter and amplifier, and neurons' noise that moves the word by itself
    if (reach > 0 && (read_outputs(table, y + reach * rms)[0] != table.decided[word] ||
                      read_outputs(table, y - reach * rms)[0] != table.decided[word]))
      reach = 0.0;
  };
  const Eigen::VectorXd silent = table.outputs.col(word).cast<double>();
  if (table.before_readout.empty()) limit(silent);
  for (const Eigen::MatrixXf& off : table.before_readout) limit(silent + off.col(word).cast<double>());
  return static_cast<float>(std::max(reach, 0.0));
}

}  // namespace

CodeVector read_outputs(const ResponseTable& table, Eigen::MatrixXd y) {
  return decide(table.task, received_outputs(table, std::move(y)));
}

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
  validate(
      noise.scale == 1,
      "noise of scale {} (a chip's response table draws it as it is). Set the scale to 1, or send the words "
      "through the meshes.",
      noise.scale);
  validate(!noise.lock || lock_rms_rad(hardware) == 0.0,
           "link.sigma_lock_rad = {} (a chip's response table is by digit sums, and lock errors tell servers "
           "apart). Set "
           "noise.lock to false, or send the words through the meshes.",
           link.sigma_lock_rad);
  validate(
      !noise.lock || link.oscillators != Oscillators::direct ||
          (hardware.laser.linewidth_hz == 0 && link.oscillator_dither_rad == 0),
      "link.oscillators = direct (a chip's response table draws noise of receivers, not phases of "
      "oscillators). Set noise.lock to false, or laser.linewidth_hz and link.oscillator_dither_rad to 0, or "
      "send the words through the meshes.");
  validate(task.adder == Adder::light,
           "a response table where electronics add (\"{}\": words take several hops). Send them through the "
           "links.",
           name_of(task.adder));
  validate(
      checked_block(task, hardware) == 0,
      "a response table with link.check_block = {} (checked words are sent again through the meshes). Set it "
      "to 0, or send the words through the meshes.",
      link.check_block);
  validate(
      task.rounding != Rounding::stochastic,
      "a response table of task.rounding = \"stochastic\" (a table holds one answer a word). Send the words "
      "through the meshes, or set \"half-even\".");
  validate(
      !has_owner(task, hardware),
      "link.destinations = {} with digit sums (a table answers at once, and an owner sends answers on). Set "
      "it to 0, or send the words through the meshes.",
      link.destinations);
  const auto ideal = [](double value, const char* key) {
    validate(value == 0.0,
             "{} = {} (a chip's response table is by digit sums, and this error tells servers apart). Set "
             "it to 0, or "
             "send the words through the meshes.",
             key, value);
  };
  ideal(link.cut_servers, "link.cut_servers");
  ideal(link.late_servers, "link.late_servers");
  ideal(link.sigma_combiner, "link.sigma_combiner");
  ideal(link.sigma_oscillator_rad, "link.sigma_oscillator_rad");
  ideal(hardware.receiver.offset_a, "receiver.offset_a");
  ideal(hardware.modulator.leak, "modulator.leak");
  ideal(link.level_mismatch, "link.level_mismatch");
  validate(
      link.averaging == Averaging::coherent || !noise.rin || noise.last_only || task.servers == 1,
      "noise.rin = true with link.averaging = incoherent (a chip's response table is by digit sums, and lasers "
      "of the servers' own are as noisy as the squares of their digits add up to). Set noise.rin to false, or "
      "send the words through the meshes.");
}

void find_reach(ResponseTable& table) {
  if (!table.noisy()) return;
  const auto normals = static_cast<std::size_t>(table.outputs.rows() + 1);
  parallel_for(table.decided.size(), [&](Eigen::Index w) {
    table.reach[w] = reach_of_word(table, w);
    const double moving = std::ldexp(chance_beyond(table.reach[w], normals), 32);
    table.moving[w] = static_cast<std::uint32_t>(std::min(std::rint(moving), std::ldexp(1.0, 32) - 1));
  });
}

ResponseTable tabulate_network(const Network& network) {
  validate_enumerable(network.task);
  std::vector<ReadoutNoise> silent(static_cast<std::size_t>(network.task.output_digits()));
  return tabulated(network.task, std::move(silent), std::nullopt,
                   [&](const Codes& codes) { return forward(network, digit_averages(network.task, codes)); });
}

ResponseTable tabulate_chip(const LitUnit& unit, const TransmissionSeed& seed) {
  const ChipDesign& design = unit.design;
  const NoiseSwitches& noise = unit.noise;
  validate_tabulation(design.task, unit.hardware, noise);
  const LitUnit silent = {design, unit.chip, unit.hardware};
  const auto converter = noise.converter ? std::optional(unit.hardware.converter) : std::nullopt;
  std::vector<ReadoutNoise> readout;
  for (Eigen::Index m = 0; m < design.task.output_digits(); ++m) readout.push_back(readout_noise(unit, m));
  ResponseTable table = tabulated(design.task, std::move(readout), converter, [&](const Codes& codes) {
    return transmit(silent, codes, seed, NoisyReceivers::neurons);
  });
  const bool on_chip = design.server_layers().size() < design.layers.size() ||
                       unit.hardware.link.averaging == Averaging::incoherent;
  const bool silent_before = !noise.any_receiver_noise() || noise.last_only || !on_chip;
  const LitUnit noisy = {design, unit.chip, unit.hardware, noise,
                         Arithmetic::float32};  // as the table keeps it
  for (int d = 0; d < (silent_before ? 0 : table_draws(table.task)); ++d) {
    TransmissionSeed draw = seed;  // an instant each: transmit() numbers the words of every part from zero
    Eigen::MatrixXf& off = table.before_readout.emplace_back(table.outputs.rows(), table.outputs.cols());
    for_word_parts(table.task, [&](Eigen::Index first, const Codes& codes) {
      draw.instant = static_cast<std::uint32_t>(first / table_part_words * table_draws(table.task) + d);
      off.middleCols(first, codes.rows()) = transmit(noisy, codes, draw, NoisyReceivers::neurons).cast<float>();
    });
    off -= table.outputs;
  }
  find_reach(table);
  return table;
}

std::vector<std::uint32_t> shares_of_word(const Task& task) {
  std::vector<std::uint32_t> share(std::size_t{1} << (task.symbol_bits() * task.input_digits()));
  for (std::uint32_t code = 0; code < share.size(); ++code)
    for (int m = 0; m < task.input_digits(); ++m)
      share[code] = share[code] * static_cast<std::uint32_t>(task.sums()) + symbol_of(task, code, m);
  return share;
}

void validate_lookup(const ResponseTable& table, const Codes& codes, const TableSeed& seed) {
  const Task& task = table.task;
  validate(codes.cols() == task.servers,
           "codes of {} servers meet a unit for {} (one column per server). Send (words, {}).", codes.cols(),
           task.servers, task.servers);
  constexpr auto block_words = static_cast<std::uint64_t>(table_block_words);
  constexpr std::uint64_t most_words = block_words << 32;
  validate(seed.first_word % block_words == 0,
           "first_word = {} (a multiple of {}: noise is drawn by blocks of words). Use 0, {}, {}, ..",
           seed.first_word, block_words, block_words, 2 * block_words);
  validate(
      seed.first_word <= most_words && static_cast<std::uint64_t>(codes.rows()) <= most_words - seed.first_word,
      "{} words from number {} on (numbers below {}). Look them up in another use of the table.", codes.rows(),
      seed.first_word, most_words);
  const std::uint64_t count = std::uint64_t{1} << (task.symbol_bits() * task.input_digits());
  validate(codes.size() == 0 || codes.maxCoeff() < count,
           "code {} of {} digits (0..{}). Send codes of the task.", codes.size() == 0 ? 0 : codes.maxCoeff(),
           task.symbol_bits() * task.input_digits() / 2, count - 1);
}

CodeVector send_by_table(const ResponseTable& table, const Codes& codes, const TableSeed& seed) {
  const Task& task = table.task;
  validate_lookup(table, codes, seed);
  constexpr auto block_words = static_cast<std::uint64_t>(table_block_words);
  const std::vector<std::uint32_t> share = shares_of_word(task);
  const bool noisy = table.noisy();
  const Eigen::Index digits = task.output_digits();
  CodeVector answers(codes.rows());
  const auto draws = static_cast<std::uint32_t>(table.before_readout.size());
  const Eigen::Index blocks = (codes.rows() + table_block_words - 1) / table_block_words;
  parallel_for(blocks, [&](Eigen::Index b) {
    const Eigen::Index first = b * table_block_words, words = std::min(table_block_words, codes.rows() - first);
    std::vector<std::uint32_t> word(static_cast<std::size_t>(words), 0);
    for (Eigen::Index n = 0; n < codes.cols(); ++n)
      for (Eigen::Index w = 0; w < words; ++w) word[static_cast<std::size_t>(w)] += share[codes(first + w, n)];
    for (Eigen::Index w = 0; w < words; ++w)
      answers[first + w] = table.decided[word[static_cast<std::size_t>(w)]];
    if (!noisy) return;
    Stream stream(seed.seed, Purpose::readout_draw, seed.chip,
                  static_cast<std::uint32_t>(seed.first_word / block_words) + static_cast<std::uint32_t>(b),
                  seed.use);
    std::vector<std::uint32_t> drawn(static_cast<std::size_t>(words));
    stream.words(drawn);
    std::vector<Eigen::Index> moving;
    for (Eigen::Index w = 0; w < words; ++w)
      if (drawn[static_cast<std::size_t>(w)] < table.moving[word[static_cast<std::size_t>(w)]])
        moving.push_back(w);
    Eigen::MatrixXd y(digits, static_cast<Eigen::Index>(moving.size()));
    Eigen::VectorXd normals(digits +
                            1);  // one a digit, and that of the seed's intensity, which all digits share
    for (Eigen::Index i = 0; i < y.cols(); ++i) {
      const auto number =
          static_cast<Eigen::Index>(word[static_cast<std::size_t>(moving[static_cast<std::size_t>(i)])]);
      y.col(i) = table.outputs.col(number).cast<double>();
      if (draws > 0) y.col(i) += table.before_readout[stream.below(draws)].col(number).cast<double>();
      normals_beyond(table.reach[number], stream,
                     std::span(normals.data(), static_cast<std::size_t>(digits + 1)));
      for (Eigen::Index m = 0; m < digits; ++m) {
        const ReadoutNoise& r = table.readout[static_cast<std::size_t>(m)];
        const double v = y(m, i) - r.bias;
        y(m, i) +=
            std::sqrt(r.white + r.shot * v * v) * normals[m] + normals[digits] * (r.intensity * v + r.leak);
      }
    }
    const CodeVector moved = read_outputs(table, y);
    for (std::size_t i = 0; i < moving.size(); ++i)
      answers[first + moving[i]] = moved[static_cast<Eigen::Index>(i)];
  });
  return answers;
}

}  // namespace optinc
