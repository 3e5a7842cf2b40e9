#include "onn/training/detail/evaluation.hpp"

#include <algorithm>
#include <numeric>

#include "onn/task/words.hpp"
#include "onn/training/detail/forward.hpp"
#include "physics/core/parallel.hpp"
#include "physics/random/stream.hpp"

namespace optinc::training {

namespace {

Dataset room_for(const Task& task, Eigen::Index words) {
  Dataset data{{task.input_digits(), words}, {task.output_digits(), words}, VectorF(task.sums())};
  for (int sum = 0; sum < task.sums(); ++sum)
    data.inputs_of_sums[sum] = static_cast<float>(static_cast<double>(sum) / task.servers - input_shift);
  return data;
}

}  // namespace

void Dataset::put(Eigen::Index w, const Task& task, std::uint64_t number) {
  const auto of_inputs = word_sums(task, number);
  const auto answer = code_digits(exact_answer(task, code_total(of_inputs)), task.output_digits());
  std::copy(of_inputs.begin(), of_inputs.end(), sums.col(w).begin());
  std::copy(answer.begin(), answer.end(), digits.col(w).begin());
}

std::uint64_t Dataset::number(Eigen::Index w) const {
  std::uint64_t number = 0;
  for (const std::uint8_t sum : sums.col(w))
    number = number * static_cast<std::uint64_t>(inputs_of_sums.size()) + sum;
  return number;
}

std::vector<std::uint64_t> Dataset::numbers(std::span<const std::uint32_t> places) const {
  std::vector<std::uint64_t> numbers(places.size());
  std::transform(places.begin(), places.end(), numbers.begin(), [this](std::uint32_t w) { return number(w); });
  return numbers;
}

Dataset all_words(const Task& task) {
  validate_enumerable(task);
  Dataset data = room_for(task, static_cast<Eigen::Index>(task.words()));
  for (Eigen::Index w = 0; w < data.words(); ++w) data.put(w, task, static_cast<std::uint64_t>(w));
  return data;
}

Dataset first_words(const Task& task, const TrainingSettings& settings, std::uint64_t seed) {
  if (settings.words_per_epoch == 0) return all_words(task);
  validate_task(task);
  Dataset data = room_for(task, settings.words_per_epoch);
  std::vector<std::uint32_t> places(static_cast<std::size_t>(data.words()));
  std::iota(places.begin(), places.end(), 0u);
  redraw(data, task, places, seed, 0);
  return data;
}

void redraw(Dataset& data, const Task& task, std::span<const std::uint32_t> places, std::uint64_t seed,
            int epoch) {
  Stream stream(seed, Purpose::training_words, 0, static_cast<std::uint32_t>(epoch));
  const std::vector<std::uint64_t> drawn = draw_words(task, places.size(), stream);
  for (std::size_t i = 0; i < places.size(); ++i) data.put(places[i], task, drawn[i]);
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
