#include "onn/network/word_check.hpp"

#include <algorithm>
#include <cmath>
#include <mutex>

#include "onn/task/codes.hpp"
#include "onn/task/words.hpp"
#include "physics/core/parallel.hpp"

namespace optinc {
namespace {

constexpr std::uint64_t at_once = 4096;

/// The digit sums of edge words: as many, the most telling first, as few enough words are made of.
std::vector<int> edge_sums(const Task& task) {
  const int full = task.sums() - 1;
  std::vector<int> sums = {0, full, 3, full - 1, 4, 1, 2};
  for (std::size_t i = 1; i < sums.size();)  // few servers: some are the same
    if (std::find(sums.begin(), sums.begin() + static_cast<std::ptrdiff_t>(i), sums[i]) !=
            sums.begin() + static_cast<std::ptrdiff_t>(i) ||
        sums[i] > full)
      sums.erase(sums.begin() + static_cast<std::ptrdiff_t>(i));
    else
      ++i;
  const auto words = [&](std::size_t choices) {
    std::uint64_t count = 1;
    for (int m = 0; m < task.input_digits(); ++m) count *= choices;
    return count;
  };
  while (words(sums.size()) > most_checked_words) sums.pop_back();
  return sums;
}

std::uint64_t edge_words(const Task& task) {
  std::uint64_t count = 1;
  for (int m = 0; m < task.input_digits(); ++m) count *= edge_sums(task).size();
  return count;
}

/// The word whose digits, base the number of edge sums, are those of `index`.
std::uint64_t edge_word(const Task& task, const std::vector<int>& sums, std::uint64_t index) {
  std::uint64_t word = 0, place = 1;
  for (int m = 0; m < task.input_digits();
       ++m, index /= sums.size(), place *= static_cast<std::uint64_t>(task.sums()))
    word += place * static_cast<std::uint64_t>(sums[index % sums.size()]);
  return word;
}

}  // namespace

std::uint64_t words_to_check(const Task& task, std::uint64_t drawn) {
  return task.words() <= most_checked_words ? task.words() : drawn + edge_words(task);
}

WordCheck check_words(const Network& network, std::uint64_t drawn, std::uint64_t seed, int threads,
                      const std::function<void(std::uint64_t)>& progress) {
  validate_network(network);
  const Task& task = network.task;
  const bool every = task.words() <= most_checked_words;
  const std::uint64_t total = words_to_check(task, drawn), edges = every ? 0 : edge_words(task);
  const std::vector<int> sums = edge_sums(task);
  WordCheck all;
  all.words = total;
  all.every = every;
  all.wrong_digits.resize(static_cast<std::size_t>(task.output_digits()));
  std::mutex mutex;
  const auto blocks = static_cast<std::int64_t>((total + at_once - 1) / at_once);
  parallel_for(blocks, threads, [&](std::int64_t block) {
    const std::uint64_t first = static_cast<std::uint64_t>(block) * at_once,
                        count = std::min(at_once, total - first);
    Stream stream(seed, Purpose::checked_words, static_cast<std::uint32_t>(block));
    std::vector<std::uint64_t> words = draw_words(task, count, stream);
    for (std::uint64_t i = 0; i < count; ++i)
      if (every)
        words[i] = first + i;
      else if (first + i < edges)
        words[i] = edge_word(task, sums, first + i);
    const Codes codes = codes_of_words(task, words);
    const Eigen::MatrixXd outputs = forward(network, digit_averages(task, codes));
    const CodeVector exact = exact_answers(task, codes), decided = decide(task, outputs);
    const Eigen::MatrixXd wanted = exact_outputs(task, codes);
    const DecodingScore found = score(outputs, wanted, task.level_spacing());
    const auto right =
        static_cast<std::uint64_t>(std::llround(found.word_accuracy * static_cast<double>(count)));
    const auto off_by_one = static_cast<std::uint64_t>(
        ((decided.cast<std::int64_t>() - exact.cast<std::int64_t>()).array().abs() == 1).count());
    const Eigen::Matrix<Eigen::Index, Eigen::Dynamic, 1> missed =
        ((decided_levels(task, outputs) - wanted).array().abs() > task.level_spacing() / 2).rowwise().count();
    const std::lock_guard lock(mutex);
    all.wrong += count - right;
    all.off_by_one += off_by_one;
    for (std::size_t m = 0; m < all.wrong_digits.size(); ++m)
      all.wrong_digits[m] += static_cast<std::uint64_t>(missed[static_cast<Eigen::Index>(m)]);
    all.margin = std::min(all.margin, found.margin);
    if (progress) progress(count);
  });
  return all;
}

}  // namespace optinc
