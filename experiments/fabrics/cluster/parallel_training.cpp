#include "experiments/fabrics/cluster/parallel_training.hpp"

#include <algorithm>
#include <limits>

#include "physics/core/check.hpp"

namespace optinc {
namespace {

/// Layers that are computed, and whose gradients are averaged, together.
struct Part {
  double parameters = 0.0, macs = 0.0;
  bool block = false;
};

/// The model's blocks in order; a layer that belongs to no block is a part of its own.
std::vector<Part> parts_of(const ModelCost& model) {
  std::vector<Part> parts;
  std::int64_t of = -1;
  for (const LayerCost& layer : model.layers) {
    if (parts.empty() || layer.block == 0 || layer.block != of) parts.emplace_back();
    of = layer.block;
    parts.back().block = layer.block > 0;
    parts.back().parameters += static_cast<double>(layer.parameters);
    parts.back().macs += static_cast<double>(layer.macs);
  }
  return parts;
}

/// The parts of every stage: as many blocks in each, what comes before them in the first, what comes after in
/// the last.
std::vector<std::vector<Part>> stages_of(const ParallelTraining& s, const ModelCost& model) {
  const std::vector<Part> parts = parts_of(model);
  const auto blocks = std::count_if(parts.begin(), parts.end(), [](const Part& p) { return p.block; });
  validate(
      (s.tensor == 1 && s.pipeline == 1) || blocks > 0,
      "{} with tensor = {} and pipeline = {} (only models of equal blocks are split: llama). Set both to 1.",
      s.workload, s.tensor, s.pipeline);
  validate(blocks % s.pipeline == 0, "{}: {} blocks in {} stages (equally many in each). Set pipeline = 1.",
           s.workload, blocks, s.pipeline);
  std::vector<std::vector<Part>> stages(static_cast<std::size_t>(s.pipeline));
  std::int64_t before = 0;
  for (const Part& p : parts) {
    const std::int64_t stage = p.block ? before * s.pipeline / blocks : (before == 0 ? 0 : s.pipeline - 1);
    before += p.block;
    stages[static_cast<std::size_t>(stage)].push_back(p);
  }
  return stages;
}

/// Writes the steps of one rank in the order in which it computes.
struct RankWriter {
  const ParallelTraining& settings;
  const std::vector<Part>& parts;
  double activation_bytes = 0.0;  ///< of a microbatch, between blocks
  int next = -1, previous = -1;   ///< ranks of the neighbouring stages; -1: none
  int tensor_group = 0, data_group = 0;
  std::vector<TraceStep> steps = {};
  std::vector<std::uint32_t> last = {};  ///< the step that the next computing waits for

  std::uint32_t add(TraceStep step) {
    steps.push_back(std::move(step));
    return static_cast<std::uint32_t>(steps.size() - 1);
  }
  void wait_for(int rank) {
    if (rank >= 0) last.push_back(add({StepKind::receive, 0.0, activation_bytes, 0, rank, 0, {}}));
  }
  void send_to(int rank) {
    if (rank >= 0) add({StepKind::send, 0.0, activation_bytes, 0, rank, 0, last});
  }
  void compute(const Part& part, double passes) {
    const double seconds = passes * 2.0 * part.macs * static_cast<double>(settings.samples) /
                           static_cast<double>(settings.tensor) / settings.flop_per_s;
    const int halves = part.block && settings.tensor > 1 ? 2 : 1;
    for (int half = 0; half < halves; ++half) {
      last = {add({StepKind::compute, seconds / halves, 0.0, 0, 0, 0, last})};
      if (halves == 2) last = {add({StepKind::all_reduce, 0.0, activation_bytes, tensor_group, 0, 0, last})};
    }
  }
  void average(double bytes) {
    if (settings.data > 1) add({StepKind::all_reduce, 0.0, bytes, data_group, 0, 0, last, 32});
  }
  void forward() {
    wait_for(previous);
    for (const Part& part : parts) compute(part, 1.0);
    send_to(next);
  }
  void backward(bool averages) {
    wait_for(next);
    const double bucket = settings.overlap ? settings.bucket_bytes : std::numeric_limits<double>::infinity();
    double gathered_bytes = 0.0;
    for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
      compute(*part, 2.0);
      gathered_bytes += 4.0 * part->parameters / static_cast<double>(settings.tensor);
      if (!averages || (gathered_bytes < bucket && std::next(part) != parts.rend())) continue;
      average(gathered_bytes);
      gathered_bytes = 0.0;
    }
    send_to(previous);
  }
};

}  // namespace

ExecutionTrace parallel_training(const ParallelTraining& s) {
  const ModelCost model = workload_cost(s.workload);
  const std::vector<std::vector<Part>> stages = stages_of(s, model);
  // of a microbatch: forward and backward, in halves with a sum behind each where ranks share layers; four
  // messages
  const auto parts = static_cast<double>(std::max(stages.front().size(), stages.back().size()));
  const double steps = static_cast<double>(s.data * s.tensor * s.pipeline * s.microbatches) *
                       (parts * (s.tensor > 1 ? 8.0 : 2.0) + 4.0);
  validate(steps <= static_cast<double>(most_trace_steps),
           "{} microbatches on {} ranks take about {:.0f} steps (at most {}, for memory). Lower microbatches.",
           s.microbatches, s.data * s.tensor * s.pipeline, steps, most_trace_steps);
  const auto rank = [&](std::int64_t t, std::int64_t d, std::int64_t p) {
    return static_cast<int>(t + s.tensor * (d + s.data * p));
  };
  ExecutionTrace trace;
  for (std::int64_t p = 0; p < s.pipeline; ++p)
    for (std::int64_t d = 0; d < s.data; ++d)
      for (std::int64_t t = 0; t < s.tensor; ++t) {
        // groups: those that share layers, by stage and replica; then those that average, by stage and number
        RankWriter writer{s, stages[static_cast<std::size_t>(p)],
                          static_cast<double>(s.samples * model.width * s.activation_bits) / 8.0};
        writer.next = p + 1 < s.pipeline ? rank(t, d, p + 1) : -1;
        writer.previous = p > 0 ? rank(t, d, p - 1) : -1;
        writer.tensor_group = static_cast<int>(d + s.data * p);
        writer.data_group = static_cast<int>(s.data * s.pipeline + t + s.tensor * p);
        const std::int64_t ahead = std::min(s.pipeline - 1 - p, s.microbatches);
        for (std::int64_t m = 0; m < s.microbatches + ahead; ++m) {
          if (m < s.microbatches) writer.forward();
          if (m >= ahead) writer.backward(m + 1 == s.microbatches + ahead);
        }
        trace.ranks.push_back(std::move(writer.steps));
      }
  for (std::int64_t p = 0; p < s.pipeline; ++p)
    for (std::int64_t d = 0; d < s.data; ++d) {
      auto& group = trace.groups.emplace_back();
      for (std::int64_t t = 0; t < s.tensor; ++t) group.push_back(rank(t, d, p));
    }
  for (std::int64_t p = 0; p < s.pipeline; ++p)
    for (std::int64_t t = 0; t < s.tensor; ++t) {
      auto& group = trace.groups.emplace_back();
      for (std::int64_t d = 0; d < s.data; ++d) group.push_back(rank(t, d, p));
    }
  return trace;
}

}  // namespace optinc
