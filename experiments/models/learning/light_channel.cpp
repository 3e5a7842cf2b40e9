#include "experiments/models/learning/light_channel.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include "onn/task/codes.hpp"
#include "physics/core/check.hpp"
#include "physics/random/stream.hpp"

namespace optinc {
namespace {

/// A task of as many servers as there are columns.
Task of_servers(Task task, const Codes& codes) {
  task.servers = static_cast<int>(codes.cols());
  return task;
}

void count_errors(const CodeVector& received, const CodeVector& wanted, double answer_step,
                  CodeErrors& errors) {
  errors.words += static_cast<std::uint64_t>(received.size());
  for (Eigen::Index w = 0; w < received.size(); ++w) {
    if (received[w] == wanted[w]) continue;
    const double off = static_cast<double>(received[w]) - static_cast<double>(wanted[w]);
    ++errors.wrong;
    if (std::abs(off) == 1.0) ++errors.off_by_one;
    errors.sum_lsb += off * answer_step;
    errors.square_sum_lsb2 += off * off * answer_step * answer_step;
  }
}

/// Draws answers that cannot follow from a server's own codes and any others' back to where they can; how many
/// there were.
std::uint64_t guard(const Task& task, const Codes& codes, Eigen::Index server, CodeVector& received) {
  const auto others = static_cast<std::uint32_t>(codes.cols() - 1);
  const std::uint32_t most = (1u << task.bits()) - 1;
  const auto divisor = static_cast<std::uint32_t>(task.divisor());
  std::uint64_t drawn_back = 0;
  for (Eigen::Index w = 0; w < received.size(); ++w) {
    const std::uint32_t own = codes(w, server);
    // rounding may go either way, to the integers around both ends
    const std::uint32_t low = own / divisor;
    const std::uint32_t high = (own + others * most + divisor - 1) / divisor;
    const std::uint32_t possible = std::clamp(received[w], low, high);
    if (possible == received[w]) continue;
    received[w] = possible;
    ++drawn_back;
  }
  return drawn_back;
}

}  // namespace

double CodeErrors::rms_lsb() const {
  return words ? std::sqrt(square_sum_lsb2 / static_cast<double>(words)) : 0.0;
}

CodeAverager ideal_average(const Task& task) {
  return [task](const Codes& codes, const StepContext& step) {
    return exact_answers(of_servers(task, codes), codes, step.step);
  };
}

CodeAverager map_average(ResponseTable map, std::uint32_t chip) {
  return [map = std::make_shared<const ResponseTable>(std::move(map)), chip](const Codes& codes,
                                                                             const StepContext& step) {
    return send_by_table(*map, codes, {step.seed, chip + (step.server << 24), step.step});
  };
}

CodeAverager cascade_average(std::vector<CodeAverager> below, CodeAverager above) {
  validate(!below.empty(), "a cascade of no units (one server sends to each). Pass one averager a unit.");
  return [below = std::move(below), above = std::move(above)](const Codes& codes, const StepContext& step) {
    const auto units = static_cast<Eigen::Index>(below.size()), each = codes.cols() / units;
    validate(each * units == codes.cols(),
             "codes of {} servers for {} units (each serves equally many). Choose a multiple.", codes.cols(),
             units);
    Codes between(codes.rows(), units);
    for (Eigen::Index u = 0; u < units; ++u)
      between.col(u) = below[static_cast<std::size_t>(u)](codes.middleCols(u * each, each), step);
    return above(between, step);
  };
}

CodeAverager with_injected_errors(CodeAverager average, double rate, int digits) {
  validate(rate >= 0.0 && rate <= 1.0, "error rate {} (a share: 0 to 1). Choose 1e-3.", rate);
  validate(digits >= 1 && digits <= 16, "codes of {} digits (1 to 16). Choose 4.", digits);
  return [average = std::move(average), rate, digits](const Codes& codes, const StepContext& step) {
    CodeVector received = average(codes, step);
    const std::int64_t most = (std::int64_t{1} << (2 * digits)) - 1;
    Stream stream(step.seed, Purpose::injected_error, 0, step.step);
    for (auto& code : received) {
      if (stream.uniform() >= rate) continue;
      const bool large = digits > 1 && stream.uniform() >= 0.9;
      const std::uint32_t digit = large ? 1 + stream.below(static_cast<std::uint32_t>(digits - 1)) : 0;
      const std::int64_t size = std::int64_t{1} << (2 * digit);
      const std::int64_t off = stream.uniform() < 0.5 ? -size : size;
      code = static_cast<std::uint32_t>(std::clamp<std::int64_t>(code + off, 0, most));
    }
    return received;
  };
}

Eigen::MatrixXf average_through(LightChannel& channel, const Eigen::MatrixXf& gradients,
                                const StepContext& step) {
  const int bits = channel.task.bits();
  const bool feedback = channel.error_feedback;
  if (feedback && channel.residual.size() == 0)
    channel.residual = Eigen::MatrixXf::Zero(gradients.rows(), gradients.cols());
  if (feedback) channel.residual += gradients;  // what there is to send
  const QuantisedGradients sent = quantise(feedback ? channel.residual : gradients, bits, channel.block,
                                           code_rounding(channel.task, step.seed, step.step));
  if (feedback)
    for (Eigen::Index n = 0; n < gradients.cols(); ++n)
      channel.residual.col(n) -=
          dequantise(sent.codes.col(n).cast<double>(), sent.block_scale, sent.bits, sent.block);
  const Task task = of_servers(channel.task, sent.codes);
  const CodeVector exact = exact_answers(task, sent.codes, step.step);
  Eigen::MatrixXf averages(gradients.rows(), channel.own_copies ? gradients.cols() : 1);
  for (Eigen::Index n = 0; n < averages.cols(); ++n) {
    StepContext at_server = step;
    at_server.server = static_cast<std::uint32_t>(n);
    CodeVector received = channel.average(sent.codes, at_server);
    count_errors(received, exact, task.answer_step(), channel.errors);
    if (channel.range_guard) channel.errors.guarded += guard(task, sent.codes, n, received);
    averages.col(n) = dequantise(received.cast<double>().array() * task.answer_step() + channel.offset_lsb,
                                 sent.block_scale, sent.bits, sent.block);
  }
  return averages;
}

}  // namespace optinc
