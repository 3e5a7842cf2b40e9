#include "onn/training/detail/epoch_loop.hpp"

#include <chrono>
#include <cmath>
#include <numeric>

#include "onn/training/detail/evaluation.hpp"
#include "onn/training/detail/gradients.hpp"
#include "physics/core/check.hpp"
#include "physics/core/parallel.hpp"
#include "physics/core/units.hpp"
#include "physics/random/stream.hpp"

namespace optinc::training {

double cosine_schedule(const TrainingSettings& s, double epoch) {
  if (epoch < s.warmup_epochs) return s.learning_rate * epoch / s.warmup_epochs;
  const double progress = (epoch - s.warmup_epochs) / (s.epochs - s.warmup_epochs);
  return 0.5 * s.learning_rate * (1 + std::cos(constants::pi * progress));
}

void limit_outputs(std::vector<Layer>& layers, const Task& task, double share) {
  if (share == 0) return;
  MatrixF x = all_words(task).inputs;
  for (std::size_t l = 0; l + 1 < layers.size(); ++l) {
    x = ((layers[l].weight * x).colwise() + layers[l].bias).cwiseMax(0.0f).cwiseMin(layers[l].ceiling).eval();
    layers[l].ceiling = static_cast<float>(share) * x.maxCoeff();
    x = x.cwiseMin(layers[l].ceiling);
  }
}

UnitNoise noise_of(const ChipDesign& design, const TrainingUnit& unit) {
  validate_field(
      meets_noise(unit), "noise",
      "above 0 with every source of noise off (there is nothing to meet). Switch some on in [noise], or set "
      "it to 0.");
  for (std::size_t l = 0; l + 1 < design.layers.size(); ++l)
    validate_field(
        std::isfinite(design.layers[l].ceiling), "noise",
        "above 0 with a network whose layer {} has no ceiling (noise is relative to the full scale of "
        "its modulators). Set training.ceiling, for instance to 0.6.",
        l);
  validate_hardware(unit.hardware);
  validate_errors(unit.chip);
  return UnitNoise(design, unit.chip, unit.hardware, unit.noise);
}

double noise_schedule(const TrainingSettings& s, double epoch) {
  constexpr double first = 0.02;
  const double ramped = s.noise_ramp > 0 ? std::min(1.0, epoch / (s.noise_ramp * s.epochs)) : 1.0;
  return s.noise * (first + (1 - first) * ramped);
}

namespace {

/// The batch as noise leaves its inputs, a share at a time.
void meet_noise(Batch& batch, const UnitNoise& noise, std::span<const std::uint64_t> words, double scale,
                std::uint64_t seed, int threads) {
  batch.noise = {&noise, static_cast<float>(scale), seed, static_cast<std::uint32_t>(batch.step)};
  parallel_for(shares, threads, [&](int k) {
    const auto [first, last] = share_of(batch.inputs.cols(), k);
    Stream stream = batch.noise.stream(static_cast<std::uint32_t>(k), -1);
    batch.inputs.middleCols(first, last - first) =
        noise.inputs(words.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(last - first)),
                     scale, seed, batch.chip(), stream);
  });
}

}  // namespace

std::vector<EpochReport> EpochLoop::run(const std::vector<Layer>& layers, const TrainerSteps& trainer) const {
  const auto start = std::chrono::steady_clock::now();
  const Dataset data = all_words(task);
  const Eigen::Index words = data.inputs.cols(), batch = std::min<Eigen::Index>(settings.batch, words);
  const Eigen::Index batches = words / batch;  // fewer than a batch sit out the epoch
  std::vector<Eigen::Index> order(static_cast<std::size_t>(words));
  std::iota(order.begin(), order.end(), Eigen::Index{0});

  TrainingState at;
  if (checkpointing != nullptr && checkpointing->resumed != nullptr) {
    at = *checkpointing->resumed;
    StateArrays from(checkpointing->resumed->arrays);
    trainer.arrays(from);
    at.arrays.clear();
  }
  const double before = at.seconds;
  const auto seconds = [&] {
    return before + std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  const std::function<TrainingState()> state = [&] {
    TrainingState now = at;
    now.seconds = seconds();
    StateArrays into(now.arrays);
    trainer.arrays(into);
    return now;
  };
  for (int epoch = 1; epoch <= settings.epochs; ++epoch) {
    Stream shuffle(seed, Purpose::network_shuffle, 0, static_cast<std::uint32_t>(epoch));
    for (std::size_t i = order.size(); i > 1; --i)
      std::swap(order[i - 1], order[shuffle.below(static_cast<std::uint32_t>(i))]);
    if (epoch < at.epoch) continue;  // each epoch shuffles the order of the one before
    const auto epochs_after = [&](Eigen::Index steps) {
      return epoch - 1 + static_cast<double>(steps) / static_cast<double>(batches);
    };
    const auto rate_after = [&](Eigen::Index steps) { return cosine_schedule(settings, epochs_after(steps)); };
    for (Eigen::Index k = at.batches; k < batches; ++k) {
      const std::span<const Eigen::Index> chosen(order.data() + k * batch, static_cast<std::size_t>(batch));
      Batch next = {data.inputs(Eigen::all, chosen), data.targets(Eigen::all, chosen), rate_after(k + 1), epoch,
                    (epoch - 1) * batches + k};
      if (noise != nullptr)
        meet_noise(next, *noise, std::vector<std::uint64_t>(chosen.begin(), chosen.end()),
                   noise_schedule(settings, epochs_after(k)), seed, threads);
      at.loss += trainer.step(next);
      at.batches = k + 1;
      if (checkpointing != nullptr && checkpointing->after_step) checkpointing->after_step(state);
    }
    EpochReport report{epoch,
                       at.loss / static_cast<double>(batches * batch * data.targets.rows()),
                       0.0,
                       0.0,
                       rate_after(batches),
                       0.0};
    validate(std::isfinite(at.loss),
             "the loss is not finite in epoch {} (training diverged). Lower training.learning_rate ({}).",
             epoch, settings.learning_rate);
    if (trainer.before_evaluation) trainer.before_evaluation(epoch);
    evaluate(layers, data, threads, report);
    report.seconds = seconds();
    at.curve.push_back(report);
    at.epoch = epoch + 1;
    at.batches = 0;
    at.loss = 0.0;
    if (progress) progress(report);
    if (settings.stop_margin > 0 && report.word_accuracy == 1 && report.margin >= settings.stop_margin) break;
  }
  return at.curve;
}

TrainingResult result_of(const Network& shape, const std::vector<Layer>& layers,
                         std::vector<EpochReport> curve) {
  const double seconds = curve.back().seconds;
  return {finished(shape, layers), std::move(curve), seconds};
}

}  // namespace optinc::training
