#include "experiments/fabrics/cluster/parallel_training.hpp"

#include <algorithm>
#include <limits>

#include "physics/core/check.hpp"

namespace optinc {
namespace {

/// Layers that are computed, and whose gradients are averaged, together.
struct Part {
  double parameters = 0.0, macs = 0.0;
  std::int64_t block = 0;  ///< as LayerCost::block
};

/// What a stage computes: its layers, and the same as whole blocks and layers of none.
struct Stage {
  std::vector<Part> layers, parts;
};

/// As many blocks in each stage, what comes before them in the first, what comes after in the last.
std::vector<Stage> stages_of(const ParallelTraining& s, const ModelCost& model) {
  const std::int64_t blocks =
      std::max_element(model.layers.begin(), model.layers.end(), [](const LayerCost& a, const LayerCost& b) {
        return a.block < b.block;
      })->block;
  validate(
      (s.tensor == 1 && s.pipeline == 1) || blocks > 0,
      "{} with tensor = {} and pipeline = {} (only models of equal blocks are split: llama). Set both to 1.",
      s.workload, s.tensor, s.pipeline);
  validate(blocks % s.pipeline == 0, "{}: {} blocks in {} stages (equally many in each). Set pipeline = 1.",
           s.workload, blocks, s.pipeline);
  std::vector<Stage> stages(static_cast<std::size_t>(s.pipeline));
  std::int64_t begun = 0;
  for (const LayerCost& layer : model.layers) {
    begun = std::max(begun, layer.block);
    const std::int64_t number = layer.block > 0 ? (layer.block - 1) * s.pipeline / blocks
                                : begun == 0    ? 0
                                                : s.pipeline - 1;
    Stage& stage = stages[static_cast<std::size_t>(number)];
    const Part part = {static_cast<double>(layer.parameters), static_cast<double>(layer.macs), layer.block};
    stage.layers.push_back(part);
    if (stage.parts.empty() || layer.block == 0 || layer.block != stage.parts.back().block) {
      stage.parts.push_back(part);
    } else {
      stage.parts.back().parameters += part.parameters;
      stage.parts.back().macs += part.macs;
    }
  }
  return stages;
}

/// Writes the steps of one rank in the order in which it computes.
struct RankWriter {
  const ParallelTraining& settings;
  const Stage& stage;
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
    const int halves = part.block > 0 && settings.tensor > 1 ? 2 : 1;
    for (int half = 0; half < halves; ++half) {
      last = {add({StepKind::compute, seconds / halves, 0.0, 0, 0, 0, last})};
      if (halves == 2) last = {add({StepKind::all_reduce, 0.0, activation_bytes, tensor_group, 0, 0, last})};
    }
  }
  void average(double bytes) {
    if (settings.data > 1 && bytes > 0.0) add({StepKind::all_reduce, 0.0, bytes, data_group, 0, 0, last, 32});
  }
  void forward() {
    wait_for(previous);
    for (const Part& part : stage.parts) compute(part, 1.0);
    send_to(next);
  }
  void backward(bool averages) {
    wait_for(next);
    const double bucket = settings.overlap ? settings.bucket_bytes : std::numeric_limits<double>::infinity();
    const auto& parts = averages && settings.tensor == 1 ? stage.layers : stage.parts;
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
  const std::vector<Stage> stages = stages_of(s, model);
  // of a microbatch: forward and backward, in halves with a sum behind each where ranks share layers; four
  // messages; of the last, layer by layer with averages between
  const auto parts = static_cast<double>(std::max(stages.front().parts.size(), stages.back().parts.size()));
  const double steps = static_cast<double>(s.data * s.tensor * s.pipeline) *
                       (static_cast<double>(s.microbatches) * (parts * (s.tensor > 1 ? 8.0 : 2.0) + 4.0) +
                        2.0 * static_cast<double>(model.layers.size()) / static_cast<double>(s.pipeline));
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
