#include "onn/training/detail/evaluation.hpp"

#include <algorithm>

#include "onn/task/words.hpp"
#include "onn/training/detail/forward.hpp"
#include "physics/core/parallel.hpp"

namespace optinc::training {

Dataset all_words(const Task& task) {
  validate_enumerable(task);
  const auto words = static_cast<Eigen::Index>(task.words());
  Dataset data{{task.input_digits(), words}, {task.output_digits(), words}, VectorF(task.sums())};
  for (int sum = 0; sum < task.sums(); ++sum)
    data.inputs_of_sums[sum] = static_cast<float>(static_cast<double>(sum) / task.servers - input_shift);
  for (Eigen::Index w = 0; w < words; ++w) {
    const auto sums = word_sums(task, static_cast<std::uint64_t>(w));
    const auto digits =
        code_digits(exact_answer(task, code_total(sums)), task.output_digits());
    std::copy(sums.begin(), sums.end(), data.sums.col(w).begin());
    std::copy(digits.begin(), digits.end(), data.digits.col(w).begin());
  }
  return data;
}

VectorF word_errors(const std::vector<Layer>& layers, const Dataset& data, int threads) {
  constexpr Eigen::Index block = 1024;
  const Eigen::Index words = data.words();
  VectorF errors(words);
  parallel_for((words + block - 1) / block, threads, [&](Eigen::Index i) {
    const Eigen::Index first = i * block, count = std::min(block, words - first);
    const auto chosen = Eigen::seqN(first, count);
    const MatrixF x = std::move(forward(layers, data.inputs(chosen)).x.back());
    errors.segment(first, count) =
        x.binaryExpr(data.targets(chosen), &decision_error<float>).colwise().maxCoeff().transpose();
  });
  return errors;
}

void judge(const VectorF& errors, EpochReport& report) {
  report.margin = 0.5 - static_cast<double>(errors.maxCoeff());
  report.word_accuracy =
      static_cast<double>((errors.array() < 0.5f).count()) / static_cast<double>(errors.size());
}

}  // namespace optinc::training
