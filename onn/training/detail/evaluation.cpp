#include "onn/training/detail/evaluation.hpp"

#include <algorithm>
#include <numeric>

#include "onn/task/words.hpp"
#include "onn/training/detail/forward.hpp"
#include "physics/core/parallel.hpp"

namespace optinc::training {

Dataset all_words(const Task& task) {
  const WordTable table = word_table(task);
  return {(table.averages.array() - input_shift).matrix().cast<float>(), table.targets.cast<float>()};
}

void evaluate(const std::vector<Layer>& layers, const Dataset& data, int threads, EpochReport& report) {
  constexpr Eigen::Index block = 1024;
  const Eigen::Index blocks = (data.inputs.cols() + block - 1) / block;
  std::vector<double> worst(static_cast<std::size_t>(blocks));
  std::vector<Eigen::Index> right(static_cast<std::size_t>(blocks));
  parallel_for(blocks, threads, [&](Eigen::Index i) {
    const Eigen::Index first = i * block, words = std::min(block, data.inputs.cols() - first);
    const MatrixF x = std::move(forward(layers, data.inputs.middleCols(first, words)).x.back());
    const VectorF miss = x.binaryExpr(data.targets.middleCols(first, words), &decision_error<float>)
                             .colwise()
                             .maxCoeff()
                             .transpose();
    worst[static_cast<std::size_t>(i)] = miss.maxCoeff();
    right[static_cast<std::size_t>(i)] = (miss.array() < 0.5f).count();
  });
  report.margin = 0.5 - *std::max_element(worst.begin(), worst.end());
  report.word_accuracy = static_cast<double>(std::accumulate(right.begin(), right.end(), Eigen::Index{0})) /
                         static_cast<double>(data.inputs.cols());
}

}  // namespace optinc::training
