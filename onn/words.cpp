#include "onn/words.hpp"

#include "physics/core/check.hpp"

namespace optinc {

void validate_enumerable(const Task& task) {
  validate_task(task);
  validate(
      task.words() <= most_table_words,
      "{} servers with {} bits have {} input words (at most {} are enumerated). Choose fewer servers or bits.",
      task.servers, task.bits(), task.words(), most_table_words);
}

WordTable word_table(const Task& task) {
  validate_enumerable(task);
  const auto words = static_cast<Eigen::Index>(task.words());
  WordTable table{Eigen::MatrixXd(task.digits, words), Eigen::MatrixXd(task.digits, words)};
  for (Eigen::Index w = 0; w < words; ++w) {
    const auto sums = word_sums(task, static_cast<std::uint64_t>(w));
    const auto digits = code_digits(rounded_mean(code_total(sums), task.servers, task.rounding), task.digits);
    for (int m = 0; m < task.digits; ++m) {
      table.averages(m, w) = static_cast<double>(sums[static_cast<std::size_t>(m)]) / task.servers;
      table.targets(m, w) = digits[static_cast<std::size_t>(m)];
    }
  }
  return table;
}

DecodingScore score(const Eigen::Ref<const Eigen::MatrixXd>& outputs,
                    const Eigen::Ref<const Eigen::MatrixXd>& targets) {
  double worst = 0.0;
  Eigen::Index right = 0;
  for (Eigen::Index w = 0; w < outputs.cols(); ++w) {
    const double miss = (outputs.col(w) - targets.col(w)).cwiseAbs().maxCoeff<Eigen::PropagateNaN>();
    if (miss < 0.5) ++right;
    if (!(miss <= worst)) worst = miss;
  }
  return {static_cast<double>(right) / static_cast<double>(outputs.cols()), 0.5 - worst};
}

}  // namespace optinc
