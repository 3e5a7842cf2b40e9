#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "experiments/models/learning/data_parallel.hpp"
#include "onn/link/response_table.hpp"
#include "onn/network/network.hpp"
#include "onn/task/block_quantiser.hpp"

namespace optinc {

/// What the servers receive for their codes, (words, servers) -> (words): a unit's answer, right or wrong.
using CodeAverager = std::function<CodeVector(const Codes& codes, const StepContext& step)>;

/// The exact answers of a unit of this task, for as many servers as send.
CodeAverager ideal_average(const Task& task);

/// The map of one chip, or of a network, with fresh noise at every step (TableSeed: the step context's seed,
/// `chip`, its step).
CodeAverager map_average(ResponseTable map, std::uint32_t chip);

/// Two levels of units with N servers each: unit u averages the codes of servers u N to (u+1) N - 1, and
/// `above` what the units send on. All by functions of one level.
CodeAverager cascade_average(std::vector<CodeAverager> below, CodeAverager above);

/// Errors as the paper injects them: with probability `rate` a received code is wrong, nine times in ten by +-1
/// and otherwise by +-4^k, k = 1 .. digits - 1 (a digit of more weight), all equally likely; codes stay in
/// range.
CodeAverager with_injected_errors(CodeAverager average, double rate, int digits);

/// What became of the words that a channel carried.
struct CodeErrors {
  std::uint64_t words = 0;
  std::uint64_t wrong = 0;       ///< received code other than Q(mean)
  std::uint64_t off_by_one = 0;  ///< of these
  std::uint64_t guarded = 0;     ///< received codes that the range guard drew back
  double sum_lsb = 0.0;          ///< of received code - Q(mean); of an analogue sum, over N
  double square_sum_lsb2 = 0.0;

  /// Share of the codes that came back wrong; 0 where none was sent.
  double error_rate() const { return words ? static_cast<double>(wrong) / static_cast<double>(words) : 0.0; }
  /// Mean of code less wanted code, LSB.
  double bias_lsb() const { return words ? sum_lsb / static_cast<double>(words) : 0.0; }
  /// Root mean square of the same, LSB.
  double rms_lsb() const;
};

/// The way of gradients through a unit and back, and what it keeps from step to step.
struct LightChannel {
  Task task;  ///< of the codes that are sent, and of the answers that errors are counted against
  int block = 1024;
  CodeAverager average;
  bool own_copies = false;  ///< every server receives for itself; otherwise server 0 does for all
  /// Every server adds to its next gradient what its own quantisation left out of the last.
  bool error_feedback = false;
  /// A server knows its own code u: the mean of N codes lies in [u, u + (N-1)(2^B - 1)]/N. Where server 0
  /// receives a code beyond it takes the nearest possible one.
  bool range_guard = false;
  double offset_lsb = 0.0;   ///< added to every received code: a constant bias, to see what it does
  Eigen::MatrixXf residual;  ///< (elements, servers) with error feedback, zero before the first step
  CodeErrors errors;
};

/// Quantises, sends, receives at server 0, dequantises: the gradient that every server applies, (elements, 1);
/// or, with own copies, what each receives, (elements, servers). Counts what went wrong on the way. Throws
/// Error as quantise and the channel's averager.
Eigen::MatrixXf average_through(LightChannel& channel, const Eigen::MatrixXf& gradients,
                                const StepContext& step);

}  // namespace optinc
