#include "onn/training/detail/epoch_loop.hpp"

#include <chrono>
#include <cmath>

#include "onn/training/detail/evaluation.hpp"
#include "onn/training/detail/gradients.hpp"
#include "onn/training/detail/word_order.hpp"
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

void limit_outputs(std::vector<Layer>& layers, const Dataset& data, double share) {
  constexpr Eigen::Index at_once = 65536;
  for (std::size_t l = 0; l + 1 < layers.size(); ++l) {
    float largest = 0.0f;
    for (Eigen::Index first = 0; first < data.words(); first += at_once) {
      MatrixF x = data.inputs(Eigen::seqN(first, std::min(at_once, data.words() - first)));
      for (std::size_t k = 0; k <= l; ++k)
        x = ((layers[k].weight * x).colwise() + layers[k].bias)
                .cwiseMax(0.0f)
                .cwiseMin(layers[k].ceiling)
                .eval();
      largest = std::max(largest, x.maxCoeff());
    }
    layers[l].ceiling = static_cast<float>(share) * largest;
  }
}

UnitNoise noise_of(const ChipDesign& design, const TrainingUnit& unit) {
  validate_field(meets_noise(unit), "noise",
                 "above 0 with every source of noise off (there is no noise to train with). Switch some on in "
                 "[noise], set time.sampling = \"clocked\", or set it to 0.");
  for (std::size_t l = 0; l + 1 < design.layers.size(); ++l)
    validate_field(
        std::isfinite(design.layers[l].ceiling), "noise",
        "above 0 with a network whose layer {} has no ceiling (noise is relative to the full scale of "
        "its modulators). Set training.ceiling, for instance to 0.6.",
        l);
  validate_field(
      unit.hardware.modulator.linearised || unit.hardware.link.averaging == Averaging::coherent, "noise",
      "above 0 with link.averaging = incoherent and modulators that follow their sine (training sends the "
      "averages along a line). Set modulator.linearised = true.");
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

/// Judges the words after an epoch: all of them, or those drawn for the next epoch, which training has not met.
/// `order` learns their errors.
void evaluate(const EpochLoop& loop, const std::vector<Layer>& layers, Dataset& data, WordOrder& order,
              EpochReport& report) {
  const auto errors_now = [&] { return word_errors(layers, data, loop.threads); };
  const bool draws = loop.settings.words_per_epoch > 0;
  VectorF errors;
  if (!draws || loop.settings.hard_error > 0) order.learn(errors = errors_now());
  if (draws) {
    const std::vector<std::uint32_t> drawn = order.places_to_draw();
    redraw(data, loop.task, drawn, loop.seed, report.epoch);
    errors = errors_now();
    order.learn_drawn(drawn, errors);
    errors = errors(drawn).eval();
  }
  judge(errors, report);
}

/// Names the words in the state of a training, if they are drawn.
void name_words(StateArrays& arrays, Dataset& data, const Task& task, const TrainingSettings& settings) {
  if (settings.words_per_epoch == 0) return;
  arrays("sums_of_words", data.sums);
  for (Eigen::Index w = 0; arrays.reading() && w < data.words(); ++w) data.put(w, task, data.number(w));
}

}  // namespace

std::vector<EpochReport> EpochLoop::run(const std::vector<Layer>& layers, const TrainerSteps& trainer) const {
  const auto start = std::chrono::steady_clock::now();
  Dataset data = first_words(task, settings, seed);
  const Eigen::Index batch = std::min<Eigen::Index>(settings.batch, data.words());
  const Eigen::Index batches = data.words() / batch;  // fewer than a batch sit out the epoch
  WordOrder order(data, settings, seed);

  TrainingState at;
  if (checkpointing != nullptr && checkpointing->resumed != nullptr) {
    at = *checkpointing->resumed;
    StateArrays from(checkpointing->resumed->arrays);
    trainer.arrays(from);
    name_words(from, data, task, settings);
    order.name(from);
    at.arrays.clear();
  } else if (settings.hard_error > 0 && settings.hard_power > 0) {  // one plain epoch would undo a good start
    order.learn(word_errors(layers, data, threads));
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
    name_words(into, data, task, settings);
    order.name(into);
    return now;
  };
  for (int epoch = at.epoch; epoch <= settings.epochs; ++epoch) {
    const std::span<const std::uint32_t> words =
        order.of_epoch(epoch, static_cast<std::size_t>(batches * batch));
    const auto epochs_after = [&](Eigen::Index steps) {
      return epoch - 1 + static_cast<double>(steps) / static_cast<double>(batches);
    };
    const auto rate_after = [&](Eigen::Index steps) { return cosine_schedule(settings, epochs_after(steps)); };
    for (Eigen::Index k = at.batches; k < batches; ++k) {
      const auto chosen = words.subspan(static_cast<std::size_t>(k * batch), static_cast<std::size_t>(batch));
      Batch next = {data.inputs(chosen), data.targets(chosen), rate_after(k + 1), epoch,
                    (epoch - 1) * batches + k};
      if (noise != nullptr)
        meet_noise(next, *noise, data.numbers(chosen), noise_schedule(settings, epochs_after(k)), seed,
                   threads);
      at.loss += trainer.step(next);
      at.batches = k + 1;
      if (checkpointing != nullptr && checkpointing->after_step) checkpointing->after_step(state);
    }
    EpochReport report{epoch,
                       at.loss / static_cast<double>(batches * batch * data.digits.rows()),
                       0.0,
                       0.0,
                       rate_after(batches),
                       0.0};
    validate(std::isfinite(at.loss),
             "the loss is not finite in epoch {} (training diverged). Lower training.learning_rate ({}).",
             epoch, settings.learning_rate);
    if (trainer.before_evaluation) trainer.before_evaluation(epoch);
    evaluate(*this, layers, data, order, report);
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
