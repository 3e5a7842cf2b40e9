#pragma once

#include <cstdint>
#include <string>

#include "experiments/fabrics/cluster/execution_trace.hpp"
#include "experiments/fabrics/interconnect/workloads.hpp"

namespace optinc {

/// One iteration of training on data x tensor x pipeline ranks.
struct ParallelTraining {
  std::string workload = "llama-32x4096-untied";
  std::int64_t data = 1;          ///< replicas of the model, which average their gradients
  std::int64_t tensor = 1;        ///< ranks that share every layer
  std::int64_t pipeline = 1;      ///< stages of equally many blocks
  std::int64_t microbatches = 1;  ///< of a replica
  std::int64_t samples = 2048;    ///< images or tokens of a microbatch
  std::int64_t activation_bits = 16;
  bool overlap =
      true;  ///< a bucket of gradients is averaged as soon as it is full; false: all after the last pass
  double bucket_bytes = ddp_bucket_bytes;  ///< of gradients of 32 bits of a rank
  double flop_per_s = 1.0;                 ///< of a rank

  bool operator==(const ParallelTraining&) const = default;
};

/// What its ranks do. Rank t + tensor (d + data p) is number t of stage p of replica d.
/// - A microbatch's forward pass takes two operations per multiply-add and sample, its backward pass twice as
///   many.
/// - Stages work in the order 1F1B: stage p of P begins with P - 1 - p forward passes, then takes one forward
///   and one backward pass in turn. Activations go to the next stage, their gradients back, from every rank to
///   the one of its number, while the next pass is computed. If communication takes no time and all stages take
///   as long, m microbatches take (m + P - 1) (forward + backward) of a stage.
/// - Ranks that share layers add up their activations twice in every block's forward pass, and twice in its
///   backward pass (all-reduce), and wait for it.
/// - Replicas average gradients of 32 bits during the last backward pass, as jobs of SharedNetwork do: those of
///   layers, or where ranks share layers of whole blocks, are gathered into buckets of bucket_bytes or more,
///   the last layer's first.
///
/// Throws Error for more than most_trace_steps steps, for models that do not consist of blocks unless tensor =
/// pipeline = 1, and where pipeline does not divide the blocks. Sources: Narayanan et al. 2019 (PipeDream) and
/// 2021 (Megatron-LM, SC '21), Shoeybi et al. 2019.
ExecutionTrace parallel_training(const ParallelTraining& settings);

}  // namespace optinc
