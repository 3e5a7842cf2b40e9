#include "onn/task/codes.hpp"

#include <algorithm>
#include <cmath>

#include "physics/devices/pam4_levels.hpp"
#include "physics/random/stream.hpp"

namespace optinc {
namespace {

std::uint32_t digit(std::uint32_t code, int m, int digits) { return (code >> (2 * (digits - 1 - m))) & 3u; }

}  // namespace

Codes codes_of_words(const Task& task, std::span<const std::uint64_t> words) {
  Codes codes = Codes::Zero(static_cast<Eigen::Index>(words.size()), task.servers);
  for (std::size_t w = 0; w < words.size(); ++w) {
    const auto sums = word_sums(task, words[w]);
    for (int m = 0; m < task.input_digits(); ++m) {
      const int sum = sums[static_cast<std::size_t>(m)];
      const int first = static_cast<int>((words[w] + static_cast<std::uint64_t>(m)) %
                                         static_cast<std::uint64_t>(task.servers));
      for (int k = 0; k < task.servers; ++k) {
        const auto d = static_cast<std::uint32_t>(sum / task.servers + (k < sum % task.servers ? 1 : 0));
        auto& code = codes(static_cast<Eigen::Index>(w), (first + k) % task.servers);
        code = (code << task.symbol_bits()) + d;
      }
    }
  }
  return codes;
}

CodeVector answers_to(const Task& task, std::span<const std::uint64_t> totals, std::uint32_t instant) {
  CodeVector answers(static_cast<Eigen::Index>(totals.size()));
  Stream draws(0, Purpose::rounding, instant);  // one number a word, whatever its sum
  for (std::size_t w = 0; w < totals.size(); ++w)
    answers[static_cast<Eigen::Index>(w)] =
        exact_answer(task, totals[w], task.rounding == Rounding::stochastic ? draws.uniform() : 0.5);
  return answers;
}

CodeVector exact_answers(const Task& task, const Codes& codes, std::uint32_t instant) {
  std::vector<std::uint64_t> totals(static_cast<std::size_t>(codes.rows()), 0);
#pragma omp parallel for schedule(static)
  for (Eigen::Index w = 0; w < codes.rows(); ++w)
    for (Eigen::Index n = 0; n < codes.cols(); ++n) totals[static_cast<std::size_t>(w)] += codes(w, n);
  return answers_to(task, totals, instant);
}

Eigen::MatrixXd digit_averages(const Task& task, const Codes& codes) {
  Eigen::MatrixXd averages = Eigen::MatrixXd::Zero(task.input_digits(), codes.rows());
  for (Eigen::Index w = 0; w < codes.rows(); ++w)
    for (int m = 0; m < task.input_digits(); ++m) {
      std::uint32_t sum = 0;
      for (Eigen::Index n = 0; n < codes.cols(); ++n) sum += symbol_of(task, codes(w, n), m);
      averages(m, w) = average_of_sum(task, sum);
    }
  return averages;
}

Eigen::MatrixXd exact_outputs(const Task& task, const Codes& codes) {
  return task.sends_sums() ? digit_averages(task, codes)
                           : digits_of(exact_answers(task, codes), task.output_digits());
}

Eigen::MatrixXd decided_levels(const Task& task, const Eigen::Ref<const Eigen::MatrixXd>& outputs) {
  const double spacing = task.level_spacing();
  return outputs.unaryExpr([spacing](double y) {
    return y > 0 ? std::min(std::floor(y / spacing + 0.5) * spacing, pam4_full_scale_digit) : 0.0;
  });
}

CodeVector decide(const Task& task, const Eigen::Ref<const Eigen::MatrixXd>& outputs, std::uint32_t instant) {
  if (task.outputs == Outputs::answer) return decide_digits(outputs);
  const Eigen::MatrixXd levels = decided_levels(task, outputs);
  std::vector<std::uint64_t> totals(static_cast<std::size_t>(outputs.cols()), 0);
  for (Eigen::Index w = 0; w < outputs.cols(); ++w)
    for (Eigen::Index m = 0; m < outputs.rows(); ++m) {
      std::uint64_t& total = totals[static_cast<std::size_t>(w)];
      total = 4 * total + static_cast<std::uint64_t>(std::llround(levels(m, w) / task.level_spacing()));
    }
  return answers_to(task, totals, instant);
}

CodeVector decide_digits(const Eigen::Ref<const Eigen::MatrixXd>& outputs) {
  CodeVector codes(outputs.cols());
  for (Eigen::Index w = 0; w < outputs.cols(); ++w) {
    std::uint32_t code = 0;
    for (Eigen::Index m = 0; m < outputs.rows(); ++m) {
      const double y = outputs(m, w);
      code = 4 * code + (y >= 2.5 ? 3u : y >= 1.5 ? 2u : y >= 0.5 ? 1u : 0u);
    }
    codes[w] = code;
  }
  return codes;
}

Eigen::MatrixXd digits_of(const CodeVector& codes, int digits) {
  Eigen::MatrixXd d(digits, codes.size());
  for (Eigen::Index w = 0; w < codes.size(); ++w)
    for (int m = 0; m < digits; ++m) d(m, w) = digit(codes[w], m, digits);
  return d;
}

}  // namespace optinc
