#include "onn/task/words.hpp"

#include <limits>
#include <numeric>

#include "physics/core/check.hpp"
#include "physics/random/stream.hpp"

namespace optinc {

void validate_enumerable(const Task& task) {
  validate_task(task);
  validate_field(
      task.words() <= most_table_words, "bits",
      "{} for {} servers ({} input words; at most {} are enumerated). Choose fewer servers or bits; to "
      "train, draw words: training.words_per_epoch.",
      task.bits(), task.servers, task.words(), most_table_words);
}

WordTable word_table(const Task& task) {
  validate_enumerable(task);
  const auto words = static_cast<Eigen::Index>(task.words());
  WordTable table{Eigen::MatrixXd(task.input_digits(), words), Eigen::MatrixXd(task.output_digits(), words)};
  for (Eigen::Index w = 0; w < words; ++w) {
    const auto sums = word_sums(task, static_cast<std::uint64_t>(w));
    for (int m = 0; m < task.input_digits(); ++m)
      table.averages(m, w) = average_of_sum(task, sums[static_cast<std::size_t>(m)]);
    if (task.sends_sums()) continue;
    const auto digits = code_digits(exact_answer(task, code_total(sums)), task.output_digits());
    for (int m = 0; m < task.output_digits(); ++m) table.targets(m, w) = digits[static_cast<std::size_t>(m)];
  }
  if (task.sends_sums()) table.targets = table.averages;
  return table;
}

Eigen::MatrixXd design_words(const Task& task) {
  if (task.words() <= most_design_words) return word_table(task).averages;
  Stream stream(1, Purpose::design_words);
  Eigen::MatrixXd averages(task.input_digits(), static_cast<Eigen::Index>(most_design_words));
  for (double& a : averages.reshaped())
    a = average_of_sum(task, static_cast<int>(stream.below(static_cast<std::uint32_t>(task.sums()))));
  averages.col(0).setZero();
  averages.col(1).setConstant(3.0);
  return averages;
}

std::vector<std::uint64_t> draw_words(const Task& task, std::size_t count, Stream& stream) {
  std::vector<std::uint64_t> words(count, 0);
  if (task.level == CascadeLevel::second && task.sends_sums()) {
    // sums of servers' codes have no more digits than their largest needs, but not all that these could say
    const std::uint64_t most = task.divisor() * (task.codes() - 1);
    for (auto& w : words) do {
        w = 0;
        for (int m = 0; m < task.input_digits(); ++m)
          w = w * static_cast<std::uint64_t>(task.sums()) +
              stream.below(static_cast<std::uint32_t>(task.sums()));
      } while (code_total(word_sums(task, w)) > most);
    return words;
  }
  if (task.words() <= std::numeric_limits<std::uint32_t>::max()) {
    for (auto& w : words) w = stream.below(static_cast<std::uint32_t>(task.words()));
    return words;
  }
  const auto base = static_cast<std::uint32_t>(task.sums());
  for (auto& w : words)
    for (int m = 0; m < task.input_digits(); ++m) w = w * base + stream.below(base);
  return words;
}

std::vector<std::uint64_t> evaluation_words(const Task& task) {
  validate_task(task);
  if (task.words() <= max_evaluation_words) {
    std::vector<std::uint64_t> all(task.words());
    std::iota(all.begin(), all.end(), std::uint64_t{0});
    return all;
  }
  Stream stream(1, Purpose::evaluation_words);
  std::vector<std::uint64_t> some = draw_words(task, std::size_t{1} << 18, stream);
  some.front() = 0;
  some.back() = task.words() - 1;
  return some;
}

DecodingScore score(const Eigen::Ref<const Eigen::MatrixXd>& outputs,
                    const Eigen::Ref<const Eigen::MatrixXd>& targets, double spacing) {
  double worst = 0.0;
  Eigen::Index right = 0;
  for (Eigen::Index w = 0; w < outputs.cols(); ++w) {
    const double miss =
        outputs.col(w).binaryExpr(targets.col(w), &decision_error<double>).maxCoeff<Eigen::PropagateNaN>();
    if (miss < spacing / 2) ++right;
    if (!(miss <= worst)) worst = miss;
  }
  return {static_cast<double>(right) / static_cast<double>(outputs.cols()), spacing / 2 - worst};
}

}  // namespace optinc
