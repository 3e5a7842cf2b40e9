#include "experiments/models/learning/light_channel.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include "onn/task/codes.hpp"
#include "physics/core/check.hpp"
#include "physics/random/stream.hpp"

namespace optinc {
namespace {

/// Q(mean) of as many servers as there are columns, at a step's draws.
CodeVector exact_mean(const Codes& codes, Rounding rounding, const StepContext& step) {
  Task flat;
  flat.servers = static_cast<int>(codes.cols());
  flat.rounding = rounding;
  return exact_answers(flat, codes, step.step);
}

void count_errors(const CodeVector& received, const CodeVector& wanted, CodeErrors& errors) {
  errors.words += static_cast<std::uint64_t>(received.size());
  for (Eigen::Index w = 0; w < received.size(); ++w) {
    if (received[w] == wanted[w]) continue;
    const double off = static_cast<double>(received[w]) - static_cast<double>(wanted[w]);
    ++errors.wrong;
    if (std::abs(off) == 1.0) ++errors.off_by_one;
    errors.sum_lsb += off;
    errors.square_sum_lsb2 += off * off;
  }
}

/// Draws codes that cannot be the mean of server 0's and any others' back to where they can; how many there
/// were.
std::uint64_t guard(const Codes& codes, int bits, CodeVector& received) {
  const auto servers = static_cast<std::uint32_t>(codes.cols());
  const std::uint32_t most = (1u << bits) - 1;
  std::uint64_t drawn_back = 0;
  for (Eigen::Index w = 0; w < received.size(); ++w) {
    const std::uint32_t own = codes(w, 0);
    // rounding may go either way, to the integers around both ends
    const std::uint32_t low = own / servers;
    const std::uint32_t high = (own + (servers - 1) * most + servers - 1) / servers;
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

CodeAverager ideal_average(Rounding rounding) {
  return [rounding](const Codes& codes, const StepContext& step) { return exact_mean(codes, rounding, step); };
}

CodeAverager map_average(ResponseTable map, std::uint32_t chip) {
  return [map = std::make_shared<const ResponseTable>(std::move(map)), chip](const Codes& codes,
                                                                             const StepContext& step) {
    return send_by_table(*map, codes, {step.seed, chip, step.step});
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

Eigen::VectorXf average_through(LightChannel& channel, const Eigen::MatrixXf& gradients,
                                const StepContext& step) {
  const bool feedback = channel.error_feedback;
  if (feedback && channel.residual.size() == 0)
    channel.residual = Eigen::MatrixXf::Zero(gradients.rows(), gradients.cols());
  if (feedback) channel.residual += gradients;  // what there is to send
  const QuantisedGradients sent =
      quantise(feedback ? channel.residual : gradients, channel.bits, channel.block);
  if (feedback)
    for (Eigen::Index n = 0; n < gradients.cols(); ++n)
      channel.residual.col(n) -=
          dequantise(sent.codes.col(n).cast<double>(), sent.block_scale, sent.bits, sent.block);
  CodeVector received = channel.average(sent.codes, step);
  count_errors(received, exact_mean(sent.codes, channel.rounding, step), channel.errors);
  if (channel.range_guard) channel.errors.guarded += guard(sent.codes, channel.bits, received);
  return dequantise(received.cast<double>().array() + channel.offset_lsb, sent.block_scale, sent.bits,
                    sent.block);
}

}  // namespace optinc
