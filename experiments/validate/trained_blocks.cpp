#include "experiments/validate/trained_blocks.hpp"

#include "onn/training/trainer.hpp"
#include "physics/mesh/decomposition.hpp"

namespace optinc {
namespace {

constexpr std::uint64_t seed = 1;

TrainingResult trained(TrainedTask task) {
  TrainingSettings settings;
  if (task == TrainedTask::eight_bit)
    return train({4, 4}, std::vector{64, 128, 256, 128, 64}, settings, {seed});
  settings.epochs = 1500;
  settings.batch = 64;
  return train({4, 2}, std::vector{64, 128, 64}, settings, {seed});
}

std::vector<TrainedBlock> blocks_of(TrainedTask task) {
  const TrainingResult result = trained(task);
  if (result.curve.back().word_accuracy < 1) return {};
  std::vector<TrainedBlock> blocks;
  for (const SigmaULayer& layer : result.network.layers)
    for (const Eigen::MatrixXd& u : layer.unitary)
      if (u.rows() == trained_ports(task)) {
        const Matrix target = u.cast<Complex>();
        blocks.push_back({target, decompose_clements(target)});
      }
  return blocks;
}

}  // namespace

const std::vector<TrainedBlock>& trained_blocks(TrainedTask task) {
  static std::vector<TrainedBlock> known[2];
  auto& blocks = known[task == TrainedTask::eight_bit];
  if (blocks.empty()) blocks = blocks_of(task);
  return blocks;
}

int trained_ports(TrainedTask task) { return task == TrainedTask::eight_bit ? 128 : 64; }

}  // namespace optinc
