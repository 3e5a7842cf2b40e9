#include "experiments/study/chip_levels.hpp"

#include <mutex>
#include <numeric>

#include "onn/parallel.hpp"
#include "onn/words.hpp"
#include "physics/random/stream.hpp"

namespace optinc {
namespace {

/// Where [level][variant][chip] lies in the flat arrays.
struct Place {
  std::size_t level, variant, chip, chips;
  std::size_t in_case() const { return level * variants.size() + variant; }
  std::size_t flat() const { return in_case() * chips + chip; }
};

std::vector<std::uint64_t> drawn_words(const Task& task, const ChipLevelPlan& plan, std::uint32_t chip) {
  Stream stream(plan.seed, Purpose::words, chip);
  std::vector<std::uint64_t> words(static_cast<std::size_t>(plan.words));
  for (auto& w : words) w = stream.below(static_cast<std::uint32_t>(task.words()));
  return words;
}

std::vector<std::uint64_t> every_word(const Task& task) {
  std::vector<std::uint64_t> words(task.words());
  std::iota(words.begin(), words.end(), std::uint64_t{0});
  return words;
}

NoiseSwitches noise_of(const Variant& variant, const ChipLevelPlan& plan) {
  return variant.noisy ? plan.noise : NoiseSwitches{};
}

/// Measures one chip in one state and writes its place in the result (no other chip writes there).
void measure(const ChipDesign& design, const ChipState& state, const ChipLevelPlan& plan,
             const Variant& variant, const Codes& codes, const Place& at, ChipLevels& result,
             std::vector<std::int64_t>& errors) {
  const auto chip = static_cast<std::uint32_t>(at.chip);
  const Eigen::MatrixXd outputs =
      transmit(design, state, plan.link, noise_of(variant, plan), codes, {plan.seed, chip, 0});
  const auto answers = exact_answers(design.task, codes);
  const auto decoded = decide(outputs);
  const DecodingScore hit = score(outputs, digits_of(answers, design.task.digits));
  result.word_accuracy[at.flat()] = (decoded.array() == answers.array()).cast<double>().mean();
  result.margin[at.flat()] = hit.margin;
  result.clipped[at.flat()] = state.clipped;
  for (std::size_t l = 0; l < state.layers.size(); ++l) {
    result.matrix_error[at.flat() * state.layers.size() + l] = state.layers[l].matrix_error;
    result.matrix_error_in_phase[at.flat() * state.layers.size() + l] = state.layers[l].matrix_error_in_phase;
  }
  for (Eigen::Index w = 0; w < decoded.size(); ++w)
    ++errors[static_cast<std::size_t>(static_cast<std::int64_t>(decoded[w]) - answers[w] + design.task.codes() -
                                      1)];
}

double accuracy_of(const Task& task, const Eigen::MatrixXd& outputs, const Codes& codes) {
  return (decide(outputs).array() == exact_answers(task, codes).array()).cast<double>().mean();
}

}  // namespace

ChipLevels run_chip_levels(const ChipDesign& design, const ChipLevelPlan& plan,
                           const std::function<void()>& progress) {
  const std::size_t levels = plan.sigma_eta_rad.size(), chips = static_cast<std::size_t>(plan.chips);
  const std::size_t cases = levels * variants.size();
  ChipLevels result;
  result.layers = static_cast<int>(design.layers.size());
  result.error_bins = static_cast<int>(2 * design.task.codes() - 1);
  const auto bins = static_cast<std::size_t>(result.error_bins);
  for (auto* array : {&result.word_accuracy, &result.margin}) array->resize(cases * chips);
  for (auto* array : {&result.matrix_error, &result.matrix_error_in_phase})
    array->resize(cases * chips * design.layers.size());
  result.clipped.resize(cases * chips);
  result.word_accuracy_all_words.resize(cases);
  result.code_error_count.assign(cases * bins, 0);
  const Codes all_codes = codes_of_words(design.task, every_word(design.task));

  std::mutex counting;
  parallel_for(levels * chips, [&](std::size_t trial) {
    const std::size_t level = trial / chips, c = trial % chips;
    const auto chip = static_cast<std::uint32_t>(c);
    const ErrorModel model = at_splitter_error(plan.model, plan.sigma_eta_rad[level]);
    const ChipErrors errors = fabricate(design, model, plan.seed, chip);
    const Codes codes = codes_of_words(design.task, drawn_words(design.task, plan, chip));
    const std::array states = {program(design, errors, model, Programming::uncorrected),
                               program(design, errors, model, Programming::corrected)};
    for (std::size_t v = 0; v < variants.size(); ++v) {
      const Place at{level, v, c, chips};
      const ChipState& state = states[variants[v].programming == Programming::corrected ? 1 : 0];
      std::vector<std::int64_t> counts(bins, 0);
      measure(design, state, plan, variants[v], codes, at, result, counts);
      if (c == 0)
        result.word_accuracy_all_words[at.in_case()] = accuracy_of(
            design.task,
            transmit(design, state, plan.link, noise_of(variants[v], plan), all_codes, {plan.seed, chip, 0}),
            all_codes);
      const std::lock_guard lock(counting);
      for (std::size_t i = 0; i < bins; ++i) result.code_error_count[at.in_case() * bins + i] += counts[i];
    }
    if (progress) progress();
  });
  return result;
}

Eigen::MatrixXd all_word_outputs(const ChipDesign& design, const ErrorModel& model, const LinkSettings& link,
                                 Programming programming, const NoiseSwitches& noise, std::uint64_t seed) {
  const ChipErrors errors = fabricate(design, model, seed, 0);
  const ChipState state = program(design, errors, model, programming);
  return transmit(design, state, link, noise, codes_of_words(design.task, every_word(design.task)),
                  {seed, 0, 0});
}

}  // namespace optinc
